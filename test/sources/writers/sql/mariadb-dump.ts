import { execFileSync } from 'node:child_process';
import mysql from 'mysql2/promise';
import { type MariadbServer, startMariadb } from '../../../support/mariadb.ts';
import type { Random } from '../../../support/random.ts';
import { COLUMNS, type HostileRow, numberColumns } from '../hostile-rows.ts';
import type { Writer, WrittenFile } from '../writer.ts';
import { withoutHead } from './without-head.ts';

const OPTIONS = [
  '--compact',
  '--compact --no-create-info',
  '--compatible=ansi',
  '--skip-extended-insert',
  '--complete-insert',
  '--hex-blob',
  '--no-create-info',
  '--skip-opt',
  '--tz-utc',
  '--skip-tz-utc',
  '--skip-comments',
  '--skip-quote-names',
  '--skip-set-charset',
  '--insert-ignore',
  '--replace',
  '--order-by-primary',
  '--single-transaction',
  '--no-autocommit',
  '--add-drop-database --databases',
  '--routines --triggers',
  '--dump-date',
] as const;

const MODES = [
  '',
  '',
  'NO_BACKSLASH_ESCAPES',
  'ANSI_QUOTES',
  'ANSI',
  'NO_BACKSLASH_ESCAPES,ANSI_QUOTES',
] as const;

/** mariadb-dump (mysqldump) with its options, on servers with several SQL modes. */
export const mariadbDump: Writer = {
  name: 'mariadb-dump',
  container: 'sql',
  programs: ['mariadb-dump', 'mariadbd'],
  async start() {
    const server = await startMariadb();
    return { write: (rows, random) => write(server, rows, random), stop: () => server.stop() };
  },
};

async function write(
  server: MariadbServer,
  rows: readonly HostileRow[],
  random: Random,
): Promise<WrittenFile> {
  const options: string[] = [];
  if (random.chance(0.8))
    for (let count = random.below(4); count > 0; count--) options.push(...random.one(OPTIONS).split(' '));
  const isAnsi = options.includes('--compatible=ansi');
  const given = random.chance(0.15) ? random.one(['latin1', 'gbk', 'cp932', 'utf8mb3']) : undefined;
  if (given !== undefined) options.push(`--default-character-set=${given}`);
  // --compatible=ansi writes latin1, and replaces characters that latin1 lacks with question marks.
  const charset = given ?? (isAnsi ? 'latin1' : undefined);
  const mode = random.one(MODES);
  const headless = random.chance(0.2);
  const name = `d${random.below(1_000_000_000)}`;
  const written = charset === undefined ? rows : rows.map((row) => inCharset(row, charset));
  const connection = await mysql.createConnection({
    socketPath: server.socket,
    user: 'root',
    charset: 'utf8mb4_bin',
  } as mysql.ConnectionOptions);
  await connection.query(`set global sql_mode = '${mode}'`);
  await connection.query(`create database ${name} character set utf8mb4 collate utf8mb4_bin`);
  await connection.changeUser({ database: name });
  await connection.query(
    'create table users (`id` varchar(20) primary key, email varchar(99), password_hash varchar(200), name longtext, bio longtext, n int default 7)',
  );
  await connection.query('create table other (a longtext, b longblob)');
  const sql = `insert into users (${COLUMNS.join(', ')}) values (?, ?, ?, ?, ?)`;
  for (const row of written) {
    // A prepared statement, so that this code quotes nothing.
    await connection.execute(
      sql,
      COLUMNS.map((column) => row[column]),
    );
  }
  await connection.query('insert into other select bio, bio from users');
  await connection.query(
    "create trigger tr before insert on other for each row begin set new.a = concat(new.a, '; -- \"'); delete from users where id = 'none'; end",
  );
  const bytes = execFileSync(
    'mariadb-dump',
    ['--no-defaults', `--socket=${server.socket}`, '-uroot', ...options, name],
    {
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  await connection.query("set global sql_mode = ''");
  await connection.query(`drop database ${name}`);
  await connection.end();
  const dump = headless ? withoutHead(bytes) : bytes;
  return {
    how: `${options.join(' ')}, sql_mode ${mode}${headless ? ', no head' : ''}`,
    bytes: dump,
    rows: isNumbered(options) ? written.map(numberColumns) : written.map((row) => ({ ...row })),
    options: { sqlDialect: 'mysql', ...(charset !== undefined && { encoding: LABELS[charset] ?? 'utf-8' }) },
    isTable: (table) => table === 'users' || table.endsWith('.users'),
  };
}

const LABELS: Readonly<Record<string, string>> = { latin1: 'latin1', gbk: 'gbk', cp932: 'shift_jis' };

/** Returns whether neither CREATE TABLE nor INSERT names the columns. */
const isNumbered = (options: readonly string[]) =>
  options.includes('--no-create-info') && !options.includes('--complete-insert');

/** Characters of each character set that replace all others. Some have a backslash as their second byte. */
const SPECIAL: Readonly<Record<string, string>> = {
  latin1: 'éÃ©',
  gbk: '誠縗汉',
  cp932: 'ソ表能あ',
  utf8mb3: '漢é',
};

function inCharset(row: HostileRow, charset: string): HostileRow {
  const special = [...(SPECIAL[charset] ?? '')];
  const map = (text: string) => {
    let count = 0;
    return [...text.replaceAll('\u007f', '')]
      .map((sign) => (sign < '\u0080' ? sign : (special[count++ % special.length] ?? '')))
      .join('');
  };
  return { ...row, name: map(row.name), bio: map(row.bio) };
}
