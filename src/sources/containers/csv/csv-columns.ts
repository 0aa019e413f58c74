import type { JsonObject } from '../../../imports/input/json-object.ts';

/** The columns of a CSV file. */
export interface CsvColumns {
  /** By which records name their cells. */
  names: readonly string[];
  hasHeader: boolean;
  /** Records have at least so many cells: all but those at the end whose header is empty. */
  minCells: number;
}

type Cells = readonly (string | null)[];

/** What the CLI of Firebase writes: 28 or 52 columns, one more where the comma at the end of each line counts. */
const FIREBASE_CELLS: ReadonlySet<number> = new Set([28, 29, 52, 53]);

/** @param operatorsWord is the first line a header? */
export function columnsOf(first: Cells, operatorsWord: boolean | undefined): CsvColumns {
  const hasHeader = operatorsWord ?? !looksLikeUser(first);
  if (!hasHeader) return { names: first.map((_, index) => `${index}`), hasHeader, minCells: first.length };
  const names = uniqueNames(first.map((cell) => (cell ?? 'NULL').trim()));
  return { names, hasHeader, minCells: names.findLastIndex((name) => name !== '') + 1 };
}

/** Firebase writes no header, phpMyAdmin none unless asked. A header has no e-mail address in it. */
function looksLikeUser(cells: Cells): boolean {
  if (FIREBASE_CELLS.has(cells.length) && (cells[2] === 'true' || cells[2] === 'false')) return true;
  return cells.some((cell) => cell !== null && looksLikeEmail(cell.trim()));
}

function looksLikeEmail(text: string): boolean {
  const at = text.indexOf('@');
  const dot = text.lastIndexOf('.');
  return at > 0 && dot > at + 1 && dot < text.length - 1 && text.length <= 254 && !/\s/.test(text);
}

/** Parts of values that names of columns do not have: an address, a hash, a number, a date, an id or a boolean. */
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
 * Returns whether the first row is in doubt: it has no address as users have one, but a cell that no header has. A user of the first
 * row would otherwise name the columns of all others.
 */
export function mayBeUser(first: Cells): boolean {
  const end = first.findLastIndex((cell) => cell !== '') + 1;
  return first.slice(0, end).some((cell, index) => {
    if (cell === null) return true;
    const text = cell.trim();
    // Spreadsheets and pandas leave the name of the first column out, or those of the last ones.
    return text === '' ? index > 0 : VALUES.some((value) => value.test(text));
  });
}

/** Of columns with the same name the first keeps it; the others are `name_2`, `name_3`, …. */
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

/** Why these cells are no record of such a file. */
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
 * Makes records of cells, and what there is of one that has too few. Neither is larger than its row: a header of thousands of
 * columns and millions of rows of one cell must not fill the memory.
 */
export function recordMaker({ names }: CsvColumns): {
  makeRecord: MakeRecord;
  makePartial: MakeRecord;
} {
  // A copy of an object has its members already: filling it in is faster than adding them one by one.
  const blank: Record<string, string | null> = Object.fromEntries(names.map((name) => [name, '']));
  const maker =
    (first: Record<string, string | null>): MakeRecord =>
    (cells, count) => {
      const record = { ...first };
      const filled = Math.min(count, names.length);
      for (let index = 0; index < filled; index++) {
        const name = names[index] as string;
        // Assigning to this one would set something else where it is not there yet.
        if (name !== '__proto__' || Object.hasOwn(record, name)) record[name] = cells[index] as string | null;
      }
      return record;
    };
  return { makeRecord: maker(blank), makePartial: maker({}) };
}
