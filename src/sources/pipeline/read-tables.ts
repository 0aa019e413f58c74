import { isUtf8 } from 'node:buffer';
import { type BadRecord, isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import type { Plan, Survey, TableUse } from './plan.ts';

/** Records of a table that the plan uses, in the order of the file. */
export interface UsedBatch {
  survey: Survey;
  use: TableUse;
  /** The table as the survey found it, with its complete `root`. All batches have the same object. */
  table: TableHead;
  /** Number of the first record within its table, from 1. */
  firstRow: number;
  records: readonly (SourceRecord | BadRecord)[];
}

/** Reads the tables of the plan, file by file. */
export async function* readTables(
  { surveys, uses }: Plan,
  signal: AbortSignal | undefined,
): AsyncGenerator<UsedBatch> {
  for (const survey of surveys) {
    const used = new Map(survey.tables.filter((one) => uses.has(one)).map((one) => [one.name, one]));
    if (used.size === 0) continue;
    for await (const { table: head, firstRow, records } of survey.read(({ name }) => used.has(name))) {
      signal?.throwIfAborted();
      const table = used.get(head.name);
      const use = table && uses.get(table);
      if (table === undefined || use === undefined) continue;
      // `table.first` would not show whether there is `bytea`: it was decoded when the plan was made.
      yield {
        ...{ survey, use, table, firstRow },
        records: mayHoldBytea(head) ? records.map(readBytea) : records,
      };
    }
  }
}

const BACKSLASH = 0x5c;
/** A `bytea` value in PostgreSQL's hex format, as in dumps, in CSV and in answers of the server. */
const BYTEA = /^\\x((?:[0-9a-f]{2})+)$/;
const CONTROL = /\p{Cc}/u;

/**
 * Decodes a hash that is stored as `bytea`: `\x2432622431…` is `$2b$1…`. Returns undefined if the bytes are not the
 * text of a hash, even if they are valid UTF-8, which they may be by accident.
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
 * Whether PostgreSQL may have written the table. JSON is mostly written by other systems, so one of its first
 * records must hold a hash that is stored as `bytea`, as `json_agg` writes it.
 */
export const mayHoldBytea = ({ container, first }: TableHead): boolean =>
  container === 'sql' ||
  container === 'csv' ||
  (container === 'json' && first.some((record) => readBytea(record) !== record));

/** Decodes the hashes of a record that are stored as `bytea`. Returns the same object if there are none. */
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
