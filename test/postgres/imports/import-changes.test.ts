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

/** Reads rows in the binary format of COPY that have no null. */
function* readRows(bytes: Buffer): Generator<Buffer[]> {
  for (let at = 0; at < bytes.length; ) {
    const columns = bytes.readUInt16BE(at);
    at += 2;
    yield Array.from({ length: columns }, () => {
      const length = bytes.readUInt32BE(at);
      at += 4 + length;
      return bytes.subarray(at - length, at);
    });
  }
}

it('a row of the journal has a hundred changes of one kind, or ten whose hashes are to be wrapped', () => {
  const hash = { password_hash: 'x', hash_algorithm: 'md5' };
  const { rows, count } = copyOfChanges('it', '2026-01-01T00:00:00+00:00', [
    ...changes(101, { part: 'states' }),
    ...changes(12, { before: { ...hash, hash_class: 'broken' } }),
    ...changes(3, { before: hash }),
    ...changes(199, { before: { ...hash, hash_class: 'strong' } }),
    ...changes(2, { before: { text: 'é, tab\t, line\n, "quotes", \\ and \\N' } }),
  ]);
  const read = Array.from(readRows(rows), ([importId, at, kind, tries, json, broken]) => {
    expect(`${importId}`).toBe('it');
    // Microseconds from 2000.
    expect(at?.readBigInt64BE()).toBe(820_540_800_000_000n);
    expect(tries?.readInt32BE()).toBe(0);
    return { kind: `${kind}`, broken: broken?.readInt32BE(), changes: JSON.parse(`${json}`) as unknown[] };
  });
  expect(read).toHaveLength(count);
  expect(read.map(({ kind, broken, changes: { length } }) => [kind, length, broken])).toEqual([
    ...[
      ['values', 100, 0],
      ['values', 1, 0],
    ],
    ...[
      ['rows', 100, 0],
      ['rows', 100, 0],
      ['rows', 1, 0],
    ],
    ...[
      ['rows', 10, 10],
      ['rows', 5, 5],
    ],
  ]);
  expect(read[4]?.changes).toEqual([
    ['password_logins', 'user-1', 'login-1', { text: 'é, tab\t, line\n, "quotes", \\ and \\N' }, {}],
  ]);
});
