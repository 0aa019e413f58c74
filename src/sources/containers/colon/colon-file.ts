import { type Beginning, type KindMatch, linesOf } from '../beginning.ts';
import { createLineSplitter } from '../line-splitter.ts';
import { readOneTable } from '../one-table.ts';
import { BadRecord, type Container, type ExportFormat, type SourceRecord } from '../table.ts';

/** Kind of export file that has one account per line and colons between the fields, such as `/etc/shadow`. */
export interface ColonFile {
  readonly name: ExportFormat;
  readonly title: string;
  readonly fields: readonly string[];
  /** Number of fields for error messages, such as `2 to 8`. */
  readonly expected: string;
  isRow(line: string): boolean;
  /** Used only to detect the kind of a file: whether programs write such lines into it. */
  fits(line: string): boolean;
  /**
   * Tells lines that fit this kind of file from similar lines of another kind, if `fits` is not sufficient.
   */
  isOurs?(lines: readonly string[]): boolean;
  /** Returns undefined if the number of fields is wrong for this kind of file, or if the name is empty. */
  read(line: string): SourceRecord | undefined;
}

/** Matches the line of an account with a hash, rather than only a placeholder such as `!`, `*` or `x`. */
export const HASH_LINE = /^[^:]+:[!*]*[^!*x:]/;

/**
 * Returns the cells of a line by the names of their fields. Returns undefined if their number is wrong, or if the
 * first one, the name of the account, is empty.
 */
export function recordOf(fields: readonly string[], cells: readonly string[]): SourceRecord | undefined {
  if (cells.length !== fields.length || cells[0] === '') return undefined;
  return Object.fromEntries(fields.map((field, index) => [field, cells[index]]));
}

/** Many times longer than a line with the longest hash. */
const MAX_LINE_CHARS = 65_536;

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The line is longer than 64 KiB.');

export const isNoComment = (line: string): boolean => line.trim() !== '' && !line.startsWith('#');

/** Reads lines of a file with colons independently: a bad line never affects the next one. */
export const colonContainer =
  (kind: ColonFile): Container =>
  (bytes, _options, wanted) => {
    const splitter = createLineSplitter(MAX_LINE_CHARS);
    return readOneTable(
      kind.name,
      bytes,
      {
        push: (block, isLast) =>
          splitter.push(block, isLast).flatMap((line) => {
            if (line === undefined) return [tooLong];
            return kind.isRow(line) ? [kind.read(line) ?? wrongFields(kind, line)] : [];
          }),
        describe: () => ({ columns: new Set(kind.fields) }),
      },
      wanted,
    );
  };

function wrongFields({ title, expected }: ColonFile, line: string): BadRecord {
  const count = line.split(':').length;
  return new BadRecord(
    'COLUMNS_MISSING',
    `The line has ${count} fields between colons, or no name; ${title} has ${expected}.`,
  );
}

/** The beginning of a file with colons fits if every account in it fits. */
export const matchColonFile =
  (kind: ColonFile) =>
  (beginning: Beginning): KindMatch => {
    const lines = linesOf(beginning);
    const rows = lines.filter((line) => kind.isRow(line));
    const [first] = rows;
    if (first === undefined || !kind.fits(first)) return undefined;
    if (kind.isOurs?.(lines) === false) return undefined;
    const wrong = lines.findIndex((line) => kind.isRow(line) && !kind.fits(line));
    return wrong === -1 ? 'fits' : { but: `line ${wrong + 1} has other fields` };
  };
