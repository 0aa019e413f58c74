/** Answers of the service, as far as the page /imports reads them. Its modules name these types in comments. */
import type { Static } from '@sinclair/typebox';
import type { HandOverReport } from '../../hand-over/hand-over-report.ts';
import type { FailedLine } from '../../imports/import-history.ts';
import type { ImportJson } from '../protocol/import-json.ts';

export type { Progress } from '../../hooks/moves.ts';
export type { RehearsalReport } from '../../hooks/rehearsal.ts';
export type { FailedLine as Failure, RollbackCount } from '../../imports/import-history.ts';

export type Import = Static<typeof ImportJson>;

export type HandOver = Omit<HandOverReport, 'handOver'> & {
  handOverId: string;
  problem?: string;
  startedAt: number;
};

export interface FailurePage {
  status: string;
  failures?: FailedLine[];
  nextCursor?: string;
}

export interface HashGroup {
  hashingAlgorithm: string;
  class: string;
  setBy: string;
  users: number;
  signedIn: number;
}

export interface Census {
  counting: boolean;
  countedAt?: number;
  hashes?: HashGroup[];
}
