import type { JsonObject } from '../../../lib/json/json-object.ts';

export interface CsvColumns {
  /** The header of the CSV file, or the indexes `0`, `1`, … if there is none. */
  names: readonly string[];
  hasHeader: boolean;
  /** Cells of a CSV record may be missing at its end, in columns whose header is empty. */
  minCells: number;
}

type Cells = readonly (string | null)[];

/** Columns of CSV by the Firebase CLI: 28 or 52, or one more if the comma at the end of each line counts. */
const FIREBASE_CELLS: ReadonlySet<number> = new Set([28, 29, 52, 53]);

/** `operatorsWord`: `--csv-header`, or undefined to detect whether the first CSV row is a header. */
export function columnsOf(first: Cells, operatorsWord: boolean | undefined): CsvColumns {
  const hasHeader = operatorsWord ?? !looksLikeUser(first);
  if (!hasHeader) return { names: first.map((_, index) => `${index}`), hasHeader, minCells: first.length };
  const names = uniqueNames(first.map((cell) => (cell ?? 'NULL').trim()));
  return { names, hasHeader, minCells: names.findLastIndex((name) => name !== '') + 1 };
}

/** Firebase writes no CSV header, and phpMyAdmin only on request. No header has an e-mail address. */
function looksLikeUser(cells: Cells): boolean {
  if (FIREBASE_CELLS.has(cells.length) && (cells[2] === 'true' || cells[2] === 'false')) return true;
  return cells.some((cell) => cell !== null && looksLikeEmail(cell.trim()));
}

function looksLikeEmail(text: string): boolean {
  const at = text.indexOf('@');
  const dot = text.lastIndexOf('.');
  return at > 0 && dot > at + 1 && dot < text.length - 1 && text.length <= 254 && !/\s/.test(text);
}

/** No header of CSV is an address, a hash, a number, a date, an id or a boolean. */
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
 * Returns whether the first row of a CSV file may be a user although it has no e-mail address: a cell is
 * unlike a header. As a header, one user would name the columns of all others.
 */
export function mayBeUser(first: Cells): boolean {
  const end = first.findLastIndex((cell) => cell !== '') + 1;
  return first.slice(0, end).some((cell, index) => {
    if (cell === null) return true;
    const text = cell.trim();
    // Spreadsheets and pandas write CSV headers whose first or last columns have an empty name.
    return text === '' ? index > 0 : VALUES.some((value) => value.test(text));
  });
}

/** Later CSV columns of the same name become `name_2`, `name_3`, … */
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
 * Returns makers of whole records, and of partial records for CSV rows with too few cells. The memory of a
 * partial record is proportional to its row. Otherwise a header of thousands of columns and millions of short
 * rows would fill the memory.
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
        // Assigning a new member named `__proto__` would change the prototype of the record.
        if (name !== '__proto__' || Object.hasOwn(record, name)) record[name] = cells[index] as string | null;
      }
      return record;
    };
  return { makeRecord: maker(blank), makePartial: maker({}) };
}
