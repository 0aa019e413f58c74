import { execFileSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../../src/lib/async/free-port.ts';
import type { Random } from '../../../support/random.ts';
import { fastDirectory } from '../../../support/scratch.ts';
import { COLUMNS, type HostileRow, numberColumns } from '../hostile-rows.ts';
import { NOBODY, POSTGRES_PROGRAMS } from '../postgres-server.ts';
import type { Writer, WrittenFile } from '../writer.ts';
import { withoutHead } from './without-head.ts';

const OPTIONS = [
  [],
  ['--inserts'],
  ['--column-inserts'],
  ['--rows-per-insert=1'],
  ['--rows-per-insert=3'],
  ['--inserts', '--on-conflict-do-nothing'],
  ['--column-inserts', '--rows-per-insert=100', '--quote-all-identifiers'],
] as const;
const MORE = [
  [],
  [],
  [],
  ['--data-only'],
  ['--clean'],
  ['--clean', '--if-exists', '--create'],
  ['--create'],
] as const;

/** pg_dump of databases in several encodings, with standard_conforming_strings on and off. */
export const pgDump: Writer = {
  name: 'pg_dump',
  container: 'sql',
  programs: ['pg_dump'],
  async start() {
    const server = await startPostgres();
    return {
      write: (rows, random) => write(server, rows, random),
      stop: () => server.stop(),
    };
  },
};

interface Server {
  port: number;
  directory: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL of the machine, without durability and in a directory of its own. */
export async function startPostgres(): Promise<Server> {
  const directory = await mkdtemp(join(fastDirectory(), 'uic-pg-dump-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(directory, NOBODY, NOBODY);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const options = {
    ...as,
    cwd: directory,
    env: { HOME: directory, PATH: process.env.PATH },
    stdio: 'ignore',
  } as const;
  const data = join(directory, 'data');
  execFileSync(
    join(POSTGRES_PROGRAMS, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'],
    options,
  );
  const port = await freePort();
  const settings = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory} -c fsync=off -c full_page_writes=off`;
  const control = (action: readonly string[]) =>
    execFileSync(
      join(POSTGRES_PROGRAMS, 'pg_ctl'),
      ['-D', data, '-l', join(directory, 'log'), '-w', ...action],
      options,
    );
  control(['-o', settings, 'start']);
  return {
    port,
    directory,
    async stop() {
      control(['-m', 'immediate', 'stop']);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function connect({ port }: Server, database: string): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database });
  await client.connect();
  return client;
}

async function write(server: Server, rows: readonly HostileRow[], random: Random): Promise<WrittenFile> {
  const conforming = random.chance(0.75);
  const options: string[] = [...random.one(OPTIONS), ...random.one(MORE)];
  const encoding = random.chance(0.15) ? random.one(['LATIN1', 'SJIS', 'EUC_JP', 'GBK', 'BIG5']) : undefined;
  if (encoding !== undefined) options.push(`--encoding=${encoding}`);
  const headless = random.chance(0.2);
  const name = `d${random.below(1_000_000_000)}`;
  const admin = await connect(server, 'postgres');
  await admin.query(`create database ${name} template template0 encoding utf8`);
  if (!conforming) await admin.query(`alter database ${name} set standard_conforming_strings = off`);
  await admin.end();
  // Characters that the encoding lacks are replaced.
  const written =
    encoding === undefined ? rows : rows.map((row) => mapCells(row, (text) => inEncoding(text, encoding)));
  const client = await connect(server, name);
  await client.query(
    `create table users (${COLUMNS.map((column) => `${column} text`).join(', ')}, n int default 7)`,
  );
  await client.query('create table other (a text)');
  for (const row of written) {
    await client.query(
      `insert into users (${COLUMNS.join(', ')}) values ($1, $2, $3, $4, $5)`,
      COLUMNS.map((column) => row[column]),
    );
  }
  await client.query('insert into other select bio from users');
  await client.query(`create function f() returns int language sql as 'select 1 -- ''\\;'`);
  await client.end();
  const dump = execFileSync(
    join(POSTGRES_PROGRAMS, 'pg_dump'),
    ['-h', '127.0.0.1', '-p', `${server.port}`, '-U', 'postgres', ...options, name],
    {
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  const last = await connect(server, 'postgres');
  await last.query(`drop database ${name}`);
  await last.end();
  const bytes = headless ? withoutHead(dump) : dump;
  // Without the head, only SET says what backslashes mean in such a database.
  const isTold = conforming || !headless;
  return {
    how: `${options.join(' ')}${conforming ? '' : ', conforming strings off'}${headless ? ', no head' : ''}`,
    bytes,
    rows: isNumbered(options, headless) ? written.map(numberColumns) : written.map((row) => ({ ...row })),
    options: {
      ...(isTold && { sqlDialect: 'postgres' as const }),
      ...(encoding !== undefined && { encoding: LABELS[encoding] ?? encoding }),
    },
    isTable: (table) => table === 'public.users' || table === 'users',
  };
}

const LABELS: Readonly<Record<string, string>> = {
  LATIN1: 'latin1',
  SJIS: 'shift_jis',
  EUC_JP: 'euc-jp',
  GBK: 'gbk',
  BIG5: 'big5',
};

/** Returns whether neither CREATE TABLE nor INSERT names the columns. */
const isNumbered = (options: readonly string[], headless: boolean) =>
  (headless || options.includes('--data-only')) &&
  !options.includes('--column-inserts') &&
  options.some((option) => /^--(?:inserts|rows-per-insert)/.test(option));

const mapCells = (row: HostileRow, map: (text: string) => string): HostileRow => ({
  ...row,
  name: map(row.name),
  bio: map(row.bio),
});

/** Characters that replace those an encoding lacks. Some have a backslash as their second byte. */
const SPECIAL: Readonly<Record<string, string>> = {
  LATIN1: 'éÃ©ü',
  SJIS: 'ソ表能あ',
  EUC_JP: 'ソ表能あ',
  GBK: '誠縗汉',
  BIG5: '功許蓋漢',
};

function inEncoding(text: string, encoding: string): string {
  const special = [...(SPECIAL[encoding] ?? '')];
  let count = 0;
  return [...text.replaceAll('\u007f', '')]
    .map((sign) => (sign < '\u0080' ? sign : (special[count++ % special.length] ?? '')))
    .join('');
}
