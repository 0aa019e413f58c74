export const ON_CONFLICT = ['update-unchanged', 'overwrite', 'skip', 'fail'] as const;

export type OnConflict = (typeof ON_CONFLICT)[number];

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
