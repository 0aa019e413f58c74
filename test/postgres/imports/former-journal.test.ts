/**
 * Version 0.2.0 kept what an import replaced in seven tables. Its imports can be rolled back after the update
 * (migrations/0017_import_changes.sql).
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../../src/postgres/client/database.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { beginRollback } from '../../../src/postgres/imports/rollback.ts';
import { BEGIN_BULK } from '../../../src/postgres/imports/stored-rows.ts';
import { applyMigrations, readMigrations } from '../../../src/postgres/migrate/apply-migrations.ts';
import { rollBack as undo } from '../../imports/history/rollback-under-test.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { useTestDatabase } from '../../support/database.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { FACTORS } from '../../support/factors.ts';
import { getImport, importWithId, rollBack, rolledBack } from '../../support/import-calls.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { signIn, signInStatus } from '../../support/service-calls.ts';
import { KEPT_CHANGES, undoRows, userRows } from '../../support/user-tables.ts';

const OTHER_HASH = '$2b$04$smubUTu2Ym8/V/e1WwFgpeKpo3epXVpkdE7fex8hOhKU/elFKzQMW';
const THIRD_HASH = OTHER_HASH.replace('smub', 'smuc');
const LOGIN = '&onConflict=overwrite';
const EXTERNAL_ID = '&onConflict=overwrite&matchBy=externalId&source=shop';

let service: TestApp;
beforeEach(async () => {
  service = await createTestApp();
});
afterEach(() => service.close());

const TABLES = ['users', 'password_logins', 'third_party_logins', 'user_aliases'];

/** Copies the tables of users, so that `asFormerly` has the rows from before an import. */
async function remember(): Promise<void> {
  for (const table of TABLES)
    await service.database.db.query(`create table old_${table} as select * from ${table}`);
}

const HASH = ['password_hash', 'hash_algorithm', 'hash_secret_id', 'hash_class', 'imported_fingerprint'];

