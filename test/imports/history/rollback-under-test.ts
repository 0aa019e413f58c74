import { expect } from 'vitest';
import { BulkPace } from '../../../src/imports/bulk-pace.ts';
import { type RollbackOutcome, rollBackImport } from '../../../src/imports/import-history.ts';
import { recogniseEngine } from '../../../src/postgres/citus/recognise-engine.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import type { UserStore } from '../../../src/users/user-store.ts';
import { testPasswords } from '../../support/app.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { ndjson } from '../../support/ndjson.ts';
import { WITH_ALL_TABLES } from '../../support/with-all-tables.ts';
import { runStream } from '../import-under-test.ts';
import { hashNumber } from '../model/model-streams.ts';

export const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);
export const email = (n: number) => `user-${n}@b.c`;
export const passwordLine = (n: number, variant: number) => ({
  email: email(n),
  passwordHash: hashNumber(variant),
});
export const googleLine = (n: number, domain: string) => ({
  thirdPartyId: 'google',
  thirdPartyUserId: `id-${n}`,
  email: { id: `${n}@${domain}` },
});
/** A user with both kinds of login, and an external id. */
export const linkedLine = (n: number) => ({
  externalUserId: `old-${n}`,
  loginMethods: [
    { recipeId: 'emailpassword', hashingAlgorithm: 'bcrypt', ...passwordLine(n, 0) },
    { recipeId: 'thirdparty', email: `${n}@google.c`, thirdPartyId: 'google', thirdPartyUserId: `l-${n}` },
  ],
});

const passwords = testPasswords();

/** Imports lines in chunks of `maxLines`. Each line must create or change something. */
export async function importInChunks(
  db: Database,
  importId: string,
  lines: readonly unknown[],
  maxLines = 1000,
): Promise<void> {
  const limits = { maxLines, maxBytes: 10_000_000, idleMs: 1000, maxAgeMs: 60_000 };
  const stream = { bytes: Buffer.from(ndjson(...lines)), pace: { sizes: [65_536], pauses: false }, limits };
  const request = { importId, dryRun: false, onConflict: 'overwrite' as const };
  const { summary } = await runStream({ db, passwords }, request, stream);
  expect([summary?.lines, summary?.failed, summary?.skipped]).toEqual([lines.length, 0, 0]);
}

export const rollBack = (db: Database, importId: string): Promise<RollbackOutcome> =>
  rollBackImport({ imports: createImportStore(db, db), pace: new BulkPace() }, importId);

/** Records a sign-in with the current password. */
export async function bookSignIn(store: UserStore, address: string): Promise<void> {
  const login = await findLoginWithHash(store, address);
  if (login !== undefined) await store.recordSignIn(address, login);
}

/** Connects to this database as another instance. */
export async function connectedDatabase(uri: string): Promise<Database> {
  const db = new Database({ uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  db.engine = await recogniseEngine(db);
  return db;
}

/** Returns users without any login, and logins and ids without a user. */
export const halves = (db: Database) =>
  db.query(
    `${WITH_ALL_TABLES}
     select u.user_id as user, l.user_id as login
     from users u full join (
       select user_id from password_logins union all select user_id from third_party_logins
       union all select user_id from user_aliases
     ) l using (user_id)
     where u.time_joined_ms is null or l.user_id is null`,
  );
