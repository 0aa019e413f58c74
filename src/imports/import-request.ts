/** Ways to treat a login that exists already. */
export const ON_CONFLICT = ['update-unchanged', 'overwrite', 'skip', 'fail'] as const;

export type OnConflict = (typeof ON_CONFLICT)[number];

export const DEFAULT_ON_CONFLICT: OnConflict = 'update-unchanged';

/** Import ids need no encoding in a URL, and are no `.` or `..`, which clients take out of paths. */
export const IMPORT_ID_PATTERN = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,64}';

export const IMPORT_ID = new RegExp(`^${IMPORT_ID_PATTERN}$`);

/** Request for an import. */
export interface ImportRequest {
  importId: string;
  /** The name of the api-key that was sent. */
  keyName: string;
  dryRun: boolean;
  onConflict: OnConflict;
  /** The secret of hashes whose lines name none, where their algorithm takes one. */
  hashingSecretId?: string;
  /** How many lines there will be, blank ones not counted, by the word of the sender. For display only. */
  total?: number;
}