/** Moves the journal of an import into the tables of version 0.2.0, with the rows as this version wrote them. */
async function asFormerly(importId: string): Promise<void> {
  const { db } = service.database;
  const changes = (part: string, where: string) =>
    `from ${KEPT_CHANGES} c join old_${part} old on ${where} where c.import_id = '${importId}' and c.part`;
  const byLogin = [
    `insert into replaced_hashes (import_id, email, recipe_user_id, ${HASH.join()}, no_hash, hash_set_at, hash_set_by, written_at)
     select import_id, email, recipe_user_id, ${HASH.join()}, no_hash, hash_set_at, hash_set_by, c.written_at
     ${changes('password_logins', 'row_id = recipe_user_id::text')} = 'password_logins' and before ? 'password_hash'`,
    `insert into replaced_emails (import_id, third_party_id, third_party_user_id, recipe_user_id, email, verified_emails, changed_at, written_at)
     select import_id, third_party_id, third_party_user_id, recipe_user_id, email, verified_emails, changed_at, c.written_at
     ${changes('third_party_logins', 'row_id = recipe_user_id::text')} = 'third_party_logins'`,
  ];
  const content = (table: string) =>
    `to_jsonb(old)${table === 'password_logins' ? ` - '{${HASH.join()}}'::text[]` : ''}`;
  const key: Record<string, string> = {
    users: 'old.user_id::text',
    password_logins: 'old.recipe_user_id::text',
    third_party_logins: 'jsonb_build_array(old.third_party_id, old.third_party_user_id)::text',
    user_aliases: 'alias',
  };
  const ofRows = `import_id = '${importId}' and part not in ('states', 'factors')`;
  const byExternalId = [
    `insert into replaced_users (import_id, user_id, is_removed, written_at)
     select distinct import_id, user_id, part = 'users' and after is null, written_at from ${KEPT_CHANGES} changes
     where ${ofRows} and (part = 'users' or user_id not in (select user_id from ${KEPT_CHANGES} named where ${ofRows} and part = 'users'))`,
    ...TABLES.map(
      (table) => `
        insert into replaced_rows (import_id, user_id, table_name, row_key, content, written_at)
        select distinct c.import_id, c.user_id, '${table}', ${key[table]}, ${content(table)}, c.written_at
        from replaced_users c join old_${table} old using (user_id)
        where c.import_id = '${importId}' and (is_removed or '${table}' = 'users' or exists (
          select from ${KEPT_CHANGES} named where named.part = '${table}' and named.row_id = ${table === 'user_aliases' ? 'alias' : table === 'users' ? 'old.user_id::text' : 'old.recipe_user_id::text'}))`,
    ),
    `insert into replaced_rows (import_id, user_id, table_name, row_key, content, written_at)
     select import_id, user_id, part, row_id, '{"isAdded": true}', written_at from ${KEPT_CHANGES} changes
     where import_id = '${importId}' and part = 'password_logins' and before is null`,
    `insert into replaced_rows (import_id, user_id, table_name, row_key, content, written_at)
     select import_id, user_id, part, jsonb_build_array(after ->> 'third_party_id', after ->> 'third_party_user_id')::text,
       '{"isAdded": true}', written_at from ${KEPT_CHANGES} changes
     where import_id = '${importId}' and part = 'third_party_logins' and before is null`,
    `insert into replaced_passwords (import_id, user_id, recipe_user_id, ${HASH.join()}, written_at)
     select import_id, user_id, row_key, ${HASH.map((name) => `old.${name}`).join()}, kept.written_at
     from replaced_rows kept join old_password_logins old using (user_id)
     where kept.import_id = '${importId}' and table_name = 'password_logins' and row_key = old.recipe_user_id::text
       and old.password_hash is not null`,
  ];
  const [found] = await db.query<{ match_by: string }>('select match_by from imports where import_id = $1', [
    importId,
  ]);
  await db.transaction(
    async (transaction) => {
      for (const statement of [
        ...(found?.match_by === 'externalId' ? byExternalId : byLogin),
        `insert into replaced_states (import_id, user_id, disabled, state_set_at, state_by_call, written_at)
         select distinct import_id, c.user_id, disabled, state_set_at, state_by_call, c.written_at
         ${changes('password_logins', 'c.user_id = old.user_id')} = 'states'`,
        `insert into replaced_factors (import_id, user_id, factors, factors_set_at, written_at)
         select import_id, c.user_id, factors, factors_set_at, c.written_at
         ${changes('users', 'c.user_id = old.user_id')} = 'factors'`,
        `delete from import_changes where import_id = '${importId}'`,
      ])
        await transaction.query(statement);
    },
    // The sessions of that version had the time zone of the server.
    "begin; set local timezone = 'Asia/Kolkata'",
  );
}

/** Makes the migration so old that no instance of version 0.2.0 runs any more. */
const ageMigration = (db: Database) =>
  db.query("update schema_migrations set applied_at = applied_at - interval '25 hours'");

const FORMER = ['replaced_hashes', 'replaced_emails', 'replaced_states', 'replaced_factors'].concat([
  ...['replaced_users', 'replaced_rows', 'replaced_passwords'],
]);

/** Returns the tables of version 0.2.0 that have rows. */
async function formerRows(): Promise<string[]> {
  const filled: string[] = [];
  for (const table of FORMER)
    if ((await service.database.db.query(`select from ${table}`)).length > 0) filled.push(table);
  return filled;
}

const password = (email: string, passwordHash = BCRYPT.hash, more: object = {}) => ({
  ...{ recipeId: 'emailpassword', email, passwordHash, hashingAlgorithm: 'bcrypt', ...more },
  timeJoinedInMSSinceEpoch: 1_600_000_000_001,
});
const google = (id: string, email: string, more: object = {}) => ({
  ...{ recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: id, email, isVerified: true },
  ...more,
});
const user = (id: string, loginMethods: object[], more: object = {}) => ({
  externalUserId: id,
  ...more,
  loginMethods: loginMethods.map((one, index) => ({ isPrimary: index === 0, ...one })),
});

const changePassword = (recipeUserId: string) =>
  service.send('PUT', '/recipe/user', { recipeUserId, password: 'changed since' });

