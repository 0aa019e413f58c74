import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import type { SourceRecord } from '../containers/table.ts';
import type { SourceUser } from '../source-user.ts';

/** What becomes of one row of an export. */
export interface Verdict {
  /** As the operator named it. */
  file: string;
  /** From 1, counted within its table. */
  row: number;
  result: 'import' | 'skip' | 'conflict' | 'error';
  /** A code of docs/imports.md; of anything but `import`. */
  reason?: string | undefined;
  /** Public; says what is wrong, and never shows an address, a password or a hash. */
  message?: string | undefined;
  externalUserId?: string | undefined;
  /** Normalised; where that cannot be, undefined. */
  email?: string | undefined;
  /** Of `import`: the line to send, without its line break. */
  line?: string | undefined;
  /** Of `import`: the signer key that the hash was made with, where the export has it. It is not in the line. */
  signerKey?: string | undefined;
  /** Of `import`: what the service will read from that line. */
  parsed?: ParsedUser | undefined;
  /** The name of the table. */
  table: string;
  /** Has the file other tables, so that a row is not known by its number alone? */
  isOfSeveralTables?: boolean;
  /** Of `import`: the first row with one of its identities, `row 4 of users`. */
  sameIdentityAs?: string | undefined;
  /** The record as it was read, and the user that was read from it: for rejects. Undefined where that could not be. */
  original?: SourceRecord | undefined;
  user?: SourceUser | undefined;
}

export const RESULTS = ['import', 'skip', 'conflict', 'error'] as const;

/** Reasons that follow from an address. The others are those of users, hashes and records, and codes of the service. */
export const EMAIL_PROBLEMS = ['DUPLICATE_EMAIL', 'EMAIL_INVALID'] as const;

export type EmailProblem = (typeof EMAIL_PROBLEMS)[number];
