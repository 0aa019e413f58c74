import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyInteger, copyOf, copyText } from '../../../src/postgres/client/copy-in.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

/** Longer than a message, and than what a socket accepts at once. */
const MANY = 400_000;

const rowsOf = (values: readonly (string | number)[]) =>
  values.map((value) => (typeof value === 'string' ? copyText(value) : copyInteger(value)));
const NUMBERS = Array.from({ length: MANY }, (_, index) => index);

/** Tests COPY through any connection between the service and Postgres. */
export function describeCopy(
  name: string,
  open: () => Promise<{ db: Database; close(): Promise<void> }>,
): void {
  describe(name, () => {
    let db: Database;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ db, close } = await open());
    });
    afterAll(() => close());
    beforeEach(async () => {
      await db.query(
        'drop table if exists ones, twos; create table ones (value text primary key); create table twos (value int)',
      );
    });

    const into = (table: string, rows: readonly string[], count = rows.length) => ({
      ...copyOf(table, ['value'], rows),
      count,
    });
    const counts = async () => {
      const [row] = await db.query<{ ones: number; twos: number }>(
        'select (select count(*)::int from ones) as ones, (select count(*)::int from twos) as twos',
      );
      return row;
    };
    const copyInTransaction = (...copies: ReturnType<typeof into>[]) =>
      db.connection(async (connection) => {
        await connection.transaction(() => connection.copy(copies));
      });

    it('accepts rows for several tables at once, however many', async () => {
      await copyInTransaction(into('twos', rowsOf(NUMBERS)), into('ones', rowsOf(['a', 'b'])));
      expect(await counts()).toEqual({ ones: 2, twos: MANY });
      const [sum] = await db.query<{ sum: string }>('select sum(value) from twos');
      expect(Number(sum?.sum)).toBe((MANY * (MANY - 1)) / 2);
    });

    it('accepts rows outside a transaction, and no rows at all', async () => {
      await db.connection(async (connection) => {
        await connection.copy([into('ones', rowsOf(['a']))]);
        await connection.copy([]);
        await connection.transaction(() => connection.copy([]));
        await connection.copy([into('twos', [])]);
      });
      expect(await counts()).toEqual({ ones: 1, twos: 0 });
    });

    it.each([
      ['a row that is there already', rowsOf(['a', 'a']), '23505'],
      ['a value too many', [copyText('a') + copyText('b')], '22P04'],
      ['text that is not UTF-8', [copyText('ab').replace('b', '\xff')], '22021'],
    ])('writes no row if one has %s, and continues', async (_what, wrong, code) => {
      // The error comes while rows are sent, or after them.
      const many = code === '23505' ? rowsOf(NUMBERS) : rowsOf([1]);
      await db.connection(async (connection) => {
        for (const copies of [
          [into('ones', wrong), into('twos', many)],
          [into('twos', many), into('ones', wrong), into('twos', many)],
        ]) {
          const failed = connection.transaction(() => connection.copy(copies));
          await expect(failed).rejects.toMatchObject({ code });
          expect(await connection.query('select 1 as one')).toEqual([{ one: 1 }]);
        }
      });
      expect(await counts()).toEqual({ ones: 0, twos: 0 });
    });

    it.each([
      ['fewer', rowsOf(['a']), 2],
      ['more', rowsOf(['a', 'b']), 1],
      ['no', [], 1],
      ['some where none', rowsOf(['a']), 0],
    ])('fails and writes no row if Postgres read %s rows than intended', async (_, rows, count) => {
      const failed = copyInTransaction(into('twos', rowsOf([1])), into('ones', rows, count));
      await expect(failed).rejects.toThrow(
        /^copy ones \(value\) from stdin \(format binary\) wrote \d rows instead of \d$/,
      );
      await expect(failed).rejects.not.toMatchObject({ code: expect.anything() });
      expect(await counts()).toEqual({ ones: 0, twos: 0 });
    });

    it('reports a missing table', async () => {
      const failed = copyInTransaction(into('twos', rowsOf([1])), into('threes', rowsOf([1])));
      await expect(failed).rejects.toMatchObject({ code: '42P01' });
      expect(await counts()).toEqual({ ones: 0, twos: 0 });
    });

    it('begins a transaction with its settings if it is the first statement', async () => {
      const [own] = await db.connection((connection) =>
        connection.transaction(async () => {
          await connection.copy([into('ones', rowsOf(['a']))]);
          return connection.query<{ timeout: string }>("select current_setting('lock_timeout') as timeout");
        }, "begin; set local lock_timeout = '321ms'"),
      );
      expect(own).toEqual({ timeout: '321ms' });
    });
  });
}