describe('an import of version 0.2.0 by login', () => {
  const before = [
    user('hash', [password('hash@b.c')]),
    user('none', [{ ...password('none@b.c', undefined), passwordHash: undefined, password: 'unset' }]),
    user('email', [google('g-1', 'old@google.c')]),
    user('state', [password('state@b.c'), google('g-2', 'state@google.c')]),
    user('factors', [password('factors@b.c')], FACTORS),
    user('kept-hash', [password('kept@b.c')]),
    user('used-hash', [password('used@b.c')]),
    user('used-email', [google('g-3', 'used@google.c')]),
  ];
  const after = [
    user('hash', [password('hash@b.c', OTHER_HASH)]),
    user('none', [password('none@b.c', OTHER_HASH)]),
    user('email', [google('g-1', 'new@google.c')]),
    user('state', [password('state@b.c')], { disabled: true }),
    user('factors', [password('factors@b.c')], { ...FACTORS, phoneNumbers: ['+49 30 99'] }),
    user('kept-hash', [password('kept@b.c', OTHER_HASH)]),
    user('used-hash', [password('used@b.c', OTHER_HASH)]),
    user('used-email', [google('g-3', 'new@google.c')]),
    user('new', [password('new@b.c')]),
  ];

  it('is undone, but for logins that were used or changed since', async () => {
    const { db } = service.database;
    await importWithId(service, 'before', before);
    const restored = await userRows(db);
    await remember();
    const { summary } = await importWithId(service, 'it', after, LOGIN);
    expect(summary).toMatchObject({ created: 1, updated: 8, failed: 0 });
    const changed = await userRows(db);
    await asFormerly('it');
    expect(await formerRows()).toEqual(FORMER.slice(0, 4));
    await changePassword('kept-hash');
    expect((await signIn(service, 'used@b.c', 'other')).body.status).toBe('OK');
    const signInUp = { thirdPartyId: 'google', thirdPartyUserId: 'g-3', email: { id: 'new@google.c' } };
    expect((await service.send('POST', '/recipe/signinup', signInUp)).body.createdNewUser).toBe(false);

    expect(await rolledBack(service, 'it')).toEqual({
      ...{ usersRemoved: 1, hashesRestored: 4, hashesKept: 2, emailsRestored: 1, emailsKept: 1 },
      ...{ statesRestored: 1, factorsRestored: 1 },
    });
    expect(await formerRows()).toEqual([]);
    expect(await undoRows(db)).toMatchObject({ import_changes: 0 });
    const rows = await userRows(db);
    const stays = ['kept@b.c', 'used@b.c', 'google g-3'];
    const isKept = (key: string) => stays.some((name) => key.endsWith(name));
    expect(new Map([...rows].filter(([key]) => !isKept(key)))).toEqual(
      new Map([...restored].filter(([key]) => !isKept(key))),
    );
    expect(rows.get('third_party_logins google g-3')?.row.email).toBe('new@google.c');
    expect(rows.get('password_logins used@b.c')?.row.password_hash).toBe(
      changed.get('password_logins used@b.c')?.row.password_hash,
    );
    expect(await signInStatus(service, 'kept@b.c', 'changed since')).toBe('OK');
  });
});

