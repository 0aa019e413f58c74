import { beforeEach, expect, it } from 'vitest';
import type { KeptHash } from '../../../src/hashing/verifier.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { importLogins } from '../../../src/postgres/users/import-logins.ts';
import { UnchangedLogins } from '../../../src/postgres/users/unchanged-logins.ts';
import { useTestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { idOf } from '../../support/numbered-ids.ts';

let db: Database;
let unchangedLogins: UnchangedLogins;
beforeEach(async () => {
  ({ db } = await useTestDatabase());
  unchangedLogins = new UnchangedLogins();
});

const { encoded, algorithm, strength, identity } = labelledHash('same');
const HASH: KeptHash = { encoded, algorithm, strength, identity };
const EMAIL = 'a@b.c';
const importHash = async (hash: KeptHash = HASH, matchesFingerprint = (_: string) => false) => {
  const [imported] = await importLogins(db, [{ email: EMAIL, hash, matchesFingerprint }], {
    unchangedLogins,
  });
  return imported;
};
/** Version of the row, and number of recorded changes. */
const written = async () => {
  const [login] = await db.query('select xmin::text as version, password_hash from password_logins');
  const [changes] = await db.query('select count(*)::int as changes from hash_changes');
  return { ...login, ...changes };
};
/** Creates the user, and imports it again, so that the next import reads first. */
async function importTwice() {
  await importHash();
  await importHash();
  return written();
}
const find = (hash: KeptHash = HASH) =>
  unchangedLogins.find(db, [{ login: { email: EMAIL, hash }, id: idOf(1) }]);

it('an import of the same hash writes nothing, and returns the user', async () => {
  const before = await importTwice();
  expect(before).toMatchObject({ changes: 1 });
  const [row] = await db.query<{ user_id: string }>('select user_id from password_logins');
  for (let again = 0; again < 3; again += 1)
    expect(await importHash()).toMatchObject({
      existed: true,
      user: { id: row?.user_id, loginMethods: [{ email: EMAIL, recipeUserId: row?.user_id }] },
    });
  expect(await written()).toEqual(before);
});

it.each([
  ['hash', { encoded: labelledHash('other').encoded }],
  ['algorithm', { algorithm: 'argon2' }],
  ['secret', { secretId: 'pepper' }],
  ['strength', { strength: 'weak' }],
] as const)('an import of another %s is written', async (_, difference) => {
  const before = await importTwice();
  await importHash({ ...HASH, ...difference } as KeptHash);
  expect(await written()).toMatchObject({ changes: Number(before.changes) + 1 });
});

it.each([
  ['was set by its user', "hash_set_by = 'user'"],
  ['has no hash', "no_hash = 'unset', password_hash = null, hash_algorithm = null, hash_class = null"],
])('a login that %s is written', async (_, change) => {
  const { changes } = await importTwice();
  await db.query(`update password_logins set ${change}`);
  await importHash();
  expect(await written()).toMatchObject({ password_hash: HASH.encoded, changes: Number(changes) + 1 });
});

it('a login whose imported hash was upgraded is read once, and left as it is', async () => {
  await importTwice();
  await db.query("update password_logins set password_hash = 'upgraded', imported_fingerprint = '\\x01'");
  const before = await written();
  expect(await find()).toEqual([]);
  unchangedLogins.wrote({ wereKnown: true });
  expect(await importHash(HASH, (fingerprint) => fingerprint === '01')).toMatchObject({ existed: true });
  expect(await written()).toEqual(before);
});

it('a hash that a rollback may undo is written, so that it stays', async () => {
  const { changes } = await importTwice();
  const record = (importId: string, dryRun: boolean) =>
    db.query(
      `insert into imports (import_id, key_name, owner, dry_run, on_conflict, updated_at)
       select $1, 'key', gen_random_uuid(), $2, 'overwrite', max(hash_set_at) from password_logins`,
      [importId, dryRun],
    );
  await record('dry', true);
  expect(await find()).toHaveLength(1);
  await record('real', false);
  expect(await find()).toEqual([]);
  unchangedLogins.wrote({ wereKnown: true });
  await importHash();
  expect(await written()).toMatchObject({ changes: Number(changes) + 1 });
  unchangedLogins = new UnchangedLogins();
  unchangedLogins.wrote({ wereKnown: true });
  expect(await find()).toHaveLength(1);
});

it('a login that is being changed is written, after the change', async () => {
  const { changes } = await importTwice();
  let imported: Promise<unknown> = Promise.resolve();
  await db.transaction(async (client) => {
    await client.query('update password_logins set password_hash = $2 where email = $1', [EMAIL, 'other']);
    expect(await find()).toEqual([]);
    unchangedLogins.wrote({ wereKnown: true });
    imported = importHash();
  });
  await imported;
  expect(await written()).toMatchObject({ password_hash: HASH.encoded, changes: Number(changes) + 1 });
});

it('is not tried for new users, and seldom if the hashes differ', async () => {
  const reads = async (batches: number, hash: (batch: number) => KeptHash) => {
    let count = 0;
    for (let batch = 0; batch < batches; batch += 1) {
      const query = async (text: string, values: readonly unknown[] = []) => {
        count += 1;
        return db.query(text, values);
      };
      const found = await unchangedLogins.find({ engine: db.engine, query } as unknown as Database, [
        { login: { email: EMAIL, hash: hash(batch) }, id: idOf(1) },
      ]);
      if (found.length === 0) unchangedLogins.wrote({ wereKnown: true });
    }
    return count;
  };
  unchangedLogins.wrote({ wereKnown: false });
  expect(await find()).toEqual([]);
  await importTwice();
  expect(await reads(100, (batch) => labelledHash(`hash${batch}`))).toBeLessThanOrEqual(12);
  // Two statements for each batch, once reading has found unchanged logins.
  expect(await reads(100, () => HASH)).toBeGreaterThan(150);
});
