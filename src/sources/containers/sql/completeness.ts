import type { Dialect } from './dialect.ts';

/** What a dump began and must end, if it is whole. */
export interface Completeness {
  /** Dumps that say where they end, and have not. */
  dumps: number;
  isInTransaction: boolean;
}

const BEGINS = /^-- (?:PostgreSQL database(?: cluster)? dump\s*$|(?:MySQL|MariaDB) dump \d)/;
const ENDS = /^-- (?:PostgreSQL database(?: cluster)? dump complete\s*$|Dump completed)/;

/** @param line the first 128 characters of a comment */
export function noteComment(completeness: Completeness, line: string): void {
  if (BEGINS.test(line)) completeness.dumps++;
  else if (ENDS.test(line)) completeness.dumps = Math.max(0, completeness.dumps - 1);
}

/** SQLite and phpMyAdmin dump within a transaction. */
export function noteStatement(completeness: Completeness, words: string, dialect: Dialect): void {
  if (!dialect.hasTransaction) return;
  if (/^(?:BEGIN TRANSACTION|BEGIN;|START TRANSACTION)/i.test(words)) completeness.isInTransaction = true;
  else if (/^(?:COMMIT|ROLLBACK)/i.test(words)) completeness.isInTransaction = false;
}

/** What is missing at the end of the file; undefined where nothing is. */
export function whatIsMissing(completeness: Completeness): string | undefined {
  if (completeness.dumps > 0) return 'the last line with which such a dump says that it is complete';
  return completeness.isInTransaction ? 'the COMMIT of the transaction that the dump is in' : undefined;
}
