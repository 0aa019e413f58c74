import type { MissingCounts } from '../../imports/history/import-history.ts';
import type { EarlierUser, Run } from '../../imports/import-store.ts';
import { identityKey } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { retryContended } from '../client/contention.ts';
import type { Database } from '../client/database.ts';
import { readUsersInCore } from '../users/in-core.ts';
import {
  keepReplaced,
  lockLoginsOf,
  lockUsers,
  readAliases,
  type StoredLogin,
  timeOf,
} from './replaced-users.ts';
import { BEGIN_BULK } from './transaction-settings.ts';

const MAX_ATTEMPTS = 10;

export async function findByExternalIds(db: Queryable, externalIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ user_id: string }>(
    `select user_id from user_aliases where alias = any ($1) and kind = 'external' and recipe_user_id = user_id`,
    [externalIds],
  );
  return rows.map(({ user_id }) => user_id);
}

/** Next chunk that created users of a source, among the imports that began before this one. */
const NEXT_RANGE = `
  select first_user_id, last_user_id
  from (
    select import_id, first_user_id, last_user_id from import_chunks
    union all select import_id, first_user_id, last_user_id from import_user_ranges
  ) chunk join imports using (import_id)
  where source = $2 and import_id <> $1 and first_user_id > $3
    and started_at <= (select started_at from imports where import_id = $1)
  order by first_user_id limit 1`;

/** Users whom a chunk created, by the form of their ids (src/imports/resolve/chunk-ids.ts). */
const USERS = `
  select user_id from users
  where user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7)`;

const EXTERNAL_IDS = `
  select user_id, alias from user_aliases
  where user_id = any ($1::uuid[]) and kind = 'external' and recipe_user_id = user_id`;

const PASSWORDS = `
  select user_id, email, last_sign_in_at is not null or hash_set_by = 'user' or state_by_call
    or (changed_at is not null and changed_at is distinct from changed_by_import_at) as is_active
  from password_logins where user_id = any ($1::uuid[])`;

const THIRD_PARTIES = `
  select user_id, third_party_id, third_party_user_id, last_sign_in_at is not null or state_by_call as is_active
  from third_party_logins where user_id = any ($1::uuid[])`;

export async function* earlierUsers(
  db: Queryable,
  { importId }: Run,
  source: string,
  isWanted: (userId: string) => boolean,
): AsyncGenerator<readonly EarlierUser[]> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const [range] = await db.query<{ first_user_id: string; last_user_id: string }>(NEXT_RANGE, [
      importId,
      source,
      after,
    ]);
    if (range === undefined) return;
    after = range.first_user_id;
    const users = await db.query<{ user_id: string }>(USERS, [range.first_user_id, range.last_user_id]);
    const wanted = users.map(({ user_id }) => user_id).filter(isWanted);
    if (wanted.length > 0) yield await readEarlier(db, wanted);
  }
}

async function readEarlier(db: Queryable, userIds: readonly string[]): Promise<EarlierUser[]> {
  const aliases = await db.query<{ user_id: string; alias: string }>(EXTERNAL_IDS, [userIds]);
  const passwords = await db.query<{ user_id: string; email: string; is_active: boolean }>(PASSWORDS, [
    userIds,
  ]);
  const thirdParties = await db.query<{
    user_id: string;
    third_party_id: string;
    third_party_user_id: string;
    is_active: boolean;
  }>(THIRD_PARTIES, [userIds]);
  const [emails, identities] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const add = (to: Map<string, string[]>, id: string, value: string) =>
    to.set(id, [...(to.get(id) ?? []), value]);
  for (const { user_id, email } of passwords) add(emails, user_id, email);
  for (const { user_id, ...row } of thirdParties)
    add(identities, user_id, identityKey({ id: row.third_party_id, userId: row.third_party_user_id }));
  const active = new Set(
    [...passwords, ...thirdParties].filter((row) => row.is_active).map(({ user_id }) => user_id),
  );
  const inCore = await readUsersInCore(db, userIds);
  return aliases.map(({ user_id: userId, alias: externalId }) => ({
    ...{ userId, externalId, isActive: active.has(userId), isInCore: inCore.has(userId) },
    emails: emails.get(userId) ?? [],
    identities: identities.get(userId) ?? [],
  }));
}

/** Does nothing if this run may no longer write. Locks the import's record until the transaction ends. */
const COUNT = `
  update imports set updated_at = now(), missing = jsonb_build_object(
    'found', coalesce((missing ->> 'found')::bigint, 0), 'kept', coalesce((missing ->> 'kept')::bigint, 0),
    'removed', coalesce((missing ->> 'removed')::bigint, 0) + $3::bigint, 'isDone', false)
  where import_id = $1 and owner = $2 and rolled_back_at is null returning import_id`;

/** Users whom the SuperTokens core has are not removed: their first sign-in needs the hash that is here. */
export const removeMissing = (
  db: Database,
  { importId, owner }: Run,
  userIds: readonly string[],
  { keepsActive }: { keepsActive: boolean },
): Promise<ReadonlySet<string> | undefined> =>
  retryContended(MAX_ATTEMPTS, () =>
    db.transaction(async (client) => {
      await client.engine.lockOutChanges(client);
      const users = await lockUsers(client, userIds);
      const logins = await lockLoginsOf(client, userIds);
      const active = new Set(keepsActive ? logins.filter(isActive).map((login) => login.user_id) : []);
      const inCore = await readUsersInCore(client, userIds);
      const gone = users.filter(({ user_id }) => !active.has(user_id) && !inCore.has(user_id));
      const ids = gone.map(({ user_id }) => user_id);
      const [counted] = await client.query(COUNT, [importId, owner, ids.length]);
      if (counted === undefined) return undefined;
      if (ids.length === 0) return new Set<string>();
      const isGone = new Set(ids);
      const aliases = await readAliases(client, ids);
      const now = await timeOf(client);
      const rows = [...gone, ...logins.filter(({ user_id }) => isGone.has(user_id)), ...aliases];
      await keepReplaced(client, { importId, now, isRemoved: true }, ids, rows);
      for (const table of ['password_logins', 'third_party_logins', 'user_aliases', 'users'] as const)
        await client.query(`delete from ${table} where user_id = any ($1::uuid[])`, [ids]);
      return isGone;
    }, BEGIN_BULK),
  );

const isActive = ({ last_sign_in_at, is_changed_here }: StoredLogin) =>
  last_sign_in_at !== null || is_changed_here;

export async function recordMissing(
  db: Queryable,
  { importId, owner }: Run,
  { found, removed, kept }: MissingCounts,
): Promise<void> {
  await db.query('update imports set missing = $3 where import_id = $1 and owner = $2', [
    importId,
    owner,
    JSON.stringify({ found, removed, kept, isDone: true }),
  ]);
}