describe('an import of version 0.2.0 by external id', () => {
  const before = [
    user('moved', [password('moved@b.c')], { userMetadata: { plan: 'gold' } }),
    user('same', [password('same@b.c'), google('g-1', 'same@google.c')]),
    user('gains', [password('gains@b.c')]),
    user('gone', [password('gone@b.c'), google('g-2', 'gone@google.c', { externalUserId: 'gone-2' })], {
      ...FACTORS,
      userMetadata: { plan: 'silver' },
      disabled: true,
    }),
    user('used', [password('used@b.c')]),
    user('changed', [password('changed@b.c')]),
    user('swap-1', [password('swap-1@b.c')]),
    user('swap-2', [password('swap-2@b.c')]),
    user('first-hash', [{ ...password('first@b.c', undefined), passwordHash: undefined, password: 'unset' }]),
  ];
  const after = [
    user('moved', [password('new@b.c', OTHER_HASH)], { userMetadata: { plan: 'silver' }, disabled: true }),
    user('same', [password('same@b.c'), google('g-1', 'other@google.c')], FACTORS),
    user('gains', [
      password('gains@b.c'),
      google('g-3', 'gains@google.c', {
        externalUserId: 'gains-2',
        timeJoinedInMSSinceEpoch: 1_500_000_000_001,
      }),
      password('second@b.c', OTHER_HASH, { externalUserId: 'gains-3' }),
    ]),
    user('used', [password('used@b.c', OTHER_HASH)]),
    user('changed', [password('else@b.c')]),
    user('swap-1', [password('swap-2@b.c')]),
    user('swap-2', [password('swap-1@b.c')]),
    user('first-hash', [password('first@b.c', OTHER_HASH)]),
    user('created', [password('gone@b.c')]),
  ];

  it('is undone, but for users who were used or changed since', async () => {
    const { db } = service.database;
    await importWithId(service, 'before', before, '&source=shop');
    const restored = await userRows(db);
    await remember();
    const { summary } = await importWithId(service, 'it', after, `${EXTERNAL_ID}&deleteMissing=1`);
    expect(summary).toMatchObject({ created: 1, updated: 8, failed: 0, missing: { removed: 1 } });
    await asFormerly('it');
    expect(await formerRows()).toEqual(FORMER.slice(2));
    expect((await signIn(service, 'used@b.c', 'other')).body.status).toBe('OK');
    await changePassword('changed');

    expect(await rolledBack(service, 'it')).toEqual({
      ...{ usersRemoved: 1, usersRestored: 7, usersNotRestored: 2, statesRestored: 1, factorsRestored: 1 },
    });
    expect(await formerRows()).toEqual([]);
    expect(await undoRows(db)).toMatchObject({ import_changes: 0 });
    const rows = await userRows(db);
    const isKept = (key: string) => /(used|changed|else)@b\.c$/.test(key);
    expect(new Map([...rows].filter(([key]) => !isKept(key)))).toEqual(
      new Map([...restored].filter(([key]) => !isKept(key))),
    );
    expect(await signInStatus(service, 'used@b.c', 'other')).toBe('OK');
    expect(await signInStatus(service, 'else@b.c', 'changed since')).toBe('OK');
  });

  it('gives nobody an address back that somebody else has taken since', async () => {
    await importWithId(service, 'before', before, '&source=shop');
    await remember();
    await importWithId(service, 'it', after.slice(0, 8), `${EXTERNAL_ID}&deleteMissing=1`);
    await asFormerly('it');
    for (const email of ['moved@b.c', 'gone@b.c'])
      await importWithId(service, `take-${email.split('@')[0]}`, [password(email)]);
    expect(await rolledBack(service, 'it')).toMatchObject({ usersRestored: 7, usersNotRestored: 2 });
    const rows = await userRows(service.database.db);
    expect([...rows.keys()].filter((key) => /gone|moved/.test(key)).sort()).toEqual([
      'password_logins gone@b.c',
      'password_logins moved@b.c',
      'user_aliases moved',
    ]);
  });
});

describe('imports of version 0.2.0 over each other that were taken over before any rollback', () => {
  /** Makes imports by external id, takes them over, and undoes them, the latest first. Checks the users after each. */
  async function undoAll(
    before: object[],
    imports: readonly { id: string; users: object[]; options?: string; undone: number }[],
  ): Promise<void> {
    const { db } = service.database;
    await importWithId(service, 'before', before, '&source=shop');
    const states = [await userRows(db)];
    for (const { id, users, options = '' } of imports) {
      await remember();
      await importWithId(service, id, users, EXTERNAL_ID + options);
      await asFormerly(id);
      for (const table of TABLES) await db.query(`drop table old_${table}`);
      states.push(await userRows(db));
    }
    await ageMigration(db);
    await createImportStore(db, db).expire(30);
    expect(await formerRows()).toEqual([]);
    for (const { id, undone } of imports.toReversed()) {
      states.pop();
      expect(await rolledBack(service, id)).toEqual({ usersRestored: undone });
      expect(await userRows(db)).toEqual(states.at(-1));
    }
  }

  it('are undone if they set hashes', async () => {
    const people = (hash: string) => ['one', 'two'].map((id) => user(id, [password(`${id}@b.c`, hash)]));
    await undoAll(people(BCRYPT.hash), [
      { id: 'first', users: people(OTHER_HASH), undone: 2 },
      { id: 'second', users: people(THIRD_HASH), undone: 2 },
    ]);
  });

  it('are undone if one added a login, and the next removed its user', async () => {
    const one = (...added: object[]) => user('one', [password('one@b.c'), ...added]);
    const two = user('two', [password('two@b.c')]);
    const added = google('g-1', 'one@google.c', { externalUserId: 'one-2' });
    await undoAll(
      [one(), two],
      [
        { id: 'first', users: [one(added), two], undone: 1 },
        { id: 'second', users: [two], options: '&deleteMissing=1', undone: 1 },
      ],
    );
  });
});

