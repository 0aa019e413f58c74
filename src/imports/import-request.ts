/** Ways to treat a line whose login exists already. */
export const ON_CONFLICT = ['update-unchanged', 'overwrite', 'skip', 'fail'] as const;

export type OnConflict = (typeof ON_CONFLICT)[number];

export const DEFAULT_ON_CONFLICT: OnConflict = 'update-unchanged';

/**
 * Ways to find the user that a line is about: by its logins, or by its external id. With `externalId`, a user
 * whose address has changed in the former system is still the same user.
 */
export const MATCH_BY = ['login', 'externalId'] as const;

export type MatchBy = (typeof MATCH_BY)[number];

export const DEFAULT_MATCH_BY: MatchBy = 'login';

/** Form of the name of a source: printable ASCII without spaces. */
export const SOURCE = /^[!-~]{1,128}$/;

/**
 * Pattern of import ids. They need no encoding in a URL. `.` and `..` are excluded, because HTTP clients
 * remove these path segments.
 */
export const IMPORT_ID_PATTERN = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,64}';

export const IMPORT_ID = new RegExp(`^${IMPORT_ID_PATTERN}$`);

/** Options of an import, as the client sent them. */
export interface ImportRequest {
  importId: string;
  /** Name of the API key with which the request was made. */
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  /** How lines find existing users. Defaults to `login`. */
  matchBy?: MatchBy;
  /**
   * Name of the system or installation that the lines come from. External ids are unique within a source only:
   * `matchBy=externalId` never matches a user of another source.
   */
  source?: string;
  /**
   * Maximum number of users of this source to remove because no line names them. Undefined to remove nobody.
   */
  deleteMissing?: number;
  /** Id of the secret for hashes whose lines name none, if their algorithm needs a secret. */
  hashingSecretId?: string;
  /** Number of non-blank lines that the sender announced. For display only. */
  total?: number;
}
