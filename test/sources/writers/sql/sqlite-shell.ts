import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cellsOf, numberColumns } from '../hostile-rows.ts';
import { outputOf, type Writer } from '../writer.ts';

/** Commands of the shell that print statements. */
const WAYS = [
  ['.dump'],
  ['.dump'],
  ['.dump users'],
  ['.dump --preserve-rowids'],
  ['.dump --newlines'],
  ['.dump --data-only'],
  ['.mode insert users', 'select * from users;'],
  ['.headers on', '.mode insert users', 'select * from users;'],
] as const;

const PROGRAM = `
import json, sqlite3, sys
given = json.load(sys.stdin)
db = sqlite3.connect(given['path'])
db.execute('create table users (id text, email text, password_hash text, name text, bio text, n integer default 7)')
db.execute('create table other (k integer primary key autoincrement, a text)')
db.executemany('insert into users (id, email, password_hash, name, bio) values (?, ?, ?, ?, ?)', given['rows'])
db.execute('insert into other (a) select bio from users')
db.commit()
`;

export const sqliteShell: Writer = {
  name: 'sqlite3',
  container: 'sql',
  programs: ['sqlite3', 'python3'],
  write(rows, random) {
    const directory = mkdtempSync(join(tmpdir(), 'uic-sqlite-'));
    const path = join(directory, 'db');
    const way = random.one(WAYS);
    outputOf('python3', ['-c', PROGRAM], JSON.stringify({ path, rows: rows.map(cellsOf) }));
    const bytes = outputOf('sqlite3', [path], `${way.join('\n')}\n`);
    rmSync(directory, { recursive: true });
    const text = bytes.toString('latin1');
    const isNamed = /CREATE TABLE users|INSERT INTO users\(id/.test(text);
    return {
      how: way.join(', '),
      bytes,
      rows: rows.map((row) => (isNamed ? { ...row } : numberColumns(row))),
      options: { sqlDialect: 'sqlite' },
      isTable: (table) => table === 'users',
    };
  },
};
