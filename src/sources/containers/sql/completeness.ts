import type { Dialect } from './dialect.ts';

/** Parts of an SQL dump that have begun and not ended. They show whether the file is truncated. */
export interface Completeness {
  /** Number of SQL dumps in the file whose closing comment is still missing. */
  dumps: number;
  isInTransaction: boolean;
}

const BEGINS = /^-- (?:PostgreSQL database(?: cluster)? dump\s*$|(?:MySQL|MariaDB) dump \d)/;
const ENDS = /^-- (?:PostgreSQL database(?: cluster)? dump complete\s*$|Dump completed)/;

/** @param line first 128 characters of an SQL comment */
export function noteComment(completeness: Completeness, line: string): void {
  if (BEGINS.test(line)) completeness.dumps++;
  else if (ENDS.test(line)) completeness.dumps = Math.max(0, completeness.dumps - 1);
}

/** SQLite and phpMyAdmin put the whole dump into one transaction. */
export function noteStatement(completeness: Completeness, words: string, dialect: Dialect): void {
  if (!dialect.hasTransaction) return;
  if (/^(?:BEGIN TRANSACTION|BEGIN;|START TRANSACTION)/i.test(words)) completeness.isInTransaction = true;
  else if (/^(?:COMMIT|ROLLBACK)/i.test(words)) completeness.isInTransaction = false;
}

export function whatIsMissing(completeness: Completeness): string | undefined {
  if (completeness.dumps > 0) return 'the last line, which shows that such a dump is complete';
  return completeness.isInTransaction ? 'the COMMIT of the transaction that the dump is in' : undefined;
}
