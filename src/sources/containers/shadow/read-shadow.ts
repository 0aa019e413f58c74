import { createLineSplitter } from '../line-splitter.ts';
import { readOneTable } from '../one-table.ts';
import { BadRecord, type Container, type SourceRecord } from '../table.ts';

/** Many times what the longest hash needs. */
const MAX_LINE_CHARS = 65_536;

/** The fields of shadow(5), by the names its manual gives them. */
const FIELDS = [
  'name',
  'hash',
  'lastChanged',
  'min',
  'max',
  'warn',
  'inactive',
  'expires',
  'reserved',
] as const;

/** The eighth is the last one that some systems write. */
const MIN_FIELDS = 8;
/** master.passwd of the BSDs: after name and hash its fields are others. */
const BSD_FIELDS = 10;

const tooLong = new BadRecord('RECORD_TOO_LONG', 'The line is longer than 64 KiB.');

/** Reads /etc/shadow. Blank lines, comments and what NIS takes in (`+::::::::`) are no rows. */
export const readShadow: Container = (bytes, _options, wanted) => {
  const splitter = createLineSplitter(MAX_LINE_CHARS);
  return readOneTable(
    'shadow',
    bytes,
    {
      push: (block, isLast) =>
        splitter.push(block, isLast).flatMap((line) => {
          if (line === undefined) return [tooLong];
          return isRow(line) ? [readLine(line)] : [];
        }),
      describe: () => ({ columns: new Set(FIELDS) }),
    },
    wanted,
  );
};

export const isRow = (line: string): boolean => line.trim() !== '' && !/^[#+-]/.test(line);

function readLine(line: string): SourceRecord | BadRecord {
  const cells = line.split(':');
  const [name = '', hash = ''] = cells;
  if (cells.length === BSD_FIELDS) return { name, hash };
  if (cells.length < MIN_FIELDS || cells.length > FIELDS.length || name === '') {
    return new BadRecord(
      'COLUMNS_MISSING',
      `The line has ${cells.length} fields between colons, or no name; /etc/shadow has ${FIELDS.length}.`,
    );
  }
  const [, , lastChanged = '', min = '', max = '', warn = '', inactive = '', expires = '', reserved = ''] =
    cells;
  return { name, hash, lastChanged, min, max, warn, inactive, expires, reserved };
}
