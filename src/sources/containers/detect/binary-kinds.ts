import { isUtf8 } from 'node:buffer';

/** A kind of file that cannot be imported, how to recognise it, and what the operator should do. */
interface BinaryKind {
  /** Magic number of the file kind, one character per byte, at offset `at`. */
  magic: string;
  at?: number;
  /** A text file may contain the magic number, too, so a zero byte must come before it. */
  followsZero?: true;
  advice: string;
}

const zip =
  'a zip archive (an Excel or LibreOffice file is one, too). Unzip it, or save the sheet as CSV (UTF-8)';

const KINDS: readonly BinaryKind[] = [
  {
    magic: 'PGDMP\x01',
    advice: 'a pg_dump in custom format. Convert it to SQL: pg_restore -f dump.sql FILE',
  },
  {
    magic: 'PGCOPY\n\xff\r\n\0',
    advice:
      "what COPY writes in binary format. Export CSV instead: \\copy (select …) to 'users.csv' csv header",
  },
  { magic: 'PK\x03\x04', advice: zip },
  { magic: 'PK\x05\x06', advice: zip },
  { magic: 'SQLite format 3\0', advice: 'an SQLite database. Dump it: sqlite3 FILE .dump > dump.sql' },
  ...[...'123456789'].map((level) => ({
    magic: `BZh${level}1AY&SY`,
    advice: 'packed with bzip2. Unpack it: bunzip2 FILE',
  })),
  { magic: '\xfd7zXZ\0', advice: 'packed with xz. Unpack it: unxz FILE' },
  { magic: '\x28\xb5\x2f\xfd', advice: 'packed with zstd. Unpack it: unzstd FILE' },
  { magic: '7z\xbc\xaf\x27\x1c', advice: 'a 7-Zip archive. Unpack it: 7z x FILE' },
  { magic: 'Rar!\x1a\x07', advice: 'a RAR archive. Unpack it: unrar x FILE' },
  {
    magic: 'ustar',
    at: 257,
    followsZero: true,
    advice:
      'a tar archive (pg_dump -Ft makes one, too). Unpack it: tar xf FILE; or pg_restore -f dump.sql FILE',
  },
  { magic: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', advice: 'an old Excel file. Save the sheet as CSV (UTF-8)' },
  { magic: 'PAR1\x15', advice: 'a Parquet file. Export CSV or JSON lines instead' },
  { magic: '%PDF-', advice: 'a PDF. Export CSV or JSON instead' },
  {
    magic: 'TAPE\0\0',
    advice: 'a backup of SQL Server. Restore it, and generate a script with data, or export CSV',
  },
  { magic: '\0\x01\0\0Standard ', advice: 'an Access database. Export its table of users as CSV' },
];

const PGP = 'encrypted with PGP. Decrypt it: gpg --decrypt FILE > export.json';

export function binaryAdvice(head: Buffer): string | undefined {
  const kind = KINDS.find(
    ({ magic, at = 0, followsZero }) =>
      head.toString('latin1', at, at + magic.length) === magic &&
      (followsZero !== true || head.subarray(0, at).includes(0)),
  );
  if (kind !== undefined) return kind.advice;
  if (isPgp(head)) return PGP;
  if (isBson(head))
    return 'BSON, as mongodump writes it. Convert it to JSON: bsondump FILE > users.json; or use mongoexport';
  return undefined;
}

/**
 * A PGP message is an ASCII armour, or a binary packet with a session key. In the packet, the version follows
 * the length, which has one to three bytes (RFC 9580, sections 4.2, 5.1 and 5.3).
 */
function isPgp(head: Buffer): boolean {
  if (/^\s*-----BEGIN PGP MESSAGE-----\s*?$/m.test(head.toString('latin1', 0, 64))) return true;
  if (isUtf8(head)) return false;
  const [tag = 0] = head;
  if (tag === 0x84 || tag === 0xc1 || tag === 0x85) {
    return head[2] === 3 || head[3] === 3 || head[2] === 6 || head[3] === 6;
  }
  return (tag === 0x8c || tag === 0xc3) && (head[2] === 4 || head[2] === 6);
}

/** A BSON document starts with its length, the type of its first member, and the member's name. */
function isBson(head: Buffer): boolean {
  if (head.length < 9) return false;
  return [1, 2, 3, 7, 16, 18].includes(head[4] ?? 0) && head.toString('latin1', 5, 9) === '_id\0';
}
