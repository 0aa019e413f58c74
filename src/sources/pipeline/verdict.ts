import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import type { SourceRecord } from '../containers/table.ts';
import type { SourceUser } from '../source-user.ts';

/**
 * Decision about one row of an export. The command line replaces it if the service decides otherwise about the line of the
 * row. It is not an `Outcome` (imports/resolve/outcome.ts), because rows without a line have a verdict, too.
 */
export interface Verdict {
  /** Name of the file, as the operator gave it. */
  file: string;
  /** Row number within its table, counted from 1. */
  row: number;
  result: 'import' | 'skip' | 'conflict' | 'error';
  /** Whether the service already had the user and replaced the password. Only set for `import`. */
  existed?: boolean;
  /** Code of docs/imports.md. Set for every result but `import`. */
  reason?: string | undefined;
  /** Explanation of the problem. It is public, and shows no address, password or hash. */
  message?: string | undefined;
  externalUserId?: string | undefined;
  /** Normalised e-mail address of the user, or undefined if the address is invalid. */
  email?: string | undefined;
  /** Line to send, without its line break. Only set for `import`. */
  line?: string | undefined;
  /** Signer key of the hash, if the export contains it. The line does not contain it. Only set for `import`. */
  signerKey?: string | undefined;
  /** The line in parsed form, as the service will read it. Only set for `import`. */
  parsed?: ParsedUser | undefined;
  /** Name of the table that contains the row. */
  table: string;
  /** Whether the file has other tables, so that the row number alone is ambiguous. */
  isOfSeveralTables?: boolean;
  /** First row that shares one of the user's identities, such as `row 4 of users`. Only set for `import`. */
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
