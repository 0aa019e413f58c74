import { FileProblem } from '../table.ts';

/** Binary database dumps and files: their magic numbers, and the commands that convert them to SQL. */
const BINARIES: readonly (readonly [magic: string, message: string])[] = [
  [
    'PGDMP',
    'This is a dump in the custom format of pg_dump. Convert it to SQL with: pg_restore -f dump.sql FILE',
  ],
  [
    'toc.dat\0',
    'This is a dump in the tar format of pg_dump. Convert it to SQL with: pg_restore -f dump.sql FILE',
  ],
  ['SQLite format 3\0', 'This is a SQLite database. Convert it to SQL with: sqlite3 FILE .dump > dump.sql'],
];

const messageFor = (head: Buffer): string | undefined =>
  BINARIES.find(([magic]) => head.subarray(0, magic.length).equals(Buffer.from(magic, 'latin1')))?.[1];

export const isBinaryDump = (head: Buffer): boolean => messageFor(head) !== undefined;

/** @throws FileProblem FILE_INVALID, with the command that converts a binary dump or database to SQL */
export function refuseBinary(head: Buffer): void {
  const message = messageFor(head);
  if (message !== undefined) throw new FileProblem('FILE_INVALID', message);
}
