import { type Beginning, EXPORT_FORMATS, linesOf } from './table.ts';

const ZIP =
  'a zip archive (an Excel or LibreOffice file is one, too). Unzip it, or save the sheet as CSV (UTF-8)';
const TAR =
  'a tar archive (pg_dump -Ft makes one, too). Unpack it: tar xf FILE; or pg_restore -f dump.sql FILE';
const BSON =
  'BSON, as mongodump writes it. Convert it to JSON: bsondump FILE > users.json; or use mongoexport';
const PGP = 'encrypted with PGP. Decrypt it: gpg --decrypt FILE > export.json';

/**
 * Beginnings of files that cannot be imported, as patterns with one character per byte, each with advice for the
 * operator. A binary PGP packet with a session key begins with bytes that no UTF-8 text begins with. The version of the
 * packet follows its length, which has one to three bytes (RFC 9580, sections 4.2, 5.1 and 5.3).
 */
const BINARY_KINDS = [
  [String.raw`PGDMP\x01`, 'a pg_dump in custom format. Convert it to SQL: pg_restore -f dump.sql FILE'],
  [String.raw`PGCOPY\n\xff\r\n\0`, "a binary COPY. Export CSV: \\copy (select …) to 'users.csv' csv header"],
  [String.raw`PK(?:\x03\x04|\x05\x06)`, ZIP],
  [String.raw`SQLite format 3\0`, 'an SQLite database. Dump it: sqlite3 FILE .dump > dump.sql'],
  ['BZh[1-9]1AY&SY', 'packed with bzip2. Unpack it: bunzip2 FILE'],
  [String.raw`\xfd7zXZ\0`, 'packed with xz. Unpack it: unxz FILE'],
  [String.raw`\x28\xb5\x2f\xfd`, 'packed with zstd. Unpack it: unzstd FILE'],
  [String.raw`7z\xbc\xaf\x27\x1c`, 'a 7-Zip archive. Unpack it: 7z x FILE'],
  [String.raw`Rar!\x1a\x07`, 'a RAR archive. Unpack it: unrar x FILE'],
  // A text file may contain the magic number, too, so a zero byte must come before it.
  [String.raw`(?=.{0,256}\0).{257}ustar`, TAR],
  [String.raw`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1`, 'an old Excel file. Save the sheet as CSV (UTF-8)'],
  [String.raw`PAR1\x15`, 'a Parquet file. Export CSV or JSON lines instead'],
  ['%PDF-', 'a PDF. Export CSV or JSON instead'],
  [String.raw`TAPE\0\0`, 'a backup of SQL Server. Restore it, and generate a script with data, or CSV'],
  [String.raw`\0\x01\0\0Standard `, 'an Access database. Export its table of users as CSV'],
  [String.raw`\s*-----BEGIN PGP MESSAGE-----\s*[\r\n]`, PGP],
  [String.raw`[\x84\x85\xc1].{1,2}[\x03\x06]`, PGP],
  [String.raw`(?:\x8c.|\xc3[^\x80-\xbf])[\x04\x06]`, PGP],
  // The length of the first document, the type of its first member, and the name of this member, `_id`.
  [String.raw`.{4}[\x01\x02\x03\x07\x10\x12]_id\0`, BSON],
].map(([beginning, advice]) => [new RegExp(`^${beginning}`, 's'), advice] as const);

export function binaryAdvice(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, 512);
  return BINARY_KINDS.find(([beginning]) => beginning.test(text))?.[1];
}

/** Matches the line above a row of psql's expanded output, or of mysql's vertical output. */
const ROW_ON_SCREEN = /^(?:-\[ RECORD 1 \]|\*{9,} 1\. row \*{9,}$)/;

/**
 * Whether lines are a table as psql draws it (rule below the header), mysql (rule above it) or sqlite3 (box or
 * columns).
 */
function looksLikeScreen([first = '', second = '']: readonly string[]): boolean {
  if (/^\+(?:-+\+)+$/.test(first)) return second.startsWith('|');
  if (ROW_ON_SCREEN.test(first) || /^[┌╔╭][─═]/.test(first)) return true;
  if (/^-+(?: {2}-+)+ *$/.test(second)) return true;
  const bars = [...second].flatMap((char, at) => (char === '+' ? at : []));
  return /^-{2,}(?:\+-+)*$/.test(second) && first.startsWith(' ') && bars.every((at) => first[at] === '|');
}

/** Documents as mongosh prints them, and those of the older mongo shell up to a value such as `ObjectId("…")`. */
const MONGO_SHELL =
  /^\s*\[?\s*\{\s*(?:_id: |(?:"[^"\\]*" : (?:"[^"\\]*"|[\d.]+|true|false|null),\s*)*"[^"\\]*" : [A-Z]\w*\()/;
/** Scripts of Oracle's SQL Developer, whose rows have calls such as `to_date`. */
const ORACLE_SCRIPT = /^\s*(?:REM INSERTING into |SET DEFINE OFF)/i;

/** Returns advice if a program wrote the text in a language that only looks like JSON or SQL. */
export function shellAdvice(beginning: Beginning): string | undefined {
  const text = beginning.text.slice(0, 1024);
  if (MONGO_SHELL.test(text))
    return 'It is what a shell of MongoDB prints, which is not JSON. Export it: mongoexport --collection=users --out=users.json; or in mongosh, print(EJSON.stringify(db.users.find().toArray())).';
  if (ORACLE_SCRIPT.test(text))
    return 'It is a script of Oracle, which only Oracle can run. Export the table as CSV: set sqlformat csv (SQLcl, SQL Developer), or set markup csv on (SQL*Plus), then select * from users.';
  return undefined;
}

/** Returns advice if the text is certainly of a kind that cannot be imported. */
export function unsupportedText(beginning: Beginning): string | undefined {
  const text = beginning.text.slice(0, 1024);
  if (/^\s*<(?:!doctype html|html)/i.test(text))
    return 'It is a web page: was an error page or a login page saved instead of the export?';
  if (/^\s*<[?!a-z]/i.test(text)) return 'It is XML. Export JSON, CSV or SQL instead.';
  if (looksLikeScreen(linesOf(beginning)))
    return "It is a table as drawn on a screen. Export CSV: \\copy (select …) to 'users.csv' csv header (psql), mysql --batch, or .mode csv (sqlite3).";
  return undefined;
}

/** Returns advice for a text that is not a supported kind of file. */
export function textAdvice(beginning: Beginning): string {
  const unsupported = unsupportedText(beginning);
  if (unsupported !== undefined) return unsupported;
  // Lines begin with a JSON object, perhaps quoted as a cell of CSV, but the file is neither JSON nor CSV.
  const isColumnOfJson = linesOf(beginning)
    .slice(0, 2)
    .some((line) => /^(?:"\{""|'?\{")\w/.test(line));
  return isColumnOfJson
    ? 'It is a column of JSON with more around it. Export the JSON alone: psql -At -c "select row_to_json(u) from users u" > users.json, or mysql -N --raw.'
    : `It is not a supported kind of file: JSON (also one object per line), CSV, SQL dumps, LDIF, /etc/shadow, .htpasswd and other files with colons. If it is one of them nevertheless, name it: --format ${EXPORT_FORMATS.join('|')}.`;
}