it('a rollback that an instance of version 0.2.0 carries out does not end while changes are left that it cannot see', async () => {
  const { db } = service.database;
  await importWithId(service, 'before', [user('one', [password('one@b.c')])]);
  await importWithId(service, 'it', [user('one', [password('one@b.c', OTHER_HASH)])], LOGIN);
  await db.query(
    "update imports set rolled_back_at = now(), owner = gen_random_uuid() where import_id = 'it'",
  );
  const end = db.query("update imports set rollback_finished_at = now() where import_id = 'it'");
  await expect(end).rejects.toThrow('the rollback of it is not finished');
  expect(await rolledBack(service, 'it')).toEqual({ hashesRestored: 1 });
  expect(await signInStatus(service, 'one@b.c')).toBe('OK');
});

describe('what an import of version 0.2.0 replaced', () => {
  beforeEach(async () => {
    await importWithId(service, 'before', [user('one', [password('one@b.c')])]);
    await remember();
    await importWithId(service, 'it', [user('one', [password('one@b.c', OTHER_HASH)])], LOGIN);
    await asFormerly('it');
  });

  it('is restored by a rollback that an instance of that version has begun', async () => {
    const { db } = service.database;
    await db.query('update imports set rolled_back_at = now() where import_id = $1', ['it']);
    const imports = createImportStore(db, db);
    await ageMigration(db);
    await imports.expire(30);
    // The instance of that version may still carry it out.
    expect(await formerRows()).toEqual(['replaced_hashes']);
    expect(await rolledBack(service, 'it')).toEqual({ hashesRestored: 1 });
    expect(await signInStatus(service, 'one@b.c')).toBe('OK');
  });

  it('is taken over if a run of that version commits it while the rollback begins', async () => {
    const { db } = service.database;
    await db.query('create table later as select * from replaced_hashes; truncate replaced_hashes');
    let begun: Promise<boolean> | undefined;
    await db.transaction(async (client) => {
      await client.query("update imports set next_line = next_line + 1 where import_id = 'it'");
      begun = beginRollback(db, 'it');
      await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
      await client.query('insert into replaced_hashes select * from later');
    });
    expect(await begun).toBe(true);
    expect(await formerRows()).toEqual([]);
  });

  it('is taken over even if that takes longer than other statements may', async () => {
    const { db, uri } = service.database;
    const hasty = new Database({ uri, size: 3, timeoutMs: 500, onIdleError: () => {} });
    let begun: Promise<boolean> | undefined;
    await db.transaction(async (client) => {
      await client.query('lock table replaced_hashes');
      begun = beginRollback(hasty, 'it');
      await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
      await expect(hasty.query('select from replaced_hashes')).rejects.toThrow('Storage is unavailable');
    });
    expect(await begun).toBe(true);
    expect(await formerRows()).toEqual([]);
    await hasty.close();
  });

  it.each([
    ['', ''],
    [' even if a rollback has begun', ', rolled_back_at = written_at'],
  ])('expires%s', async (_, begun) => {
    const { db } = service.database;
    await db.query("update replaced_hashes set written_at = now() - interval '31 days'");
    if (begun !== '')
      await db.query("update imports set rolled_back_at = now() - interval '31 days' where import_id = 'it'");
    const imports = createImportStore(db, db);
    await imports.expire(30);
    expect(await formerRows()).toEqual(['replaced_hashes']);
    await ageMigration(db);
    await imports.expire(30);
    expect([await formerRows(), (await undoRows(db)).import_changes]).toEqual([[], 0]);
    expect(await rollBack(service, 'it')).toMatchObject({ body: { status: 'IMPORT_EXPIRED_ERROR' } });
    expect(await getImport(service, 'it')).toMatchObject({ importId: 'it' });
  });
});

