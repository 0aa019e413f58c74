import type { SourceRecord } from '../containers/table.ts';
import type { SourceUser } from '../source-user.ts';

/**
 * Decision about one row of an export. The command line replaces it if the service decides otherwise about
 * the import line. It is not an `Outcome` (imports/resolve/outcome.ts), because rows without an import line
 * have a verdict, too.
 */
export interface Verdict {
  /** Name of the file, or `the query`. */
  file: string;
  /** Number of the row within its table, counted from 1. */
  row: number;
  result: 'import' | 'skip' | 'conflict' | 'error';
  /** The service already had the user and replaced the password. Only for `import`. */
  existed?: boolean;
  /** Code of the reason in docs/imports.md. Set for every result but `import`. */
  reason?: string | undefined;
  /** Shown to the operator, so it has no address, password or hash. */
  message?: string | undefined;
  externalUserId?: string | undefined;
  /** Normalised address. Undefined if the address is invalid. */
  email?: string | undefined;
  line?: string | undefined;
  /** Firebase's signer key of the hash, if the export has it. Not in the import line. Only for `import`. */
  signerKey?: string | undefined;
  table: string;
  /** The file has other tables, so the row number alone is ambiguous. */
  isOfSeveralTables?: boolean | undefined;
  /** First row that shares one of the user's identities, such as `row 4 of users`. Only for `import`. */
  sameIdentityAs?: string | undefined;
  /** Record of the export, for the file of rejects. Undefined if it could not be read, or if originals are not kept. */
  original?: SourceRecord | undefined;
  user?: SourceUser | undefined;
}

export const RESULTS = ['import', 'skip', 'conflict', 'error'] as const;

/** Reasons of conflicts and errors, besides problems of the hash and of the record. */
export const USER_PROBLEMS = [
  'ADDRESS_SHARED',
  'DETAIL_MISSING',
  'DETAIL_REPEATED',
  'DUPLICATE_EMAIL',
  'EMAIL_INVALID',
  'EXTERNAL_ID_REPEATED',
  'STATE_UNKNOWN',
] as const;

export type UserProblem = (typeof USER_PROBLEMS)[number];
