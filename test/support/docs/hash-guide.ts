import { readText } from './read-text.ts';

/** A system in docs/hash-guide.md. */
export interface GuideRow {
  system: string;
  column: string;
  send: string;
  /** SQL expression that makes the canonical string of the columns; empty if the column is sent as it is. */
  sql: string;
}

const DOCUMENT = readText('docs/hash-guide.md');
const sectionOf = (title: string) =>
  DOCUMENT.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
const blocksOf = (section: string) =>
  [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, block = '']) => block);

const [FUNCTIONS = '', DROPS = '', EXPRESSIONS = ''] = blocksOf(sectionOf('SQL'));

/** The PostgreSQL statements of the guide that create the functions of its expressions, and that drop them again. */
export const [CREATE_FUNCTIONS, DROP_FUNCTIONS] = [FUNCTIONS, DROPS].map(
  (block) => /-- PostgreSQL\n(.*?)-- MySQL/s.exec(block)?.[1] ?? '',
) as [string, string];

/** SQL expressions by the system in the comment above them. */
export const SQL_BY_SYSTEM = new Map(
  EXPRESSIONS.split(/^-- /m)
    .slice(1)
    .map((text) => {
      const [system = '', ...lines] = text.trim().split('\n');
      return [system, lines.join('\n')] as const;
    }),
);

export const GUIDE: readonly GuideRow[] = [
  ...sectionOf('I come from …').matchAll(/^\| (?!I come from|---)(.*) \|$/gm),
].map(([, line = '']) => {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  const [system = '', column = '', send = ''] = cells;
  if (cells.length !== 3) throw new Error(`${system}: has ${cells.length} cells`);
  return { system, column, send, sql: SQL_BY_SYSTEM.get(system) ?? '' };
});

/** Returns the names of algorithms in the cell `send`. A short form such as `-md5` is no name. */
export const namesIn = ({ send }: GuideRow): string[] =>
  [...send.matchAll(/`([a-z][a-z0-9_-]*)`/g)].flatMap(([, name = '']) => (NOT_NAMES.has(name) ? [] : [name]));

/** Other words in that cell that stand between backquotes. */
const NOT_NAMES = new Set(
  'd sha1 sha256 sha512 hmacsha256 salted-pbkdf2-hmac-sha512-512 ln r p bytes salt pbkdf2-sha512 awscognito passwordsalt passwordsaltmain position stretches password_ bcrypt_peppered application_secret'.split(
    ' ',
  ),
);
