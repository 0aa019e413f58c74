import { readFileSync } from 'node:fs';

/** A row of the table "I come from …" in docs/hash-formats.md. */
export interface CatalogueRow {
  system: string;
  column: string;
  send: string;
  /** SQL expression that makes the hash, or empty. */
  sql: string;
}

/** The text of docs/hash-formats.md. */
export const HASH_FORMATS = readFileSync(new URL('../../docs/hash-formats.md', import.meta.url), 'utf8');
const [, SECTION = ''] = /^## I come from …\n(.*?)^## /ms.exec(HASH_FORMATS) ?? [];

export const CATALOGUE: readonly CatalogueRow[] = [
  ...SECTION.matchAll(/^\| (?!I come from|---)(.*) \|$/gm),
].map(([, line = '']) => {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  const [system = '', column = '', send = '', sql = ''] = cells;
  if (cells.length !== 4) throw new Error(`${system}: has ${cells.length} cells`);
  return { system, column, send, sql: sql.replace(/^`|`$/g, '') };
});

/**
 * Returns the names of algorithms in the third cell. In `bcrypt-sha256`, `-md5`, the second is short for
 * `bcrypt-md5` and is left out.
 */
export const namesIn = ({ send }: CatalogueRow): string[] =>
  [...send.matchAll(/`([a-z][a-z0-9_-]*)`/g)].flatMap(([, name = '']) => (NOT_NAMES.has(name) ? [] : [name]));

/** Words between backquotes in that cell that are not names of algorithms. */
const NOT_NAMES = new Set(
  'd sha1 sha256 sha512 hmacsha256 salted-pbkdf2-hmac-sha512-512 ln r p bytes salt pbkdf2-sha512 awscognito passwordsalt passwordsaltmain position stretches password_ bcrypt_peppered'.split(
    ' ',
  ),
);
