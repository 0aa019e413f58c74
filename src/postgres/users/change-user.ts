import { hash, randomUUID } from 'node:crypto';
import type { KeptHash } from '../../hashing/verifier.ts';
import { isPostgresText, isUuid } from '../../lib/text/characters.ts';
import type { LegacyProfile, PasswordLogin } from '../../users/user-store.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isUniqueViolation } from '../client/pg-error.ts';
import { withHashChange } from './password-logins.ts';
import { LOGIN_TABLES, PROFILE_COLUMNS } from './user-row.ts';

interface ResolvedId {
  userId: string;
  /**
   * Id of the login method that the given id means. For the id of a user, it is this id, even if no login method has
   * it.
   */
  recipeUserId: string;
}

/** Finds the user of an id, which may be a user id, a recipe user id, an external id or any text. */
export async function resolveId(db: Queryable, id: string): Promise<ResolvedId | undefined> {
  if (!isPostgresText(id)) return undefined;
  // Most ids are user ids, so the users are read first; one table at a time, as Citus needs it (rule 1 of
  // citus/citus.ts).
  if (isUuid(id)) {
    const [user] = await db.query<{ user_id: string }>('select user_id from users where user_id = $1', [id]);
    if (user !== undefined) return { userId: user.user_id, recipeUserId: user.user_id };
  }
  const [row] = await db.query<{ user_id: string; recipe_user_id: string }>(
    'select user_id, recipe_user_id from user_aliases where alias = $1',
    [id],
  );
  return row && { userId: row.user_id, recipeUserId: row.recipe_user_id };
}

/** Returns the value of a column of `users`, if the user has one. The id may be any text. */
export async function readOfUser<Value>(
  db: Queryable,
  id: string,
  column: 'metadata' | 'factors',
): Promise<{ userId: string; value: Value } | undefined> {
  const userId = (await resolveId(db, id))?.userId;
  if (userId === undefined) return undefined;
  const [row] = await db.query<{ value: Value | null }>(
    `select ${column} as value from users where user_id = $1`,
    [userId],
  );
  return row && row.value !== null ? { userId, value: row.value } : undefined;
}

/**
 * Locks the user of an id. Then resolves the id again, because the transaction that had the lock before may have
 * changed what it means.
 */
async function resolveAndLock(client: Queryable, id: string): Promise<ResolvedId | undefined> {
  const resolved = await resolveId(client, id);
  if (resolved === undefined) return undefined;
  await lockUser(client, resolved.userId);
  return resolveId(client, id);
}

/**
 * Locks a user, so that changes of one user are made one after the other. A removal or count of logins then sees all
 * earlier changes.
 */
async function lockUser(client: Queryable, userId: string): Promise<void> {
  await client.engine.lockChange(client, userId);
  await client.query('select 1 from users where user_id = $1 for update', [userId]);
}

/** Returns parts of a `with` query, one for each table of logins. */
const forBoth = (part: (table: string) => string) => Object.values(LOGIN_TABLES).map(part).join(',\n');

/**
 * Disables or enables a user. `changed_at` shows a rollback that the user is no longer as imported. A call that changes
 * nothing leaves `changed_at` as it is, but marks the state as set by a call, which imports with `update-unchanged`
 * keep.
 */
const SET_DISABLED = `
  with clock as (select now() as now), ${forBoth(
    (table) => `of_${table} as (
      update ${table} login set disabled = $2, state_set_at = clock.now, state_by_call = true,
        changed_at = case when login.disabled = $2 then login.changed_at else clock.now end
      from clock where login.user_id = $1 returning login.user_id
    )`,
  )}
  select user_id from of_password_logins union select user_id from of_third_party_logins`;

/**
 * Disables or enables a user. Deletes the record of a refusal by the SuperTokens core, so that the user is handed over
 * again.
 * @returns `handed-over` if the core has the user, or may have it
 */
export async function setDisabled(
  db: Database,
  id: string,
  disabled: boolean,
): Promise<'set' | 'unknown-user' | 'handed-over'> {
  return db.transaction(async (client) => {
    // The lock also keeps a hand-over from sending the user to the core at the same time.
    const resolved = await resolveAndLock(client, id);
    if (resolved === undefined) return 'unknown-user';
    const { userId } = resolved;
    await client.query(`delete from handed_over_logins where user_id = $1 and state = 'refused'`, [userId]);
    const [handedOver] = await client.query('select from handed_over_logins where user_id = $1 limit 1', [
      userId,
    ]);
    if (handedOver !== undefined) return 'handed-over';
    const rows = await client.query(SET_DISABLED, [userId, disabled]);
    return rows.length > 0 ? 'set' : 'unknown-user';
  });
}

const REMOVE_USER = `
  with ${forBoth((table) => `of_${table} as (delete from ${table} where user_id = $1)`)},
    aliases as (delete from user_aliases where user_id = $1),
    moved as (delete from moved_logins where user_id = $1)
  delete from users where user_id = $1`;

