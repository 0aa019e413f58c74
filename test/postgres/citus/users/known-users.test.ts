import { expect, it, onTestFinished } from 'vitest';
import { CITUS } from '../../../../src/postgres/citus/citus.ts';
import { writeImportedOnNodes } from '../../../../src/postgres/citus/users/write-imported.ts';
import { writeSignInsOnNodes } from '../../../../src/postgres/citus/users/write-sign-ins.ts';
import { useTestDatabase } from '../../../support/database.ts';
import { labelledHash } from '../../../support/labelled-hashes.ts';
import { idOf } from '../../../support/numbered-ids.ts';
import { RecordingDatabase } from '../../statements/recording-database.ts';

const NOW = 1_700_000_000_000;
const USERS = 24;
const [KNOWN, LEFT, NEW] = [8, 16, 24];

async function recording() {
  const { uri } = await useTestDatabase();
  const db = new RecordingDatabase({ uri, size: 4, timeoutMs: 30_000, onIdleError: () => {} });
  db.engine = CITUS;
  onTestFinished(() => db.close());
  return db;
}

const loginOf = (n: number, id: number) => ({
  login: { email: `u${n}@b.c`, hash: labelledHash(`hash${id}`) },
  id: idOf(id),
});
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

it('known, upgraded and new logins on all shards take as many statements as one shard', async () => {
  const db = await recording();
  const options = { now: NOW, replaceable: [], isChecked: false };
  await writeImportedOnNodes(
    db,
    numbers(0, LEFT).map((n) => loginOf(n, n)),
    options,
  );
  await db.query("update password_logins set imported_fingerprint = '\\x01' where email = any ($1)", [
    numbers(KNOWN, LEFT).map((n) => `u${n}@b.c`),
  ]);
  const before = db.sent.length;
  const kept = await writeImportedOnNodes(
    db,
    numbers(0, USERS).map((n) => loginOf(n, 100 + n)),
    options,
  );
  const ofKept = new Map(kept.map((row) => [row.email, row.user_id]));
  expect(ofKept).toEqual(
    new Map(numbers(0, LEFT).map((n) => [`u${n}@b.c`, n < KNOWN ? idOf(n) : null] as const)),
  );
  // One each for logins, hand-overs, changes of hashes and users, and those that begin and end the transaction.
  expect(db.sent.length - before).toBeLessThanOrEqual(6);
  const [row] = await db.query<Record<string, number>>(
    `select (select count(*)::int from users) as users, (select count(*)::int from password_logins) as logins,
       (select count(*)::int from hash_changes) as changes`,
  );
  expect(row).toEqual({ users: NEW, logins: NEW, changes: KNOWN });
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
