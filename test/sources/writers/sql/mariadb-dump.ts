import type { Random } from '../../../support/random.ts';
import { COLUMNS, cellsOf, type HostileRow, numberColumns } from '../hostile-rows.ts';
import { inEncoding, mariadb, outputOf, type Writer, type WrittenFile, withoutHead } from '../writer.ts';

const OPTIONS = [
  ...['--compact', '--compact --no-create-info', '--compatible=ansi', '--skip-extended-insert'],
  ...['--complete-insert', '--hex-blob', '--no-create-info', '--skip-opt', '--tz-utc', '--skip-tz-utc'],
  ...['--skip-comments', '--skip-quote-names', '--skip-set-charset', '--insert-ignore', '--replace'],
  ...['--order-by-primary', '--single-transaction', '--no-autocommit', '--add-drop-database --databases'],
  ...['--routines --triggers', '--dump-date'],
];

const MODES = ['', '', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES', 'ANSI', 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'];

/** Character sets, with characters that replace all others. Some have a backslash as their second byte. */
const CHARSETS: Readonly<Record<string, { label: string; characters: string }>> = {
  latin1: { label: 'latin1', characters: 'éÃ©' },
  gbk: { label: 'gbk', characters: '誠縗汉' },
  cp932: { label: 'shift_jis', characters: 'ソ表能あ' },
  utf8mb3: { label: 'utf-8', characters: '漢é' },
};

/** mariadb-dump (mysqldump) with its options, on servers with several SQL modes. */
export const mariadbDump: Writer = {
  name: 'mariadb-dump',
  container: 'sql',
  programs: ['mariadb-dump', 'mariadbd'],
  write,
};

async function write(rows: readonly HostileRow[], random: Random): Promise<WrittenFile> {
  const server = await mariadb();
  const options: string[] = [];
  if (random.chance(0.8))
    for (let count = random.below(4); count > 0; count--) options.push(...random.one(OPTIONS).split(' '));
  const isAnsi = options.includes('--compatible=ansi');
  const given = random.chance(0.15) ? random.one(Object.keys(CHARSETS)) : undefined;
  if (given !== undefined) options.push(`--default-character-set=${given}`);
  // --compatible=ansi writes latin1, and replaces characters that latin1 lacks with question marks.
  const charset = CHARSETS[given ?? (isAnsi ? 'latin1' : '')];
  const mode = random.one(MODES);
  const headless = random.chance(0.2);
  const name = `d${random.below(1_000_000_000)}`;
  const written = charset === undefined ? rows : rows.map((row) => inEncoding(row, charset.characters));
  const connection = await server.connect();
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
    await connection.execute(sql, cellsOf(row));
  }
  await connection.query('insert into other select bio, bio from users');
  await connection.query(
    "create trigger tr before insert on other for each row begin set new.a = concat(new.a, '; -- \"'); delete from users where id = 'none'; end",
  );
  const args = ['--no-defaults', `--socket=${server.socket}`, '-uroot', ...options, name];
  const bytes = outputOf('mariadb-dump', args, '');
  await connection.query("set global sql_mode = ''");
  await connection.end();
  const dump = headless ? withoutHead(bytes) : bytes;
  return {
    how: `${options.join(' ')}, sql_mode ${mode}${headless ? ', no head' : ''}`,
    bytes: dump,
    rows: isNumbered(options) ? written.map(numberColumns) : written.map((row) => ({ ...row })),
    options: { sqlDialect: 'mysql', ...(charset !== undefined && { encoding: charset.label }) },
    isTable: (table) => table === 'users' || table.endsWith('.users'),
  };
}

/** Returns whether neither CREATE TABLE nor INSERT names the columns. */
const isNumbered = (options: readonly string[]) =>
  options.includes('--no-create-info') && !options.includes('--complete-insert');
