import type { JsonObject } from '../../../lib/json/json-object.ts';

/** Columns of a CSV file, as its first row shows them. */
export interface CsvColumns {
  /** Column names of the CSV records: the header, or the indexes `0`, `1`, … if there is none. */
  names: readonly string[];
  hasHeader: boolean;
  /** Minimum number of cells of a CSV record. Columns at the end that have an empty header may be missing. */
  minCells: number;
}

type Cells = readonly (string | null)[];

/**
 * Numbers of columns of a CSV file written by the Firebase CLI: 28 or 52, or one more if the comma at the end
 * of each line counts as a delimiter.
 */
const FIREBASE_CELLS: ReadonlySet<number> = new Set([28, 29, 52, 53]);

/**
 * Returns the columns of a CSV file by its first row.
 * @param operatorsWord `--csv-header`: whether the first line is a header. Undefined to detect it
 */
export function columnsOf(first: Cells, operatorsWord: boolean | undefined): CsvColumns {
  const hasHeader = operatorsWord ?? !looksLikeUser(first);
  if (!hasHeader) return { names: first.map((_, index) => `${index}`), hasHeader, minCells: first.length };
  const names = uniqueNames(first.map((cell) => (cell ?? 'NULL').trim()));
  return { names, hasHeader, minCells: names.findLastIndex((name) => name !== '') + 1 };
}

/**
 * Returns whether the first row of a CSV file is a user and not a header. Firebase writes no header, and
 * phpMyAdmin writes one only on request. A header never contains an e-mail address.
 */
function looksLikeUser(cells: Cells): boolean {
  if (FIREBASE_CELLS.has(cells.length) && (cells[2] === 'true' || cells[2] === 'false')) return true;
  return cells.some((cell) => cell !== null && looksLikeEmail(cell.trim()));
}

function looksLikeEmail(text: string): boolean {
  const at = text.indexOf('@');
  const dot = text.lastIndexOf('.');
  return at > 0 && dot > at + 1 && dot < text.length - 1 && text.length <= 254 && !/\s/.test(text);
}

/**
 * Patterns that column names of a CSV file never match: an address, a hash, a number, a date, an id or a
 * boolean.
 */
const VALUES = [
  /[^@]@[^@]/,
  /^\$[a-z0-9_-]+\$/i,
  /^\{[a-z0-9_-]+\}./i,
  /^[+-]?\d[\d\s.:,/+-]*$/,
  /^\d{4}-\d{2}-\d{2}/,
  /^(?:[0-9a-f]{16,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+)$/i,
  /(?=\S*\d)[A-Za-z0-9+/=.$]{40}/,
  /^(?:true|false|t|f)$/i,
];

/**
 * Returns whether the first row of a CSV file may be a user although it has no e-mail address, because it has
 * a cell that no header would have. If such a row were taken for a header, one user would name the columns of
 * all others.
 */
export function mayBeUser(first: Cells): boolean {
  const end = first.findLastIndex((cell) => cell !== '') + 1;
  return first.slice(0, end).some((cell, index) => {
    if (cell === null) return true;
    const text = cell.trim();
    // The first column and the last columns of a CSV file may have an empty name, because spreadsheets and
    // pandas write such headers.
    return text === '' ? index > 0 : VALUES.some((value) => value.test(text));
  });
}

/**
 * Makes column names unique: the first column keeps its name, later ones with the same name become `name_2`,
 * `name_3`, …
 */
function uniqueNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const taken = new Map<string, number>();
  return names.map((name) => {
    const times = (taken.get(name) ?? 0) + 1;
    taken.set(name, times);
    if (times === 1) return name;
    let number = times;
    while (given.has(`${name}_${number}`)) number++;
    taken.set(name, number);
    given.add(`${name}_${number}`);
    return `${name}_${number}`;
  });
}

/** Returns why the cells of a row cannot be a record of the CSV file, or undefined if they can. */
export function cellsProblem(
  cells: Cells,
  count: number,
  { names, minCells }: CsvColumns,
): string | undefined {
  const surplus =
    count > names.length && cells.slice(names.length, count).some((cell) => cell !== '' && cell !== null);
  if (count >= minCells && !surplus) return undefined;
  return `The row has ${count} ${count === 1 ? 'cell' : 'cells'}, ${
    count < minCells ? 'fewer' : 'more'
  } than the ${names.length} columns of the file.`;
}

type MakeRecord = (cells: Cells, count: number) => JsonObject;

/**
 * Returns two functions: one makes a record of a CSV row, the other a partial record of a row with too few
 * cells. The memory of a partial record is proportional to its row. Otherwise a header of thousands of
 * columns and millions of short rows would fill the memory.
 */
export function recordMaker({ names }: CsvColumns): {
  makeRecord: MakeRecord;
  makePartial: MakeRecord;
} {
  // Copying a record that already has all columns is faster than adding the columns one by one.
  const blank: Record<string, string | null> = Object.fromEntries(names.map((name) => [name, '']));
  const maker =
    (first: Record<string, string | null>): MakeRecord =>
    (cells, count) => {
      const record = { ...first };
      const filled = Math.min(count, names.length);
      for (let index = 0; index < filled; index++) {
        const name = names[index] as string;
        // A column may be named `__proto__`. Unless the record has a member of this name, assigning it would
        // change the prototype.
        if (name !== '__proto__' || Object.hasOwn(record, name)) record[name] = cells[index] as string | null;
      }
      return record;
    };
  return { makeRecord: maker(blank), makePartial: maker({}) };
}
