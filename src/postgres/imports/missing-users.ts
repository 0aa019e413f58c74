import type { MissingCounts } from '../../imports/import-history.ts';
import type { EarlierUser, Run } from '../../imports/import-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { retryContended } from '../client/pg-error.ts';
import { readStanding } from '../users/in-core.ts';
import { copyOfChanges } from './import-changes.ts';
import {
  addTo,
  BEGIN_BULK,
  beginEdits,
  keyOfLogin,
  lockUsers,
  readLoginsOf,
  readRowsOf,
  type StoredRow,
} from './stored-rows.ts';

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

/** Users whom a chunk created, by the form of their ids (src/imports/resolve/person.ts). */
const USERS = `
  select user_id from users
  where user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7)`;

const EXTERNAL_IDS = `
  select user_id, alias from user_aliases
  where user_id = any ($1::uuid[]) and kind = 'external' and recipe_user_id = user_id
  order by user_id`;

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
  const keys = new Map<string, string[]>();
  const active = new Set<string>();
  for (const login of await readLoginsOf(db, userIds, { lock: false })) {
    addTo(keys, login.userId, keyOfLogin(login.row));
    if (isActive(login)) active.add(login.userId);
  }
  const { elsewhere } = await readStanding(db, userIds);
  return aliases.map(({ user_id: userId, alias: externalId }) => ({
    ...{ userId, externalId, isActive: active.has(userId), isInCore: elsewhere.has(userId) },
    keys: keys.get(userId) ?? [],
  }));
}

/**
 * Adds to the number of removed users, and locks the import's record until the transaction ends. Does nothing if this
 * run may no longer write.
 */
const COUNT = `
  update imports set updated_at = now(), missing = jsonb_build_object(
    'found', coalesce((missing ->> 'found')::bigint, 0), 'kept', coalesce((missing ->> 'kept')::bigint, 0),
    'removed', coalesce((missing ->> 'removed')::bigint, 0) + $3::bigint, 'isDone', false)
  where import_id = $1 and owner = $2 and rolled_back_at is null returning import_id`;

/**
 * Removes missing users. Users whom the SuperTokens core has, or who have moved to an identity provider, are kept,
 * because their next sign-in needs what this service has stored.
 */
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
      const logins = await readLoginsOf(client, userIds, { lock: true });
      const active = new Set(keepsActive ? logins.filter(isActive).map(({ userId }) => userId) : []);
      const { elsewhere, now } = await readStanding(client, userIds);
      const gone = users.filter(({ userId }) => !active.has(userId) && !elsewhere.has(userId));
      const isGone = new Set(gone.map(({ userId }) => userId));
      const [counted] = await client.query(COUNT, [importId, owner, isGone.size]);
      if (counted === undefined) return undefined;
      const rows = [...logins, ...(await readRowsOf(client, 'user_aliases', [...isGone])), ...gone];
      const changes = rows
        .filter(({ userId }) => isGone.has(userId))
        .map(({ table, userId, id, row }) => ({
          ...{ part: table, userId, id, before: row, after: undefined },
        }));
      if (changes.length === 0) return isGone;
      if (now === undefined) throw new Error('the users to remove were not locked');
      await client.copy([copyOfChanges(importId, now, changes)]);
      await beginEdits(
        client,
        changes.map(({ part, before }) => ({ table: part, from: before, to: undefined })),
      );
      return isGone;
    }, BEGIN_BULK),
  );

/**
 * Returns whether the user has signed in, or somebody other than an import has changed the password, the address or the
 * state.
 */
function isActive({ table, row }: StoredRow): boolean {
  const isChanged = row.changed_at !== null && row.changed_at !== row.changed_by_import_at;
  const isSetHere = table === 'password_logins' && (row.hash_set_by === 'user' || isChanged);
  return row.last_sign_in_at !== null || row.state_by_call === true || isSetHere;
}

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