/** Does nothing if the id is unknown. */
export async function removeUser(db: Database, id: string, scope: 'user' | 'login-method'): Promise<void> {
  await db.transaction(async (client) => {
    const resolved = await resolveAndLock(client, id);
    if (resolved === undefined) return;
    if (scope === 'login-method' && (await removeLoginMethod(client, resolved))) return;
    await client.query(REMOVE_USER, [resolved.userId]);
  });
}

/**
 * Removes a login method. Marks the other logins as changed, so that a rollback keeps the user, who is no longer as
 * imported.
 */
const REMOVE_LOGIN_METHOD = `
  with ${forBoth(
    (table) =>
      `of_${table} as (delete from ${table} where user_id = $1 and recipe_user_id = $2 returning user_id)`,
  )},
  removed as (table of_password_logins union all table of_third_party_logins),
  ${forBoth(
    (table) => `left_${table} as (
      update ${table} set changed_at = now()
      where user_id = $1 and recipe_user_id <> $2 and exists (table removed)
    )`,
  )},
  moved as (delete from moved_logins where recipe_user_id = $2)
  delete from user_aliases where user_id = $1 and recipe_user_id = $2`;

const GIVE_USER_ID = `
  with external as (select 1 from user_aliases where user_id = $1 and kind = 'external'), ${forBoth(
    (table) => `of_${table} as (
      update ${table} set recipe_user_id = $1, linked = exists (table external) where user_id = $1
    )`,
  )}
  update user_aliases set recipe_user_id = $1 where user_id = $1`;

/** Returns false if the login method was the last one: the caller must then remove the rest of the user. */
async function removeLoginMethod(client: Queryable, { userId, recipeUserId }: ResolvedId): Promise<boolean> {
  await client.query(REMOVE_LOGIN_METHOD, [userId, recipeUserId]);
  const left = await client.query<{ recipe_user_id: string }>(
    `select recipe_user_id from password_logins where user_id = $1
     union all select recipe_user_id from third_party_logins where user_id = $1`,
    [userId],
  );
  if (left.length === 0) return false;
  // The last remaining login method gets the id of the user, which applications know. The former id of the
  // method remains an alias.
  const [last, ...others] = left;
  if (last !== undefined && others.length === 0) {
    await exchangeRecords(client, userId, last.recipe_user_id);
    await client.query(GIVE_USER_ID, [userId]);
  }
  await client.query(
    `update users set time_joined_ms = (
       select min(time_joined_ms) from (
         select time_joined_ms from password_logins where user_id = $1
         union all select time_joined_ms from third_party_logins where user_id = $1) methods)
     where user_id = $1`,
    [userId],
  );
  return true;
}

/**
 * Exchanges the ids in the records of two logins, because the last login gets the id of the removed one. The record of
 * the removed login stays for the report.
 */
async function exchangeRecords(client: Queryable, removedId: string, lastId: string): Promise<void> {
  if (lastId === removedId) return;
  await client.query('update handed_over_logins set hash_is_left = false where recipe_user_id = $1', [
    removedId,
  ]);
  for (const table of ['handed_over_logins', 'moved_logins'])
    await exchangeIds(client, table, removedId, lastId);
}

async function exchangeIds(
  client: Queryable,
  table: string,
  removedId: string,
  lastId: string,
): Promise<void> {
  const rows = await client.query(`select from ${table} where recipe_user_id = any ($1::uuid[]) limit 1`, [
    [removedId, lastId],
  ]);
  if (rows.length === 0) return;
  const between = randomUUID();
  for (const [from, to] of [
    [removedId, between],
    [lastId, removedId],
    [between, lastId],
  ])
    await client.query(`update ${table} set recipe_user_id = $2 where recipe_user_id = $1`, [from, to]);
}

const digestOf = (email: string): Buffer => hash('sha256', email, 'buffer');

export async function recordRemoved(db: Queryable, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return;
  await db.query('insert into removed_addresses (digest) select unnest($1::bytea[]) on conflict do nothing', [
    [...new Set(emails)].map(digestOf),
  ]);
}

/** Always reads both tables, so that the time does not show which of them has the address. */
export async function isSettled(db: Queryable, email: string): Promise<boolean> {
  const verified = await db.query(
    'select 1 from third_party_logins where email = $1 and $1 = any (verified_emails) limit 1',
    [email],
  );
  const removed = await db.query('select 1 from removed_addresses where digest = $1', [digestOf(email)]);
  return verified.length + removed.length > 0;
}

/**
 * Stores the hash of a verified password. Changes nothing if the login was changed since the legacy system was asked.
 */
const MOVE_IN = withHashChange(
  'moved-in',
  `update password_logins set password_hash = $4, hash_algorithm = $5, hash_secret_id = $6, hash_class = $7, no_hash = null,
    hash_set_at = now(), hash_set_by = 'moved-in', imported_fingerprint = null
  where email = $1 and recipe_user_id = $2 and password_hash is not distinct from $3 and hash_set_by <> 'user'
    and no_hash is distinct from 'unset' and not disabled and email_set_by is distinct from 'change'`,
);

