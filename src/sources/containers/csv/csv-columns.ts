import type { JsonObject } from '../../../lib/json/json-object.ts';
import { invalidFile, type ToldColumns } from '../table.ts';

export interface CsvColumns {
  /** Names of the columns. If nothing names them, as in Firebase's CSV: the indexes `0`, `1`, … */
  names: readonly string[];
  /** Whether the first row names the columns. */
  hasHeader: boolean;
  /** Whether the file has neither a header nor columns that the operator named. */
  areNumbered: boolean;
}

type Cells = readonly (string | null)[];

/**
 * Returns the columns as the operator named them, or as the first row names them.
 * @throws {FileProblem} if the first row may be a user, and the operator did not say what it is
 */
export function columnsOf(first: Cells, told: ToldColumns | undefined): CsvColumns {
  if (Array.isArray(told)) return { names: told, hasHeader: false, areNumbered: false };
  if (told === undefined && isOfFirebase(first))
    return { names: first.map((_, index) => `${index}`), hasHeader: false, areNumbered: true };
  if (told === undefined && mayBeUser(first))
    throw invalidFile(
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

/** Cells that cannot be names of columns: addresses, hashes, numbers, dates, ids and booleans. */
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

/** Returns whether the first row may be a user. As a header, it would name the columns after the cells of this user. */
function mayBeUser(first: Cells): boolean {
  const end = first.findLastIndex((cell) => cell !== '') + 1;
  return first.slice(0, end).some((cell, index) => {
    if (cell === null) return true;
    const text = cell.trim();
    // Spreadsheets and pandas write CSV headers whose first or last columns have an empty name.
    return text === '' ? index > 0 : VALUES.some((value) => value.test(text));
  });
}

/** Makes the names of CSV columns unique: later columns of the same name become `name_2`, `name_3`, … */
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

/** Returns a function that makes a record from the cells of a row, which must have a cell for each column. */
export function recordMaker({ names }: CsvColumns): (cells: Cells) => JsonObject {
  // Copying a record that already has all columns is faster than adding the columns one by one. `fromEntries` also
  // makes a column that is called `__proto__`.
  const blank: Record<string, string | null> = Object.fromEntries(names.map((name) => [name, '']));
  return (cells) => {
    const record = { ...blank };
    for (let index = 0; index < names.length; index++)
      record[names[index] as string] = cells[index] as string | null;
    return record;
  };
}

/**
 * Characters, besides `"`, that somebody might configure as quotes of CSV. No hash or number begins with one of them.
 */
const POSSIBLE_QUOTES = "'`~^|@#%&*!";
/** Characters that may precede and follow a cell: delimiters and line ends. */
const BETWEEN_CELLS = ',;\t|\r\n';
/** Characters that a program with backslash escapes may escape, in quoted cells and in unquoted ones. */
const MAY_BE_ESCAPED = {
  quoted: `\\"\r\n0${BETWEEN_CELLS}${POSSIBLE_QUOTES}`,
  unquoted: `\\"\r\n0bfnrtvNZ${BETWEEN_CELLS}${POSSIBLE_QUOTES}`,
};

/**
 * Finds signs that a CSV file may not be written as RFC 4180. Users cannot produce or hide these signs by their
 * cells.
 * - Cells may be in quotes other than `"`, and may then have line breaks that look like new rows. A character at the
 *   beginning of a cell may be such a quote only if the next one ends the cell, is doubled, or follows a backslash.
 * - Backslashes may be escapes. They are not if one is before an ordinary character: a program that escapes doubles
 *   the backslashes of users, and never puts one there.
 */
export class CsvDoubts {
  /** Possible quotes of which it is not known whether they are quotes in this CSV file. */
  #undecided = POSSIBLE_QUOTES;
  /** Possible quotes that begin a cell, and whose next occurrence is in a later block; with the text after them. */
  readonly #open = new Map<string, string>();
  /** Last character before the block. At the beginning of the file, a line end. */
  #last = '\n';
  /**
   * Length of the header and first row, in which a program that quotes every cell can be recognised. 0 in later
   * blocks.
   */
  #firstRows: number | undefined;
  #areEscapes: 'never' | 'maybe' | undefined;

  /**
   * Returns whether this block shows that cells of the CSV file are in quotes other than `"`. Text within `"` is
   * searched as well, because for a writer with other quotes, `"` is an ordinary character.
   */
  hasOtherQuotes(block: string, isLast: boolean): boolean {
    const open = [...this.#open];
    this.#open.clear();
    if (open.some(([char, before]) => this.#isQuote(char, before + block, isLast, false))) return true;
    const text = this.#last + block;
    this.#last = text.slice(-1);
    const firstRows = this.#firstRows ?? endOfSecondLine(text);
    this.#firstRows = 0;
    if (this.#undecided === '') return false;
    const beginning = new RegExp(`[,;\\t|\\r\\n]([${this.#undecided.replace('^', '\\^')}])`, 'g');
    for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
      const [, char = ''] = found;
      if (!this.#undecided.includes(char) || this.#open.has(char)) continue;
      if (this.#isQuote(char, text.slice(found.index + 2), isLast, found.index < firstRows)) return true;
    }
    return false;
  }

  /** @param text the text after a possible quote at the beginning of a cell */
  #isQuote(char: string, text: string, isLast: boolean, isFirst: boolean): boolean {
    const found = text.indexOf(char);
    if (!isLast && (found === -1 || found + 1 === text.length)) {
      // A cell that does not end in the block needs its quotes: the line break, which stands for its text, shows that.
      this.#open.set(char, found === -1 ? `\n${text.slice(-1)}` : text);
      return false;
    }
    const [before, after] = [text.charAt(found - 1), text.charAt(found + 1)];
    if (found === -1 || (before !== '\\' && after !== char && !BETWEEN_CELLS.includes(after))) {
      this.#undecided = this.#undecided.replace(char, '');
      return false;
    }
    // After the first rows, quotes around a cell that needs none prove nothing: a program that quotes every cell has
    // been recognised in the first rows.
    const isPlain = before !== '\\' && after !== char && !/[,;\t|\r\n"\\]/.test(text.slice(0, found));
    return isFirst || !isPlain;
  }

  noteBackslashes(cell: string, where: keyof typeof MAY_BE_ESCAPED): void {
    if (this.#areEscapes === 'never') return;
    for (const [, char = ''] of cell.matchAll(/\\([\s\S])/g))
      if (!MAY_BE_ESCAPED[where].includes(char)) this.#areEscapes = 'never';
    this.#areEscapes ??= 'maybe';
  }

  /** Whether backslashes may be escapes, by all cells so far. */
  get mayEscape(): boolean {
    return this.#areEscapes === 'maybe';
  }
}

function endOfSecondLine(text: string): number {
  const lines = /^\s*[^\r\n]*\r?\n?[^\r\n]*/.exec(text);
  return lines?.[0].length ?? 0;
}