// On Citus, some of these tables are distributed, and their sizes are not counted here.
it.skipIf(IS_CITUS)(
  'what an import of version 0.2.0 replaced by external id is taken over without reading it again and again, although PostgreSQL has no statistics yet',
  async () => {
    const { db } = service.database;
    const users = 1000;
    await db.query(`
      insert into imports (import_id, key_name, dry_run, on_conflict, owner, match_by)
      values ('it', 'k', false, 'overwrite', gen_random_uuid(), 'externalId');
      insert into users (user_id, time_joined_ms) select gen_random_uuid(), n from generate_series(1, ${users}) n;
      insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm)
      select time_joined_ms || '@b.c', user_id, user_id, time_joined_ms, 'after', 'bcrypt' from users;
      insert into replaced_users (import_id, user_id, is_removed, written_at) select 'it', user_id, false, now() from users;
      insert into replaced_rows (import_id, user_id, table_name, row_key, content, written_at)
      select 'it', user_id, 'password_logins', user_id::text, '{}'::jsonb, now() from users
      union all select 'it', user_id, 'users', user_id::text, '{}'::jsonb, now() from users;
      insert into replaced_passwords (import_id, user_id, recipe_user_id, password_hash, hash_algorithm, written_at)
      select 'it', user_id, user_id::text, 'before', 'bcrypt', now() from users`);
    const [read] = await db.transaction(async (client) => {
      await client.query("select adopt_former_journal('it')");
      return client.query<{ rows: number }>(
        `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
         where relname like 'replaced%' or relname = 'password_logins'`,
      );
    }, BEGIN_BULK);
    expect(await formerRows()).toEqual([]);
    expect((await undoRows(db)).import_changes).toBe(2 * users);
    expect(read?.rows).toBeLessThan(30 * users);
  },
);

it('a database of version 0.2.0 is migrated with what its imports replaced', async () => {
  const { db } = await useTestDatabase({ empty: true });
  const migrations = readMigrations();
  await applyMigrations(
    db,
    migrations.filter(({ version }) => version < 17),
  );
  await db.query(`
    insert into users (user_id, time_joined_ms) select ('00000000-0000-7000-8000-00000000000' || n)::uuid, n from generate_series(1, 3) n;
    insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_at, last_sign_in_at)
    select time_joined_ms || '@b.c', user_id, user_id, time_joined_ms, 'after', 'bcrypt', now(),
      case when time_joined_ms = 2 then now() + interval '1 s' end from users;
    insert into imports (import_id, key_name, dry_run, on_conflict, owner) values ('it', 'k', false, 'overwrite', gen_random_uuid());
    insert into replaced_hashes (import_id, email, recipe_user_id, password_hash, hash_algorithm, hash_set_at, hash_set_by, written_at)
    select 'it', email, recipe_user_id, 'before', 'bcrypt', hash_set_at - interval '1 day', 'import', hash_set_at from password_logins
    where email <> '3@b.c'`);
  expect(await applyMigrations(db, migrations)).toContain('0017_import_changes.sql');
  // An instance of that version may still roll the import back.
  expect(await db.query('select from replaced_hashes')).toHaveLength(2);
  expect(await undo(db, 'it')).toMatchObject({ rollback: { hashesRestored: 1, hashesKept: 1 } });
  const hashes = await db.query('select password_hash as hash from password_logins order by email');
  expect(hashes).toEqual([{ hash: 'before' }, { hash: 'after' }, { hash: 'after' }]);
});
