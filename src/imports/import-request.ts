/** Ways to treat a line whose login exists already. */
export const ON_CONFLICT = ['update-unchanged', 'overwrite', 'skip', 'fail'] as const;

export type OnConflict = (typeof ON_CONFLICT)[number];

export const DEFAULT_ON_CONFLICT: OnConflict = 'update-unchanged';

/**
 * Pattern of import ids. They need no encoding in a URL. `.` and `..` are excluded, because HTTP clients
 * remove these path segments.
 */
export const IMPORT_ID_PATTERN = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,64}';

export const IMPORT_ID = new RegExp(`^${IMPORT_ID_PATTERN}$`);

/** Options of an import, as the client sent them. */
export interface ImportRequest {
  importId: string;
  /** Name of the API key that authenticated the request. */
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  /** Secret of hashes whose lines name none, if their algorithm needs a secret. */
  hashingSecretId?: string;
  /** Number of non-blank lines that the sender announced. For display only. */
  total?: number;
}
