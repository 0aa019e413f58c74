import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  blobText,
  json,
  WorkDatabase,
  type WorkDatabaseOptions,
  WorkDatabaseProblem,
} from '../../src/lib/work-database.ts';

function open(options: Partial<WorkDatabaseOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'uic-work-'));
  const database = new WorkDatabase({ directory, ...options });
  onTestFinished(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });
  return { database, directory };
}

it('has no file that another process could open', () => {
  const { database, directory } = open();
  database.exec('create table t (a text)');
  for (let row = 0; row < 2000; row += 1)
    database.run('insert into t values (?)', `${row}`.padEnd(20_000, 'x'));
  expect(readdirSync(directory).filter((name) => !name.endsWith('.lock'))).toEqual([]);
  expect(database.get('select count(*) as count from t')).toEqual({ count: 2000 });
  database.close();
  expect(readdirSync(directory)).toEqual([]);
});

it('says what to do if the disk is full', () => {
  const { database, directory } = open({ maxBytes: 1024 * 1024 });
  database.exec('create table t (a text)');
  const fill = () => {
    for (;;) database.run('insert into t values (?)', 'x'.repeat(10_000));
  };
  let problem: unknown;
  try {
    fill();
  } catch (error) {
    problem = error;
  }
  expect(problem).toBeInstanceOf(WorkDatabaseProblem);
  expect(String(problem)).toContain(`${directory} has no room for the work database`);
  expect(String(problem)).toContain('TMPDIR');
});

it.each(['a\0b', '\u{feff}begins with a byte order mark', '😀 ä', '', '\u{2028}'])(
  'keeps the text %j',
  (text) => {
    const { database } = open();
    database.exec('create table t (a text)');
    database.run('insert into t select value ->> 0 from json_each(?)', json([[text]]));
    const row = database.get(
      'select cast(json_array(a) as blob) as found from t where a = ? ->> 0',
      json([text]),
    );
    expect(JSON.parse(blobText(row?.found))).toEqual([text]);
  },
);

it('drops a table after a look-up in it, and closes during a read', () => {
  const { database } = open();
  database.exec('create table t (a); create table u (a); insert into u values (1), (2)');
  expect(database.get('select a from t')).toBeUndefined();
  database.exec('drop table t');
  const rows = database.each('select a from u');
  expect(rows.next().value).toEqual({ a: 1 });
  rows.return(undefined);
  database.close();
  database.close();
});
