import { expect, it, vi } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import type { Queryable } from '../../../src/postgres/client/connection.ts';
import type { Engine } from '../../../src/postgres/client/engine.ts';
import { waitForDatabase } from '../../../src/postgres/client/wait-for-database.ts';

/** A database of which something is away for so many statements. */
function databaseThatComes(engine: Engine, afterTries: number) {
  const sent: string[] = [];
  const db: Queryable = {
    engine,
    async query(text: string) {
      sent.push(text);
      if (sent.length <= afterTries)
        throw new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable: a test');
      return [];
    },
  };
  return { db, sent };
}

it.each([
  ['postgres', 'select 1'],
  ['citus', 'select 1 from users limit 1'],
] as const)('waits for all of the database: %s', async (engine, statement) => {
  const logger = { warn: vi.fn() };
  const { db, sent } = databaseThatComes(engine, 2);
  await waitForDatabase(db, 60_000, logger);
  expect(sent).toEqual([statement, statement, statement]);
  expect(logger.warn).toHaveBeenCalledOnce();
});

it('says so where it does not come in time', async () => {
  const { db } = databaseThatComes('citus', 1000);
  await expect(waitForDatabase(db, 300, { warn() {} })).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: expect.stringContaining('within 300 ms (database_wait_ms)'),
  });
});
