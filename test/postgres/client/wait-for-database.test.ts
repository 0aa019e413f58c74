import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { CITUS } from '../../../src/postgres/citus/citus.ts';
import type { Queryable } from '../../../src/postgres/client/connection.ts';
import { type Engine, ONE_POSTGRES } from '../../../src/postgres/client/engine.ts';
import { waitForDatabase } from '../../../src/postgres/client/wait-for-database.ts';

/** A database that is unavailable for a number of statements. */
function databaseThatComes(engine: Engine, afterTries: number, cause?: unknown) {
  const sent: string[] = [];
  const db: Queryable = {
    engine,
    async query(text: string) {
      sent.push(text);
      if (sent.length <= afterTries)
        throw new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable: a test', { cause });
      return [];
    },
  };
  return { db, sent };
}

it.each([
  { engine: ONE_POSTGRES, statement: 'select 1' },
  { engine: CITUS, statement: 'select 1 from users limit 1' },
])('waits for the whole database: $engine.name', async ({ engine, statement }) => {
  const logger = { warn: vi.fn() };
  const { db, sent } = databaseThatComes(engine, 2);
  await waitForDatabase(db, 60_000, logger);
  expect(sent).toEqual([statement, statement, statement]);
  expect(logger.warn).toHaveBeenCalledOnce();
});

it('fails with a message if the database does not become available in time', async () => {
  const { db } = databaseThatComes(CITUS, 1000);
  await expect(waitForDatabase(db, 300, { warn() {} })).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: expect.stringContaining('within 300 ms (database_wait_ms)'),
  });
});

it('names the Citus node that is unavailable', async () => {
  const cause = new pg.DatabaseError(
    'connection to the remote node user@10.0.0.3:5432 failed with the following error: Connection refused',
    0,
    'error',
  );
  const { db } = databaseThatComes(CITUS, 1000, cause);
  const logger = { warn: vi.fn() };
  await expect(waitForDatabase(db, 300, logger)).rejects.toMatchObject({
    message:
      'Storage is unavailable: node 10.0.0.3:5432 of Citus did not answer within 300 ms (database_wait_ms)',
  });
  expect(logger.warn.mock.calls[0]?.[1]).toBe('waiting for node 10.0.0.3:5432 of Citus to answer');
});
