import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../../src/sources/containers/table.ts';
import { readDump } from './read-dump.ts';

const fixture = (name: string) => readFileSync(`test/sources/containers/sql/fixtures/${name}`);
const NOTES = JSON.parse(fixture('notes.json').toString()) as (string | null)[];
const BLOB = '00ff275c0a80';

const common = (note: string | null, index: number) => ({
  id: String(index + 1),
  email: `user${index + 1}@example.com`,
  passwordHash: '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  note,
});

/** Returns the bytes of a blob as the reader returns them: text if possible, otherwise hexadecimal. */
const shown = (note: string) => (/[^\P{Cc}\t\n\r]/u.test(note) ? Buffer.from(note).toString('hex') : note);

describe('PostgreSQL', () => {
  const users = NOTES.map((note, index) => ({
    ...common(note, index),
    key: 'k',
    raw: '\\x00ff27',
    tags: '{a,"b c","d\\"e"}',
    at: '2020-12-31 22:00:00.123+00',
    m: "o'k",
    flags: '101',
    primary: 't',
    amount: '12345678901234567890.0123456789',
    big: '9223372036854775807',
  }));

  it.each([
    ['pg-copy.sql', 't'],
    ['pg-all.sql', 't'],
    ['pg-inserts.sql', 'true'],
    ['pg-column-inserts.sql', 'true'],
    ['pg-rows-per-insert.sql', 'true'],
  ])('%s', async (name, yes) => {
    const { asked, rows, problem } = await readDump(fixture(name));
    expect(problem).toBeUndefined();
    expect(
      asked
        .map((table) => table.name)
        .filter((table) => table !== 'public.latin')
        .sort(),
    ).toEqual(['auth.users', 'public.User', 'public.empty', 'public.odd "name".x']);
    expect(rows['auth.users']).toEqual(users.map((user) => ({ ...user, primary: yes })));
    expect(rows['public.User']).toEqual([
      { id: '00000000-0000-0000-0000-000000000001', createdAt: '2020-02-03' },
    ]);
    expect(rows['public.odd "name".x']).toEqual([{ 'a,b': '1', 'c)': '2' }]);
    expect(asked.find((table) => table.name === 'public.empty')).toMatchObject({
      columns: new Set(['a', 'b']),
      first: [],
    });
  });

  it('refuses text that is not UTF-8, with its position', async () => {
    const dump = fixture('pg-latin1.sql');
    const { problem } = await readDump(dump);
    expect(problem?.code).toBe('ENCODING_INVALID');
    expect(problem?.message).toContain(`byte ${dump.indexOf('Zo')} `);
  });
});

describe('MariaDB', () => {
  const users: SourceRecord[] = NOTES.map((note, index) => {
    const id = index + 1;
    const text = note !== null && id === 11 ? `${note}\0` : note;
    const raw = text === null ? null : id % 2 === 1 && text !== '' ? shown(text) : BLOB;
    return {
      ...common(text, index),
      raw,
      uid: createHash('md5').update(String(id)).digest('hex'),
      is_on: String(id % 2),
      flags: String((id * 161) % 4096),
      amount: '-0.5000000000',
      created: '2021-01-01 00:00:00',
      lower_email: `user${id}@example.com`,
      doc: '{"a":"it\'s \\"q\\""}',
    };
  });
  const plain = [
    { id: '1', key: 'k', 'odd `name`': 'o' },
    { id: '2', key: null, 'odd `name`': 'p' },
  ];

  it.each(['plain', 'hex-blob', 'skip-extended', 'compact', 'complete'])('mariadb-%s.sql', async (name) => {
    const { asked, rows, problem } = await readDump(fixture(`mariadb-${name}.sql`));
    expect(problem).toBeUndefined();
    expect(asked.map((table) => table.name)).toEqual(['plain', 'users', 'empty']);
    expect(rows).toEqual({ plain, users });
  });

  it('names the database of each table if there are several', async () => {
    const { asked, rows } = await readDump(fixture('mariadb-databases.sql'));
    expect(asked.map((table) => table.name)).toEqual(['d.plain', 'd.users', 'e.plain', 'd.empty']);
    expect(rows).toEqual({ 'd.plain': plain, 'd.users': users, 'e.plain': [{ id: '77', key: 'e' }] });
  });

  it('numbers the columns if the dump does not name them', async () => {
    const { asked, rows, problem } = await readDump(fixture('mariadb-no-create-info.sql'));
    expect(problem).toBeUndefined();
    expect(asked.map(({ name, cells, columns }) => [name, cells, columns.size])).toEqual([
      ['plain', 3, 0],
      ['users', 12, 0],
    ]);
    const seen = (rows.users ?? []).map((row) => typeof row === 'object' && [row[0], row[1], row[2], row[3]]);
    expect(seen).toEqual(users.map(({ id, email, passwordHash, note }) => [id, email, passwordHash, note]));
  });

  it('refuses latin1 text of --compatible=ansi', async () => {
    const { rows, problem } = await readDump(fixture('mariadb-ansi.sql'));
    expect(problem?.code).toBe('ENCODING_INVALID');
    expect(rows).toEqual({ plain, users: users.slice(0, 7) });
  });
});

describe('SQLite', () => {
  const users = NOTES.map((note, index) => ({
    ...common(note, index),
    raw: note === null ? null : index % 2 === 0 ? shown(note) : BLOB,
    amount: '1.5',
    key: null,
  }));

  it.each(['sqlite.sql', 'sqlite-newlines.sql', 'sqlite-rowids.sql'])('%s', async (name) => {
    const { asked, rows, problem } = await readDump(fixture(name));
    expect(problem).toBeUndefined();
    expect(asked.map((table) => table.name)).toEqual(['users', 'odd "name"', 'sqlite_sequence', 'empty']);
    expect(rows.users).toEqual(users);
    expect(rows['odd "name"']).toMatchObject([{ a: '1.0000000000000000047e+300', b: '-0.5' }]);
  });

  it('numbers the columns of --data-only', async () => {
    const { rows, problem } = await readDump(fixture('sqlite-data.sql'), {
      options: { sqlDialect: 'sqlite' },
    });
    expect(problem).toBeUndefined();
    expect((rows.users ?? []).map((row) => Object.values(row))).toEqual(
      users.map((user) => Object.values(user)),
    );
  });
});
