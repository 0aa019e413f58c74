import pg from 'pg';
import type { Random } from '../../../support/random.ts';
import { COLUMNS, cellsOf, type HostileRow, numberColumns } from '../hostile-rows.ts';
import { inEncoding, postgres, type Writer, type WrittenFile, withoutHead } from '../writer.ts';

const OPTIONS = [
  [],
  ['--inserts'],
  ['--column-inserts'],
  ['--rows-per-insert=1'],
  ['--rows-per-insert=3'],
  ['--inserts', '--on-conflict-do-nothing'],
  ['--column-inserts', '--rows-per-insert=100', '--quote-all-identifiers'],
] as const;
const MORE = [[], [], [], ['--data-only'], ['--clean'], ['--clean', '--if-exists', '--create'], ['--create']];

/** Encodings, with characters that replace those an encoding lacks. Some have a backslash as their second byte. */
const ENCODINGS = [
  { name: 'LATIN1', label: 'latin1', characters: 'éÃ©ü' },
  { name: 'SJIS', label: 'shift_jis', characters: 'ソ表能あ' },
  { name: 'EUC_JP', label: 'euc-jp', characters: 'ソ表能あ' },
  { name: 'GBK', label: 'gbk', characters: '誠縗汉' },
  { name: 'BIG5', label: 'big5', characters: '功許蓋漢' },
];

/** pg_dump of databases in several encodings, with standard_conforming_strings on and off. */
export const pgDump: Writer = {
  name: 'pg_dump',
  container: 'sql',
  programs: ['pg_dump'],
  write,
};

async function write(rows: readonly HostileRow[], random: Random): Promise<WrittenFile> {
  const server = await postgres();
  const conforming = random.chance(0.75);
  const options: string[] = [...random.one(OPTIONS), ...random.one(MORE)];
  const encoding = random.chance(0.15) ? random.one(ENCODINGS) : undefined;
  if (encoding !== undefined) options.push(`--encoding=${encoding.name}`);
  const headless = random.chance(0.2);
  const name = `d${random.below(1_000_000_000)}`;
  server.psql(`create database ${name} template template0 encoding utf8`);
  if (!conforming) server.psql(`alter database ${name} set standard_conforming_strings = off`);
  // Characters that the encoding lacks are replaced.
  const written = encoding === undefined ? rows : rows.map((row) => inEncoding(row, encoding.characters));
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port: server.port, user: 'postgres', database: name },
  });
  await client.connect();
  await client.query(
    `create table users (${COLUMNS.map((column) => `${column} text`).join(', ')}, n int default 7)`,
  );
  await client.query('create table other (a text)');
  for (const row of written) {
    await client.query(`insert into users (${COLUMNS}) values ($1, $2, $3, $4, $5)`, cellsOf(row));
  }
  await client.query('insert into other select bio from users');
  await client.query(`create function f() returns int language sql as 'select 1 -- ''\\;'`);
  await client.end();
  const dump = server.dump(options, name);
  const bytes = headless ? withoutHead(dump) : dump;
  // Without the head, only SET says what backslashes mean in such a database.
  const isTold = conforming || !headless;
  return {
    how: `${options.join(' ')}${conforming ? '' : ', conforming strings off'}${headless ? ', no head' : ''}`,
    bytes,
    rows: isNumbered(options, headless) ? written.map(numberColumns) : written.map((row) => ({ ...row })),
    options: {
      ...(isTold && { sqlDialect: 'postgres' as const }),
      ...(encoding !== undefined && { encoding: encoding.label }),
    },
    isTable: (table) => table === 'public.users' || table === 'users',
  };
}

/** Returns whether neither CREATE TABLE nor INSERT names the columns. */
const isNumbered = (options: readonly string[], headless: boolean) =>
  (headless || options.includes('--data-only')) &&
  !options.includes('--column-inserts') &&
  options.some((option) => /^--(?:inserts|rows-per-insert)/.test(option));
