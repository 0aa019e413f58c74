import { type Beginning, type Look, linesOf } from '../beginning.ts';
import { createLineSplitter } from '../line-splitter.ts';
import { readOneTable } from '../one-table.ts';
import { BadRecord, type Container, type ExportFormat, type SourceRecord } from '../table.ts';

/** A kind of file with one account a line and colons between its fields. */
export interface ColonFile {
  /** What `--format` takes. */
  readonly name: ExportFormat;
  /** As messages call it. */
  readonly title: string;
  /** Names of the fields, as records have them. */
  readonly fields: readonly string[];
  /** What a line should have: `9 fields`. */
  readonly expected: string;
  /** Returns whether the line may be an account. Comments are none. */
  isRow(line: string): boolean;
  /** Returns whether the line looks as the programs that own the file write it. Only used to detect the kind. */
  fits(line: string): boolean;
  /** Tells the kind from others that all lines fit as well. Left out: it needs no more than `fits`. */
  isOurs?(lines: readonly string[]): boolean;
  /** @returns undefined if the line has other fields, or no name */
  read(line: string): SourceRecord | undefined;
}

/** Many times what the longest hash needs. */
const MAX_LINE_CHARS = 65_536;

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The line is longer than 64 KiB.');

/** Returns whether the line is neither blank nor a comment. */
export const isNoComment = (line: string): boolean => line.trim() !== '' && !line.startsWith('#');

/** Returns a reader of such a file. Each line is read by itself: what stands in one never counts for another. */
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

/** Returns how a beginning looks: it fits if every account in it does. */
export const lookAtColonFile =
  (kind: ColonFile) =>
  (beginning: Beginning): Look => {
    const lines = linesOf(beginning);
    const rows = lines.filter((line) => kind.isRow(line));
    const [first] = rows;
    if (first === undefined || !kind.fits(first)) return undefined;
    if (kind.isOurs?.(lines) === false) return undefined;
    const wrong = lines.findIndex((line) => kind.isRow(line) && !kind.fits(line));
    return wrong === -1 ? 'fits' : { but: `line ${wrong + 1} has other fields` };
  };
