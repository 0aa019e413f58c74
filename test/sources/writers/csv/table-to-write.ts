import {
  CSV_WRITERS,
  type CsvWriter,
  type CsvWriterName,
} from '../../../../src/sources/containers/csv/csv-writers.ts';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import type { Random } from '../../../support/random.ts';
import { COLUMNS, type HostileRow } from '../hostile-rows.ts';

/** Rows as lists of cells, with or without a header. */
export interface TableToWrite {
  /** The header, if there is one, and the body. */
  cells: string[][];
  hasHeader: boolean;
  /** Names of the columns. Without a header, only databases need them. */
  names: readonly string[];
  body: string[][];
  how: string;
  options: ReadOptions;
  written: { rows: Record<string, unknown>[] };
}

/** Names of further columns, as in a custom schema. */
const ODD_NAMES = ['full name', 'a;b', 'x"y', "it's", 'two\nlines', '#', 'a|b', 'back\\slash', 'émile'];

/** @param hasHeader chosen at random if undefined */
export function tableToWrite(
  rows: readonly HostileRow[],
  random: Random,
  hasHeader: boolean = random.chance(0.7),
): TableToWrite {
  const extra = hasHeader && random.chance(0.2) ? random.one(ODD_NAMES) : undefined;
  const names: string[] = extra === undefined ? [...COLUMNS] : [...COLUMNS, extra];
  const order = random.chance(0.5) ? names : [...names].sort(() => random.below(3) - 1);
  const count = random.chance(0.2) ? 1 : rows.length;
  const chosen = rows.slice(0, count);
  const body = chosen.map((row) =>
    order.map((name) => (name === extra ? 'z' : notNull(row[name as keyof HostileRow]))),
  );
  const keys = hasHeader ? order : order.map((_, index) => `${index}`);
  return {
    cells: hasHeader ? [order, ...body] : body,
    hasHeader,
    names: hasHeader ? order : order.map((_, index) => `c${index}`),
    body,
    how: `${hasHeader ? 'header' : 'no header'} ${order.join()}`,
    options: hasHeader ? {} : { columns: keys },
    written: {
      rows: body.map((cells) => Object.fromEntries(cells.map((cell, index) => [keys[index] ?? '', cell]))),
    },
  };
}

/** Unquoted, these words mean null, whatever somebody typed. */
const notNull = (cell: string) => (cell === 'NULL' || cell === '\\N' ? `${cell} ` : cell);

/** Names by delimiter of the writers that double quotes. */
const DOUBLING: Readonly<Record<string, CsvWriterName>> = {
  ',': 'rfc4180',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
};

/**
 * Returns what an operator can say about how a file was written: nothing about odd quotes and delimiters.
 * @param escaping as in `CsvWriter`
 */
export function toldWriter(
  quote: string,
  delimiter: string,
  escaping: CsvWriter['escaping'],
): Pick<ReadOptions, 'csv'> {
  const csv = escaping === 'doubled' ? DOUBLING[delimiter] : escaping;
  const isKnown = csv !== undefined && CSV_WRITERS[csv].delimiters.includes(delimiter);
  return quote === '"' && isKnown ? { csv } : {};
}

export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'latin1';

export function oddEncoding(random: Random, { cells }: TableToWrite): Encoding {
  const encoding = random.one(['utf-8', 'utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'latin1'] as const);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of Latin-1, in which control characters of windows-1252 have no place
  const isLatin1 = cells.flat().every((cell) => /^[\x00-\x7f\xa0-\xff]*$/.test(cell));
  return encoding === 'latin1' && !isLatin1 ? 'utf-8' : encoding;
}

/** Converts UTF-8 to another encoding, as `iconv` does. */
export function encode(
  bytes: Buffer,
  encoding: Encoding,
  options: ReadOptions,
): { bytes: Buffer; options: ReadOptions } {
  if (encoding === 'utf-8') return { bytes, options };
  if (encoding === 'utf-8-bom') return { bytes: Buffer.concat([Buffer.from('\ufeff'), bytes]), options };
  if (encoding === 'latin1')
    return { bytes: Buffer.from(bytes.toString(), 'latin1'), options: { ...options, encoding: 'latin1' } };
  const units = Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le');
  return { bytes: encoding === 'utf-16le' ? units : units.swap16(), options };
}
