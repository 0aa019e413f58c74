import { type Beginning, type KindMatch, linesOf } from '../beginning.ts';
import { createLineSplitter } from '../line-splitter.ts';
import { readOneTable } from '../one-table.ts';
import { BadRecord, type Container, type ExportFormat, type SourceRecord } from '../table.ts';

/** Kind of export file that has one account per line and colons between the fields, such as `/etc/shadow`. */
export interface ColonFile {
  /** Value of the flag `--format` that selects this kind of file. */
  readonly name: ExportFormat;
  /** Name of the kind of file in messages. */
  readonly title: string;
  /** Names of the fields of a line, used as the column names of records. */
  readonly fields: readonly string[];
  /** Number of fields that a line of this kind of file should have, for error messages, such as `2 to 8`. */
  readonly expected: string;
  /** Returns whether the line is an account, rather than a comment, for example. */
  isRow(line: string): boolean;
  /**
   * Returns whether the line has the form that programs write into this kind of file. Used only to detect the
   * kind of a file.
   */
  fits(line: string): boolean;
  /**
   * Returns whether lines that fit this kind of file belong to it, and not to another kind with similar
   * lines. Omit it if `fits` is sufficient.
   */
  isOurs?(lines: readonly string[]): boolean;
  /**
   * Splits the line of an account into its fields.
   * @returns undefined if the line has the wrong number of fields for this kind of file, or an empty name
   */
  read(line: string): SourceRecord | undefined;
}

/** Maximum length of an account's line, many times longer than the longest hash needs. */
const MAX_LINE_CHARS = 65_536;

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The line is longer than 64 KiB.');

/** Returns whether the line is an account, because it is neither blank nor a comment. */
export const isNoComment = (line: string): boolean => line.trim() !== '' && !line.startsWith('#');

/**
 * Returns the reader for this kind of file. Lines are read independently: a bad line never affects the next
 * one.
 */
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

/** Returns the detector for this kind of file. The beginning of a file fits if every account in it fits. */
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
