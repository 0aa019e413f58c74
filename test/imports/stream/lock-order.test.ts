/** All transactions lock a user before the user's logins, so that calls about users and imports never deadlock. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { FACTORS } from '../../support/factors.ts';
import { importWithId, rolledBack } from '../../support/import-calls.ts';
import { lockWaits } from '../../support/lock-waits.ts';

let service: TestApp;
beforeEach(async () => {
  service = await createTestApp();
});
afterEach(() => service.close());

const password = { recipeId: 'emailpassword', email: 'ada@example.com', passwordHash: BCRYPT.hash };
const social = {
  recipeId: 'thirdparty',
  email: 'ada@example.com',
  thirdPartyId: 'google',
  thirdPartyUserId: '1',
};
const before = { externalUserId: 'ada', loginMethods: [password] };

/** Holds the user as a call about the user does, and takes the logins when `other` waits for the user. */
async function whileHeld<Result>(other: () => Promise<Result>): Promise<Result> {
  const { db } = service.database;
  let running: Promise<Result> | undefined;
  await db.transaction(async (client) => {
    await client.query('update users set time_joined_ms = time_joined_ms');
    running = other();
    await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
    for (const table of ['password_logins', 'third_party_logins'])
      await client.query(`select 1 from ${table} for update nowait`);
  });
  if (running === undefined) throw new Error('nothing was run');
  return running;
}

// On Citus, no statement locks rows of several shards without waiting.
describe.skipIf(IS_CITUS).each([
  ['factors, found by login', '', { ...before, ...FACTORS }],
  ['factors, found by external id', '&matchBy=externalId', { ...before, ...FACTORS }],
  ['another state, found by login', '', { ...before, disabled: true }],
  ['another state, found by external id', '&matchBy=externalId', { ...before, disabled: true }],
  ['metadata', '&matchBy=externalId', { ...before, userMetadata: { plan: 'gold' } }],
  ['another login', '&matchBy=externalId', { ...before, loginMethods: [password, social] }],
])('a user who gets %s', (_, query, line) => {
  it('is locked before the logins by the import and by its rollback', async () => {
    await importWithId(service, 'week-1', [before], '&source=shop');
    const to = `&source=shop&onConflict=overwrite${query}`;
    await whileHeld(() => importWithId(service, 'week-2', [line], to));
    const counts = await whileHeld(() => rolledBack(service, 'week-2'));
    expect(Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0)).toBeGreaterThan(0);
  });
});

it('disables a user by all logins if the user changes an address while the import waits, and nobody else', async () => {
  await importWithId(service, 'week-1', [{ loginMethods: [password, social] }]);
  const { db } = service.database;
  const line = { disabled: true, loginMethods: [social] };
  const [login = {}] = await db.query('select * from password_logins');
  let importing: Promise<unknown> | undefined;
  await db.transaction(async (client) => {
    const insert = (row: Record<string, unknown>) => {
      const values = Object.keys(row).map((_, index) => `$${index + 1}`);
      return client.query(
        `insert into password_logins (${Object.keys(row)}) values (${values})`,
        Object.values(row),
      );
    };
    await client.query('select 1 from users where user_id = $1 for update', [login.user_id]);
    importing = importWithId(service, 'week-2', [line], '&onConflict=overwrite');
    await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
    await client.query('delete from password_logins where email = $1', [login.email]);
    await insert({ ...login, email: 'own@example.com' });
    const id = randomUUID();
    await insert({ ...login, user_id: id, recipe_user_id: id, linked: false });
  });
  await importing;
  expect(await db.query('select email, disabled from password_logins order by email')).toEqual([
    { email: 'ada@example.com', disabled: false },
    { email: 'own@example.com', disabled: true },
  ]);
});
