import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import type { SourceRecord } from '../containers/table.ts';
import type { SourceUser } from '../source-user.ts';

/**
 * Decision about one row of an export: import it, or leave it out for a reason. It is replaced if the
 * service decides otherwise about the row's import line. It is not an `Outcome`
 * (imports/resolve/outcome.ts), because rows without an import line have a verdict, too.
 */
export interface Verdict {
  /** Name of the file as the operator gave it. */
  file: string;
  /** Number of the row within its table, from 1. */
  row: number;
  result: 'import' | 'skip' | 'conflict' | 'error';
  /** Whether the service already had the user and replaced the password. */
  existed?: boolean;
  /** Code of the reason in docs/imports.md, for every result but `import`. */
  reason?: string | undefined;
  /** Explanation for the operator, without any address, password or hash. */
  message?: string | undefined;
  externalUserId?: string | undefined;
  /** Normalised e-mail address of the user, if it is valid. */
  email?: string | undefined;
  /** Import line without its line break. */
  line?: string | undefined;
  /** Firebase's signer key of the hash, if the export contains it. It is not in the import line. */
  signerKey?: string | undefined;
  /** The user as the service will read it. */
  parsed?: ParsedUser | undefined;
  table: string;
  /** Whether the file has other tables, so that the row number alone is ambiguous. */
  isOfSeveralTables?: boolean;
  /** First row that shares one of the user's identities, such as `row 4 of users`. */
  sameIdentityAs?: string | undefined;
  /** The original record, and the user read from it, for the file of rejects. */
  original?: SourceRecord | undefined;
  user?: SourceUser | undefined;
}

export const RESULTS = ['import', 'skip', 'conflict', 'error'] as const;

/** Reasons that concern the e-mail address of a row. */
export const EMAIL_PROBLEMS = ['DUPLICATE_EMAIL', 'EMAIL_INVALID'] as const;

export type EmailProblem = (typeof EMAIL_PROBLEMS)[number];
