import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import type { SourceRecord } from '../containers/table.ts';
import type { SourceUser } from '../source-user.ts';

/**
 * Decision about one row of an export. The command line replaces it if the service decides otherwise about the line of the
 * row. It is not an `Outcome` (imports/resolve/outcome.ts), because rows without a line have a verdict, too.
 */
export interface Verdict {
  /** Name given by the operator. */
  file: string;
  /** Row number within its table, from 1. */
  row: number;
  result: 'import' | 'skip' | 'conflict' | 'error';
  /** Only for `import`: whether the service already had the user, whose password it replaced. */
  existed?: boolean;
  /** A code of docs/imports.md. Set for every result but `import`. */
  reason?: string | undefined;
  /** Public. Explains the problem without showing an address, a password or a hash. */
  message?: string | undefined;
  externalUserId?: string | undefined;
  /** Normalised address, or undefined if it is invalid. */
  email?: string | undefined;
  /** Only for `import`: the line to send, without its line break. */
  line?: string | undefined;
  /** Only for `import`: the signer key of the hash, if the export contains it. The line does not contain it. */
  signerKey?: string | undefined;
  /** Only for `import`: the line as the service will parse it. */
  parsed?: ParsedUser | undefined;
  /** The name of the table. */
  table: string;
  /** Whether the file has other tables, so that the row number alone is ambiguous. */
  isOfSeveralTables?: boolean;
  /** Only for `import`: the first row that shares one of its identities, `row 4 of users`. */
  sameIdentityAs?: string | undefined;
  /**
   * The original record, and the user read from it, for the file of rejects. Undefined if the row could not be read.
   */
  original?: SourceRecord | undefined;
  user?: SourceUser | undefined;
}

export const RESULTS = ['import', 'skip', 'conflict', 'error'] as const;

/**
 * Reasons that concern an address. Other reasons concern users, hashes and records, or are error codes of the service.
 */
export const EMAIL_PROBLEMS = ['DUPLICATE_EMAIL', 'EMAIL_INVALID'] as const;

export type EmailProblem = (typeof EMAIL_PROBLEMS)[number];
