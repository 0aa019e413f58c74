import { expect, it, onTestFinished } from 'vitest';
import { CITUS } from '../../../../src/postgres/citus/citus.ts';
import { writeSignInsOnNodes } from '../../../../src/postgres/citus/users/citus-queries.ts';
import { SingleImports } from '../../../../src/postgres/users/import-logins.ts';
import { CITUS_STAND_INS, IS_CITUS } from '../../../support/citus.ts';
import { useTestDatabase } from '../../../support/database.ts';
import { labelledHash } from '../../../support/labelled-hashes.ts';
import { idOf } from '../../../support/numbered-ids.ts';
import { RecordingDatabase } from '../../statements/recording-database.ts';

const NOW = 1_700_000_000_000;
const USERS = 24;
const [KNOWN, LEFT, NEW] = [8, 16, 24];
/** Of each table, by default on two or three nodes. */
const SHARDS = IS_CITUS ? 4 : 2;

async function recording() {
  const { uri } = await useTestDatabase();
  const db = new RecordingDatabase({ uri, size: 4, timeoutMs: 30_000, onIdleError: () => {} });
  db.engine = CITUS;
  onTestFinished(() => db.close());
  return db;
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

it('known, upgraded and new logins take two statements for each shard, and a fixed number of others', async () => {
  const db = await recording();
  if (!IS_CITUS) await db.query(CITUS_STAND_INS);
  const imports = new SingleImports(db);
  const loginsOf = (to: number, hash: string) =>
    numbers(0, to).map((n) => ({ email: `u${n}@b.c`, hash: labelledHash(`${hash}${n}`) }));
  const first = await imports.run(loginsOf(LEFT, 'old'));
  await db.query("update password_logins set imported_fingerprint = '\\x01' where email = any ($1)", [
    numbers(KNOWN, LEFT).map((n) => `u${n}@b.c`),
  ]);
  // A COPY that fails closes connections of Citus, so it is not among the statements of later calls.
  await imports.run(loginsOf(1, 'old'));
  const before = db.sent.length;
  const again = await imports.run(loginsOf(USERS, 'new'));
  const sent = db.sent.slice(before).map(({ text }) => text);
  expect(again.map(({ existed }) => existed)).toEqual(numbers(0, USERS).map((n) => n < LEFT));
  expect(again.slice(0, LEFT).map(({ user }) => user.id)).toEqual(first.map(({ user }) => user.id));
  expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(2 * SHARDS + 13);
  const [row] = await db.query<Record<string, number>>(
    `select (select count(*)::int from users) as users, (select count(*)::int from password_logins) as logins,
       (select count(*)::int from hash_changes) as changes`,
  );
  // The call after the COPY that failed set the same hash once more.
  expect(row).toEqual({ users: NEW, logins: NEW, changes: LEFT + 1 });
});

it('third-party sign-ins keep the ids of known logins, and remember verified addresses', async () => {
  const db = await recording();
  const signIns = (from: number, to: number, id: number, email: string) =>
    numbers(from, to).map((n) => ({
      signIn: { identity: { id: 'google', userId: `g${n}` }, email, verified: true },
      id: idOf(id + n),
    }));
  expect(await writeSignInsOnNodes(db, signIns(0, KNOWN, 0, 'a@b.c'), NOW)).toEqual([]);
  const before = db.sent.length;
  const existing = await writeSignInsOnNodes(db, signIns(0, LEFT, 100, 'b@b.c'), NOW);
  expect(db.sent.length - before).toBeLessThanOrEqual(4);
  expect(existing.map(({ user_id }) => user_id).toSorted()).toEqual(numbers(0, KNOWN).map(idOf));
  const rows = await db.query<{ addresses: string; count: number }>(
    `select verified_emails::text as addresses, count(*)::int as count from third_party_logins
     group by verified_emails order by 1`,
  );
  expect(rows).toEqual([
    { addresses: '{a@b.c,b@b.c}', count: KNOWN },
    { addresses: '{b@b.c}', count: LEFT - KNOWN },
  ]);
});
