import { isUtf8 } from 'node:buffer';
import { type BadRecord, isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';

const BACKSLASH = 0x5c;
/** `bytea` as PostgreSQL writes it: in dumps, CSV and over the wire. */
const BYTEA = /^\\x((?:[0-9a-f]{2})+)$/;
const CONTROL = /\p{Cc}/u;

/**
 * The hash that a text of `bytea` stands for: `\x2432622431…` is `$2b$1…`. Undefined where the text is none, or its bytes are no
 * hash that is written as text: bytes that only happen to be text stay as they are.
 */
export function hashInBytea(text: string): string | undefined {
  if (text.charCodeAt(0) !== BACKSLASH) return undefined;
  const digits = BYTEA.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const bytes = Buffer.from(digits, 'hex');
  if (!isUtf8(bytes)) return undefined;
  const decoded = bytes.toString();
  return !CONTROL.test(decoded) && looksLikeHash(decoded) ? decoded : undefined;
}

/** JSON and the files of directories are not written by PostgreSQL. */
export const mayHoldBytea = ({ container }: TableHead) => container === 'sql' || container === 'csv';

/** The record with hashes in `bytea` as text; the same object where there are none, or where it could not be read. */
export function readBytea<One extends SourceRecord | BadRecord>(record: One): One {
  if (isBadRecord(record)) return record;
  let copy: Record<string, unknown> | undefined;
  for (const name in record) {
    const value: unknown = record[name];
    if (typeof value !== 'string' || value.charCodeAt(0) !== BACKSLASH) continue;
    const hash = hashInBytea(value);
    if (hash === undefined) continue;
    copy ??= { ...record };
    copy[name] = hash;
  }
  return (copy as One | undefined) ?? record;
}

/** The table with its first records read likewise. */
export const withByteaRead = (table: TableHead): TableHead =>
  mayHoldBytea(table) ? { ...table, first: table.first.map(readBytea) } : table;
