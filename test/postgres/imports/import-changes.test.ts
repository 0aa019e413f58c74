import { expect, it } from 'vitest';
import { type Change, copyOfChanges } from '../../../src/postgres/imports/import-changes.ts';

const changes = (count: number, change: Partial<Change>) =>
  Array.from(
    { length: count },
    (_, n): Change => ({
      ...{ part: 'password_logins', userId: `user-${n}`, id: `login-${n}`, before: {}, after: {} },
      ...change,
    }),
  );

it('a row of the journal has a hundred changes of one kind, or ten whose hashes are to be wrapped', () => {
  const hash = { password_hash: 'x', hash_algorithm: 'md5' };
  const { rows, count } = copyOfChanges('it', '2026-01-01T00:00:00Z', [
    ...changes(101, { part: 'states' }),
    ...changes(12, { before: { ...hash, hash_class: 'broken' } }),
    ...changes(3, { before: hash }),
    ...changes(199, { before: { ...hash, hash_class: 'strong' } }),
    ...changes(2, { before: { text: 'tab\t, line\n, "quotes", \\ and \\N' } }),
  ]);
  const lines = rows.toString().split('\n');
  expect(lines.pop()).toBe('');
  expect(lines).toHaveLength(count);
  const read = lines.map((line) => {
    const [importId, at, kind, tries, json = '', broken] = line.split('\t');
    expect([importId, at, tries]).toEqual(['it', '2026-01-01T00:00:00Z', '0']);
    return { kind, broken, changes: JSON.parse(json.replaceAll('\\\\', '\\')) as unknown[] };
  });
  expect(read.map(({ kind, broken, changes: { length } }) => [kind, length, broken])).toEqual([
    ...[
      ['values', 100, '0'],
      ['values', 1, '0'],
    ],
    ...[
      ['rows', 100, '0'],
      ['rows', 100, '0'],
      ['rows', 1, '0'],
    ],
    ...[
      ['rows', 10, '10'],
      ['rows', 5, '5'],
    ],
  ]);
  expect(read[4]?.changes).toEqual([
    ['password_logins', 'user-1', 'login-1', { text: 'tab\t, line\n, "quotes", \\ and \\N' }, {}],
  ]);
});
