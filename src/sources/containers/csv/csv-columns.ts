import type { JsonObject } from '../../../lib/json/json-object.ts';
import { FileProblem, type ToldColumns } from '../table.ts';

export interface CsvColumns {
  /** Without a header, as in Firebase's CSV: the indexes `0`, `1`, … */
  names: readonly string[];
  /** Whether the first row names the columns. */
  hasHeader: boolean;
  /** Whether the file has neither a header nor columns that the operator named. */
  areNumbered: boolean;
}

type Cells = readonly (string | null)[];

/** @throws {FileProblem} if the first row may be a user, and the operator did not say what it is */
export function columnsOf(first: Cells, told: ToldColumns | undefined): CsvColumns {
  if (Array.isArray(told)) return { names: told, hasHeader: false, areNumbered: false };
  if (told === undefined && isOfFirebase(first))
    return { names: first.map((_, index) => `${index}`), hasHeader: false, areNumbered: true };
  if (told === undefined && mayBeUser(first))
    throw new FileProblem(
      'FILE_INVALID',
      'The first row of the CSV file may be a user and not a header: it has cells that look like values (an address, a number, a ' +
        'date, a hash, nothing). If there is no header, name the columns: --columns id,email,hash (one name for each cell). ' +
        'If the row is the header: --columns header.',
    );
  return {
    names: uniqueNames(first.map((cell) => (cell ?? 'NULL').trim())),
    hasHeader: true,
    areNumbered: false,
  };
}

/** Cells in CSV of the Firebase CLI: 28 or 52, or one more with the comma at the end of each line. */
const FIREBASE_CELLS: ReadonlySet<number> = new Set([28, 29, 52, 53]);

/** Firebase writes no header. The third column says whether an address is verified. */
const isOfFirebase = (cells: Cells) =>
  FIREBASE_CELLS.has(cells.length) && (cells[2] === 'true' || cells[2] === 'false');

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

/** Returns whether the first row may be a user. Taken for a header, it would name the columns of all other users. */
function mayBeUser(first: Cells): boolean {
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

/** Returns a function that makes records of cells, one cell for each column. */
export function recordMaker({ names }: CsvColumns): (cells: Cells) => JsonObject {
  // Copying a record that already has all columns is faster than adding the columns one by one. A column may be
  // called `__proto__`.
  const blank: Record<string, string | null> = Object.fromEntries(names.map((name) => [name, '']));
  return (cells) => {
    const record = { ...blank };
    for (let index = 0; index < names.length; index++)
      record[names[index] as string] = cells[index] as string | null;
    return record;
  };
}
