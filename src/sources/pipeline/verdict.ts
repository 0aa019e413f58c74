import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import type { SourceRecord } from '../containers/table.ts';
import type { SourceUser } from '../source-user.ts';

/**
 * Decision about one row of an export: import it, or leave it out for a reason. The command line replaces it
 * if the service decides otherwise about the import line of the row. It is not an `Outcome`
 * (imports/resolve/outcome.ts), because rows without an import line have a verdict, too.
 */
export interface Verdict {
  /** Name of the export file, as the operator gave it. */
  file: string;
  /** Number of the row within its table of the export, counted from 1. */
  row: number;
  result: 'import' | 'skip' | 'conflict' | 'error';
  /** Whether the service already had the user and replaced the password. Only set for `import`. */
  existed?: boolean;
  /** Code of the reason in docs/imports.md. Set for every result but `import`. */
  reason?: string | undefined;
  /** Explanation of the reason. It is shown to the operator, so it has no address, password or hash. */
  message?: string | undefined;
  externalUserId?: string | undefined;
  /** Normalised e-mail address of the user, or undefined if the address is invalid. */
  email?: string | undefined;
  /** Import line of the user, without its line break. Only set for `import`. */
  line?: string | undefined;
  /**
   * Firebase's signer key of the hash, if the export contains it. It is not in the import line. Only set for
   * `import`.
   */
  signerKey?: string | undefined;
  /** The user as the service will read it from the import line. Only set for `import`. */
  parsed?: ParsedUser | undefined;
  /** Name of the table of the export that contains the row. */
  table: string;
  /** Whether the export file has other tables, so that the row number alone is ambiguous. */
  isOfSeveralTables?: boolean;
  /**
   * First row that shares one of the user's third-party identities, such as `row 4 of users`. Only set for
   * `import`.
   */
  sameIdentityAs?: string | undefined;
  /**
   * The original record, and the user read from it, for the file of rejects. Undefined if the row could not
   * be read.
   */
  original?: SourceRecord | undefined;
  user?: SourceUser | undefined;
}

export const RESULTS = ['import', 'skip', 'conflict', 'error'] as const;

/**
 * Reasons for leaving out a row that concern its e-mail address. Other reasons concern users, hashes and
 * records, or are error codes of the service.
 */
export const EMAIL_PROBLEMS = ['DUPLICATE_EMAIL', 'EMAIL_INVALID'] as const;

export type EmailProblem = (typeof EMAIL_PROBLEMS)[number];