const ADD_VERIFIED = `
  update password_logins set verified_emails = array_append(verified_emails, email)
  where email = $1 and email <> all (coalesce(verified_emails, '{}'))`;

const ADD_EXTERNAL_ID = `
  insert into user_aliases (alias, kind, user_id, recipe_user_id) values ($1, 'external', $2, $2)`;

/** Marks all logins of a user as `linked`, because a sign-in reads the external id only for such logins. */
const MARK_LINKED = Object.values(LOGIN_TABLES).map(
  (table) => `update ${table} set linked = true where user_id = $1 and not linked`,
);

export async function moveIn(
  db: Database,
  email: string,
  login: PasswordLogin,
  { encoded, algorithm, secretId, strength }: KeptHash,
  { externalId, profile, verified }: LegacyProfile,
): Promise<'moved' | 'changed' | 'another-person'> {
  try {
    return await db.transaction(async (client) => {
      const ids = await resolveAndLock(client, login.recipeUserId);
      if (ids === undefined) return 'changed';
      const owner = externalId === undefined ? 'unknown' : await ownerOf(client, externalId, ids.userId);
      if (owner === 'another') return 'another-person';
      await client.engine.prepareAllNodes(client);
      const known = 'noHash' in login ? null : login.hash.encoded;
      const moved = await client.query(MOVE_IN, [
        ...[email, login.recipeUserId, known, encoded, algorithm],
        ...[secretId ?? null, strength],
      ]);
      if (moved.length === 0) return 'changed';
      if (verified) await client.query(ADD_VERIFIED, [email]);
      if (owner === 'nobody') {
        await client.query(ADD_EXTERNAL_ID, [externalId, ids.userId]);
        for (const statement of MARK_LINKED) await client.query(statement, [ids.userId]);
      }
      for (const { name, part } of PROFILE_COLUMNS)
        if (profile[part] !== undefined)
          await client.query(`update users set ${name} = $2 where user_id = $1 and ${name} is null`, [
            ids.userId,
            profile[part],
          ]);
      return 'moved';
    });
  } catch (error) {
    if (isUniqueViolation(error, 'user_aliases_pkey')) return 'another-person';
    throw error;
  }
}

/** Returns who has an external id. Returns `another` also if this user has a different external id. */
async function ownerOf(
  client: Transaction,
  externalId: string,
  userId: string,
): Promise<'same' | 'another' | 'nobody'> {
  const owner = await resolveId(client, externalId);
  if (owner !== undefined) return owner.userId === userId ? 'same' : 'another';
  const others = await client.query(
    `select 1 from user_aliases where user_id = $1 and recipe_user_id = $1 and kind = 'external'`,
    [userId],
  );
  return others.length === 0 ? 'nobody' : 'another';
}

/** Columns of a password login that a change of its address leaves as they are. */
const KEPT = `user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm, hash_secret_id,
    hash_class, no_hash, imported_fingerprint, hash_set_at, hash_set_by, last_sign_in_at, disabled, state_set_at,
    state_by_call, changed_by_import_at`;

/**
 * Changes an address by deleting and inserting the login: the address is the distribution column on Citus, which no
 * update may change.
 */
const MOVE = `
  with old as (delete from password_logins where email = $1 returning *)
  insert into password_logins
    (email, ${KEPT}, changed_at, email_set_by)
  select $2, ${KEPT}, now(), 'change' from old`;

const CHANGE_HASH = withHashChange(
  'user',
  `update password_logins set password_hash = $2, hash_algorithm = $3, hash_secret_id = null, hash_class = $4,
    no_hash = null, hash_set_at = now(), hash_set_by = 'user', imported_fingerprint = null
  where email = $1`,
);

export async function updatePasswordLogin(
  db: Database,
  recipeUserId: string,
  change: { email?: string; hash?: KeptHash },
): Promise<'updated' | 'unknown-user' | 'email-taken'> {
  try {
    return await db.transaction(async (client) => {
      const id = await resolveAndLock(client, recipeUserId);
      if (id === undefined) return 'unknown-user';
      const [login] = await client.query<{ email: string }>(
        'select email from password_logins where user_id = $1 and recipe_user_id = $2',
        [id.userId, id.recipeUserId],
      );
      if (login === undefined) return 'unknown-user';
      if (change.hash !== undefined) {
        const { encoded, algorithm, strength } = change.hash;
        await client.query(CHANGE_HASH, [login.email, encoded, algorithm, strength]);
      }
      if (change.email !== undefined && change.email !== login.email) {
        await client.engine.prepareAllNodes(client);
        await client.query(MOVE, [login.email, change.email]);
      }
      return 'updated';
    });
  } catch (error) {
    if (isUniqueViolation(error, 'password_logins_pkey')) return 'email-taken';
    throw error;
  }
}
