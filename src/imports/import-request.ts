/** Rules for lines about users who exist already. */
export interface Policy {
  existing: 'change' | 'skip' | 'fail';
  /** Whether a line changes nothing that users or calls have changed here since the last import. */
  keepsChanges: boolean;
}

/** All that the code knows of a policy. The table `imports` and docs/bulk-import.md have their names, too. */
export const POLICIES = {
  'update-unchanged': { existing: 'change', keepsChanges: true },
  overwrite: { existing: 'change', keepsChanges: false },
  skip: { existing: 'skip', keepsChanges: true },
  fail: { existing: 'fail', keepsChanges: true },
} as const satisfies Readonly<Record<string, Policy>>;

export type OnConflict = keyof typeof POLICIES;

export const ON_CONFLICT = Object.keys(POLICIES) as OnConflict[];

export const changesUsers = (onConflict: OnConflict): boolean => POLICIES[onConflict].existing === 'change';

export const DEFAULT_ON_CONFLICT: OnConflict = 'update-unchanged';

/**
 * Ways to find the stored user of a line. With `externalId`, a user is found even if the address has changed in the
 * former system.
 */
export const MATCH_BY = ['login', 'externalId'] as const;

export type MatchBy = (typeof MATCH_BY)[number];

export const DEFAULT_MATCH_BY: MatchBy = 'login';

export const SOURCE = /^[!-~]{1,128}$/;

/** Import ids need no URL encoding. `.` and `..` are excluded, because HTTP clients remove them from paths. */
export const IMPORT_ID_PATTERN = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,64}';

export const IMPORT_ID = new RegExp(`^${IMPORT_ID_PATTERN}$`);

/** Matches valid names of imports. Names are shown in lists and terminals. */
export const IMPORT_NAME = /^[^\p{Cc}\p{Cs}]{1,256}$/u;

export interface ImportRequest {
  importId: string;
  /** Name of the import for people, such as its system and files. Only shown, and searched for. */
  name?: string;
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  matchBy?: MatchBy;
  /**
   * System that the lines come from. External ids are unique only within a source, and matched only there.
   */
  source?: string;
  /** With `matchBy=externalId`: whether an equal external id is enough to show that a line is about a stored user. */
  trustExternalIds?: boolean;
  /** Maximum number of missing users to remove. Undefined to remove nobody. */
  deleteMissing?: number;
  /** Secret for lines that name no secret, if the algorithm of their hash needs one. */
  hashingSecretId?: string;
  /** Number of non-blank lines that the client announced. For display only. */
  total?: number;
}
