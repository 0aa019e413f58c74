import stringWidth from 'string-width';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { CONTROL_CHARACTERS } from '../../lib/text/characters.ts';

const NUMBER = new Intl.NumberFormat('en-US');

/** Formats a number: `1,234,567`. */
export const count = (number: number): string => NUMBER.format(number);

export const counted = (number: number, noun: string): string =>
  `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

const UNITS: [unit: string, bytes: number][] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];

export function bytesText(bytes: number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ['bytes', 1];
  return `${size === 1 ? bytes : (bytes / size).toFixed(1)} ${unit}`;
}

/** Formats a duration: `8 s`, `2 min 5 s`, `1 h 12 min`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

const MAX_TIME_MS = 8.64e15;

/** Formats a time of the service's answer, in milliseconds since the epoch: `2026-01-31 12:00:00 UTC`. */
export const timeText = (ms: unknown): string =>
  typeof ms === 'number' && Math.abs(ms) <= MAX_TIME_MS
    ? `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : '';

interface ColumnOptions {
  indent?: string;
  /** Whether the first row names the columns. */
  hasHead?: boolean;
}

/** Aligns table cells in columns. Columns that hold only numbers are aligned to the right. */
export function columns(
  rows: readonly (readonly string[])[],
  { indent = '  ', hasHead = false }: ColumnOptions = {},
): string[] {
  const widths: number[] = [];
  const isNumber: boolean[] = [];
  const most = Math.max(0, ...rows.map((row) => row.length));
  for (const [place, row] of rows.entries()) {
    const isHead = hasHead && place === 0;
    // The last cell of a short row may extend over the columns to its right.
    for (const [index, cell] of row.slice(0, row.length < most ? -1 : undefined).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, stringWidth(cell));
      isNumber[index] = (isNumber[index] ?? true) && (isHead || /^[\d,]*$/.test(cell));
    }
  }
  const pad = (cell: string, index: number) => {
    const spaces = ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(cell)));
    return isNumber[index] ? spaces + cell : cell + spaces;
  };
  return rows.map((row) => (indent + row.map(pad).join('  ')).trimEnd());
}

/**
 * Returns the parts as one list of lines. Parts that are false or undefined are left out, so `condition && line` may be
 * a part.
 */
export const linesOf = (...parts: readonly (readonly string[] | string | false | undefined)[]): string[] =>
  parts.flatMap((part) => (part === false || part === undefined ? [] : part));

/** Returns a table with a heading, and nothing if it has no rows. */
export const section = (title: string, rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : ['', title, ...columns(rows)];

/** Returns a table whose first row names the columns, and nothing if it has no other rows. */
export const table = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  indent = '  ',
): string[] => (rows.length === 0 ? [] : columns([head, ...rows], { indent, hasHead: true }));

/** Returns a string or number of the service's answer as printable text, and '' for anything else. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' ? printable(value) : typeof value === 'number' ? count(value) : '';

/** Returns a row of cells for each object of the service's answer. The cells are the values of these members. */
export const rowsOf = (objects: readonly JsonObject[], members: readonly string[]): string[][] =>
  objects.map((one) => members.map((member) => wordOf(one[member])));

/** Returns the numbers of an object of the service's answer, by name. */
export const numbersIn = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {})
      .filter(([, number]) => !Array.isArray(number))
      .map(([name, number]) => [printable(name), Number(number)]),
  );

/** Replaces control characters, which a terminal would interpret, with spaces. */
export const printable = (text: string): string => text.replace(CONTROL_CHARACTERS, ' ');

export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Escapes control characters in JSON text. `JSON.stringify` leaves some of them as they are. */
export const printableJson = (json: string): string =>
  json.replace(CONTROL_CHARACTERS, (char) =>
    char === '\n' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
