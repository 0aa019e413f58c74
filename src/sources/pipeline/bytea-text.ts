import { isUtf8 } from 'node:buffer';
import { type BadRecord, isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';

const BACKSLASH = 0x5c;
/** A `bytea` value in PostgreSQL's hex format, as in dumps, in CSV and in answers of the server. */
const BYTEA = /^\\x((?:[0-9a-f]{2})+)$/;
const CONTROL = /\p{Cc}/u;

/**
 * Decodes a hash that is stored as `bytea`: `\x2432622431…` is `$2b$1…`. Other bytes are left as they are,
 * because they may be valid text by accident.
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

/**
 * Whether PostgreSQL may have written the table. JSON is mostly written by other systems, so its first
 * records must hold such a hash, as `json_agg` writes it.
 */
export const mayHoldBytea = ({ container, first }: TableHead): boolean =>
  container === 'sql' ||
  container === 'csv' ||
  (container === 'json' && first.some((record) => readBytea(record) !== record));

/** Returns the same object if nothing changes. */
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

export const withByteaRead = (table: TableHead): TableHead =>
  mayHoldBytea(table) ? { ...table, first: table.first.map(readBytea) } : table;
