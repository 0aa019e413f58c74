/**
 * Answers of the service, as far as the page /imports reads them. Its modules name these types in comments.
 */

/** See src/http/protocol/import-json.ts. */
export interface Import {
  importId: string;
  apiKeyName: string;
  dryRun: boolean;
  onConflict: string;
  matchBy: string;
  source?: string;
  missing?: { found: number; removed: number; kept: number };
  startedAt: number;
  finishedAt?: number;
  rolledBackAt?: number;
  expiredAt?: number;
  status: 'UNFINISHED' | 'FINISHED' | 'ROLLBACK_UNFINISHED' | 'ROLLED_BACK';
  running: boolean;
  updatedAt?: number;
  total?: number;
  lines: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  failuresByCode: Record<string, number>;
  algorithms: Record<string, number>;
  classes: { strong: number; legacy: number; broken: number };
  durationMs: number;
  linesPerSecond: number;
  rollback?: Record<string, number>;
}

export interface Failure {
  line: number;
  code: string;
  message: string;
}

export interface FailurePage {
  status: string;
  failures?: Failure[];
  nextCursor?: string;
}

export interface HashGroup {
  hashingAlgorithm: string;
  class: string;
  setBy: string;
  users: number;
  signedIn: number;
}

/** See src/http/routes/hand-over/hand-over-routes.ts. */
export interface HandOver {
  handOverId: string;
  status: 'RUNNING' | 'FINISHED' | 'UNDOING' | 'UNDONE';
  problem?: string;
  startedAt: number;
  users: number;
  logins: Record<LoginState, number>;
  byAlgorithm: (Record<Exclude<LoginState, 'sending'>, number> & { algorithm: string })[];
  movedByDay: { day: string; logins: number }[];
  advice: string;
}

export type LoginState = 'sending' | 'waiting' | 'moved' | 'changed' | 'refused';

export interface Census {
  counting: boolean;
  countedAt?: number;
  hashes?: HashGroup[];
}
