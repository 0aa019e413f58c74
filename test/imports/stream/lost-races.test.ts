import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BulkPace } from '../../../src/imports/bulk-pace.ts';
import { rollBackImport } from '../../../src/imports/import-history.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { importLines, ndjson } from '../../support/ndjson.ts';
import { stageOn, stateOf, useWorker } from '../../support/staged-workers.ts';
import { userOf, usersOf } from '../../support/staging.ts';

let service: TestApp;
beforeEach(async () => {
  service = await createTestApp({ stagedWaits: true });
});
afterEach(() => service.close());

/** Makes every later operation of this kind on a row fail in this way. */
async function befall(event: string, trouble: string): Promise<void> {
  const { db } = service.database;
  await db.query(`create function trouble() returns trigger language plpgsql as $$ begin ${trouble}; end $$`);
  await db.query(`create trigger trouble before ${event} for each row execute function trouble()`);
}
const befallInserts = (trouble: string) => befall('insert on password_logins', trouble);

const stream = (importId: string) =>
  importLines(
    service,
    ndjson({ email: 'a@b.c', passwordHash: BCRYPT.hash }, { email: 'b@b.c', passwordHash: BCRYPT.hash }),
    `?importId=${importId}`,
  );

// Postgres' own message, which is all that Citus passes on from a COPY.
const TAKEN = `'duplicate key value violates unique constraint "password_logins_pkey"' using errcode = 'unique_violation'`;
const DEADLOCK = "'deadlock detected' using errcode = 'deadlock_detected'";

const message = 'Service is overloaded: too many concurrent changes to the same users';

describe.each([
  ['rows that are there each time', TAKEN],
  [
    'locks that are held each time',
    "'canceling statement due to lock timeout' using errcode = 'lock_not_available'",
  ],
  ['deadlocks each time', DEADLOCK],
])('%s', (_, error) => {
  beforeEach(() => befallInserts(`raise exception ${error}`));

  it('are OVERLOADED for a user who is imported at once, and for a stream', async () => {
    const answer = await service.send('POST', '/bulk-import/import', userOf('a@b.c'));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.body).toMatchObject({ code: 'OVERLOADED', message });
    expect(await stream('it')).toMatchObject({ summary: undefined, error: { code: 'OVERLOADED', message } });
  });
});

it('fails staged users whose rows conflict each time, because that does not pass', async () => {
  await befallInserts(`raise exception ${TAKEN}`);
  await stageOn(service.database, usersOf(1));
  const { worker, errors } = useWorker(service.database);
  await worker.idle();
  expect(errors).toMatchObject([{ code: 'OVERLOADED', cause: { code: '23505' } }]);
  expect(await stateOf(service.database)).toEqual({ users: 0, emails: 0, staged: { FAILED: 1 } });
});

it('ends a rollback that loses each time, and the rollback can be continued', async () => {
  const { db } = service.database;
  expect(await stream('it')).toMatchObject({ summary: { created: 2 } });
  await befall('delete on users', `raise exception ${DEADLOCK}`);
  const imports = createImportStore(db, db);
  await expect(rollBackImport({ imports, pace: new BulkPace() }, 'it')).rejects.toMatchObject({
    code: 'OVERLOADED',
    message,
  });
  await db.query('drop trigger trouble on users');
  expect(await rollBackImport({ imports, pace: new BulkPace() }, 'it')).toMatchObject({
    rollback: { usersRemoved: 2 },
  });
});

describe.skipIf(IS_CITUS)(
  'a row that does not arrive (not on Citus, which counts the rows that it sends to the nodes)',
  () => {
    beforeEach(() => befallInserts("if new.email = 'b@b.c' then return null; end if; return new"));

    it('fails its chunk with an error', async () => {
      expect(await stream('it')).toMatchObject({ summary: undefined, error: { code: 'INTERNAL' } });
      expect(service.log()).toMatch(/wrote 1 rows instead of 2/);
      expect(await stateOf(service.database)).toMatchObject({ users: 0, emails: 0 });
    });

    it('fails a user who is imported at once', async () => {
      const answer = await service.send('POST', '/bulk-import/import', userOf('b@b.c'));
      expect(answer.body).toMatchObject({ statusCode: 500, code: 'INTERNAL' });
      expect(await stateOf(service.database)).toMatchObject({ users: 0, emails: 0 });
    });
  },
);
