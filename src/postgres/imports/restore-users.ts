import { type Move, movable } from '../../imports/resolve/movable.ts';
import { isSameProfile, NO_PROFILE, type UserProfile } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { readInCore, readUsersInCore, recordWaitingHashes } from '../users/in-core.ts';
import { PROFILE, profileOf } from '../users/profile-columns.ts';
import { passwordLoginsToLock, thirdPartyLoginsToLock, usersToLock } from '../users/rows-to-lock.ts';
import { changeJoined, changeProfiles } from './apply-changes.ts';
import { forgetReplaced, insertJson, type UserTable } from './replaced-users.ts';
import type { RollbackPhase } from './rollback-phase.ts';

interface UserRow {
  user_id: string;
  is_removed: boolean;
  written_at: string;
  tries: number;
}

interface KeptRow {
  user_id: string;
  table_name: UserTable;
  row_key: string;
  content: Record<string, unknown>;
  /** E-mail address and verified addresses, as in `LoginRow`. */
  emails: string;
}

interface LoginRow {
  user_id: string;
  recipe_user_id: string;
  row_key: string;
  /** Null for a third-party login. */
  email: string | null;
  password_hash: string | null;
  is_unchanged: boolean;
  /** The e-mail address of the login and its verified addresses, as JSON text that can be compared. */
  emails: string;
  /** State of the login, which is kept: an earlier phase of the rollback, or somebody since, may have set it. */
  state: Record<string, unknown>;
}

/** Condition for logins that are as the import left them, and that nobody has signed in to since. */
const IS_UNCHANGED = `changed_at is not distinct from $2::timestamptz and coalesce(last_sign_in_at <= $2::timestamptz, true)`;

const STATE = `jsonb_build_object('disabled', disabled, 'state_set_at', state_set_at, 'state_by_call', state_by_call) as state`;

const EMAILS = 'jsonb_build_array(email, verified_emails)::text as emails';

const USERS = usersToLock(`user_id, ${PROFILE}`);
const LOGINS = [
  passwordLoginsToLock(
    `user_id, recipe_user_id, recipe_user_id::text as row_key, email, password_hash,
      ${IS_UNCHANGED} and hash_set_at <= $2::timestamptz as is_unchanged, ${EMAILS},
      ${STATE}`,
  ),
  thirdPartyLoginsToLock(
    `user_id, recipe_user_id, jsonb_build_array(third_party_id, third_party_user_id)::text as row_key, null::text as email,
      null::text as password_hash, ${IS_UNCHANGED} as is_unchanged, ${EMAILS}, ${STATE}`,
  ),
];

/** Selects users of one transaction of the import: the latest of those with the fewest attempts. */
const NEXT = `
  with head as (
    select tries, written_at from replaced_users
    where import_id = $1 and tries < $2 order by tries, written_at desc limit 1
  )
  select user_id, is_removed, tries, written_at::text
  from replaced_users join head using (tries, written_at) where import_id = $1 order by user_id`;

const KEPT_ROWS = `
  select user_id, table_name, row_key, content, jsonb_build_array(content -> 'email', content -> 'verified_emails')::text as emails
  from replaced_rows where import_id = $1 and user_id = any ($2::uuid[])`;

const KEPT_HASHES = `
  select recipe_user_id, jsonb_build_object('password_hash', password_hash, 'hash_algorithm', hash_algorithm,
    'hash_secret_id', hash_secret_id, 'hash_class', hash_class, 'imported_fingerprint', imported_fingerprint) as hash
  from replaced_passwords where import_id = $1 and user_id = any ($2::uuid[])`;

interface Restoration extends Move {
  userId: string;
  rows: KeptRow[];
  logins: LoginRow[];
}

/**
 * Restores users whom an import changed or removed, one transaction of the import at a time, the latest
 * first, so that addresses which users had before are free again. A user whose former address belongs to
 * another user is tried again later.
 */
export const restoreUsers =
  ({ maxTries, isLast }: { maxTries: number; isLast: boolean }): RollbackPhase =>
  async (client, importId, after) => {
    const users = await client.query<UserRow & Record<string, unknown>>(NEXT, [importId, maxTries]);
    const [head] = users;
    if (head === undefined) return { counts: {}, next: undefined };
    const userIds = users.map((user) => user.user_id);
    await client.engine.lockOutChanges(client);
    const state = await readState(client, importId, userIds, head.written_at);
    const restorations = users.flatMap((user) => restorationOf(user, state) ?? []);
    const free = await freePlaces(client, restorations);
    const moving = movable(restorations, free);
    await putBack(client, importId, [...moving]);
    await recordRestored(client, [...moving], state);
    const blocked = restorations.filter((one) => !moving.has(one)).map(({ userId }) => userId);
    const isTriedAgain = !(isLast && head.tries + 1 >= maxTries);
    const triedAgain = new Set(isTriedAgain ? blocked : []);
    const done = userIds.filter((userId) => !triedAgain.has(userId));
    await forgetReplaced(client, importId, done);
    if (triedAgain.size > 0)
      await client.query(
        'update replaced_users set tries = tries + 1 where import_id = $1 and user_id = any ($2::uuid[])',
        [importId, [...triedAgain]],
      );
    const counts = { usersRestored: moving.size, usersNotRestored: done.length - moving.size };
    return { counts, next: after };
  };

interface State {
  /** Profiles of the users who exist, by id. */
  existing: ReadonlyMap<string, UserProfile>;
  inCore: ReadonlySet<string>;
  waiting: ReadonlySet<string>;
  logins: ReadonlyMap<string, LoginRow>;
  rows: ReadonlyMap<string, KeptRow[]>;
}

const loginKey = (userId: string, key: string) => `${userId} ${key}`;

async function readState(
  client: Queryable,
  importId: string,
  userIds: readonly string[],
  writtenAt: string,
): Promise<State> {
  const existing = await client.engine.lockRows<{ user_id: string } & Record<string, unknown>>(
    client,
    USERS,
    [userIds],
  );
  const logins: LoginRow[] = [];
  for (const rows of LOGINS)
    logins.push(
      ...(await client.engine.lockRows<LoginRow & Record<string, unknown>>(
        client,
        rows,
        [userIds],
        [writtenAt],
      )),
    );
  const kept = await client.query<KeptRow & Record<string, unknown>>(KEPT_ROWS, [importId, userIds]);
  const inCore = await readUsersInCore(client, userIds);
  const passwords = kept.filter(
    ({ user_id, table_name }) => table_name === 'password_logins' && inCore.has(user_id),
  );
  const standing = await readInCore(
    client,
    passwords.map(({ user_id, row_key }) => ({ user_id, recipe_user_id: row_key })),
  );
  const waiting = new Set([...standing].flatMap(([id, state]) => (state === 'waiting' ? id : [])));
  const hashes = new Map(
    (await client.query<{ recipe_user_id: string; hash: object }>(KEPT_HASHES, [importId, userIds])).map(
      (row) => [row.recipe_user_id, row.hash],
    ),
  );
  const rows = new Map<string, KeptRow[]>();
  for (const row of kept) {
    const hash = row.table_name === 'password_logins' ? hashes.get(row.row_key) : undefined;
    const whole = { ...row, content: { ...row.content, ...hash } };
    const others = rows.get(row.user_id);
    if (others === undefined) rows.set(row.user_id, [whole]);
    else others.push(whole);
  }
  return {
    existing: new Map(existing.map((row) => [row.user_id, profileOf(row)])),
    inCore,
    waiting,
    logins: new Map(logins.map((login) => [loginKey(login.user_id, login.row_key), login])),
    rows,
  };
}

/**
 * Returns undefined if the user was used or changed since the import, and therefore stays. Of a user whom the
 * SuperTokens core has, only the hashes of logins that wait are restored.
 */
function restorationOf({ user_id: userId, is_removed }: UserRow, state: State): Restoration | undefined {
  const rows = state.rows.get(userId) ?? [];
  if (state.existing.has(userId) === is_removed) return undefined;
  const isOfHere = is_removed ? isVerifiedHere : isOtherHashOnly;
  if (state.inCore.has(userId) && !rows.every((row) => isOfHere(row, state))) return undefined;
  if (is_removed) return { userId, rows, logins: [], wants: rows.flatMap(placesOf), leaves: [] };
  const logins: LoginRow[] = [];
  const moves: [from: string, to: string][] = [];
  const left: string[] = [];
  for (const row of rows) {
    if (row.table_name === 'users') continue;
    const login = state.logins.get(loginKey(userId, row.row_key));
    if (login === undefined || !login.is_unchanged) return undefined;
    logins.push(login);
    if (isAdded(row)) left.push(login.email === null ? `i${row.row_key}` : `e${login.email}`);
    else if (login.email !== null && login.email !== row.content.email)
      moves.push([`e${login.email}`, `e${row.content.email}`]);
  }
  return {
    ...{ userId, rows, logins },
    wants: moves.map(([, to]) => to),
    leaves: [...moves.map(([from]) => from), ...left],
  };
}

/** Returns whether the row stands for a login that the import has added to a stored user. */
const isAdded = ({ content }: KeptRow): boolean => content.isAdded === true;

const isVerifiedHere = ({ table_name, row_key }: KeptRow, { waiting }: State): boolean =>
  table_name !== 'password_logins' || waiting.has(row_key);

/** Returns whether the row differs from the stored one, if at all, by the hash of a login that waits. */
function isOtherHashOnly(
  { user_id, table_name, row_key, content, emails }: KeptRow,
  { existing, logins, waiting }: State,
): boolean {
  if (table_name === 'users') return isSameProfile(profileOf(content), existing.get(user_id) ?? NO_PROFILE);
  const login = logins.get(loginKey(user_id, row_key));
  if (login?.emails !== emails) return false;
  return login.password_hash === (content.password_hash ?? null) || waiting.has(row_key);
}

/** Returns keys that no other user may have: an e-mail with a password, an identity or an external id. */
function placesOf({ table_name, row_key, content }: KeptRow): string[] {
  if (table_name === 'password_logins') return [`e${content.email}`];
  if (table_name === 'third_party_logins') return [`i${row_key}`];
  return table_name === 'user_aliases' ? [`a${row_key}`] : [];
}

async function freePlaces(
  client: Queryable,
  restorations: readonly Restoration[],
): Promise<(place: string) => boolean> {
  const wanted = restorations.flatMap(({ wants }) => wants);
  const keys = (kind: string) =>
    wanted.filter((place) => place.startsWith(kind)).map((place) => place.slice(1));
  const taken = new Set<string>();
  const read = async (kind: string, statement: string, values: readonly unknown[]) => {
    if (keys(kind).length === 0) return;
    for (const { key } of await client.query<{ key: string }>(statement, values)) taken.add(`${kind}${key}`);
  };
  const identities = keys('i').map((key): [string, string] => JSON.parse(key));
  await read('e', 'select email as key from password_logins where email = any ($1)', [keys('e')]);
  await read('a', 'select alias as key from user_aliases where alias = any ($1)', [keys('a')]);
  await read(
    'i',
    `select jsonb_build_array(login.third_party_id, login.third_party_user_id)::text as key
     from third_party_logins login, unnest($1::text[], $2::text[]) as t (third_party_id, third_party_user_id)
     where login.third_party_id = t.third_party_id and login.third_party_user_id = t.third_party_user_id
       and login.third_party_user_id = any ($2)`,
    [identities.map(([id]) => id), identities.map(([, userId]) => userId)],
  );
  return (place) => !taken.has(place);
}

async function putBack(
  client: Queryable,
  importId: string,
  restorations: readonly Restoration[],
): Promise<void> {
  if (restorations.length === 0) return;
  const rows = restorations.flatMap((one) => one.rows).filter((row) => !isAdded(row));
  const logins = restorations.flatMap((one) => one.logins);
  const emails = logins.flatMap(({ email }) => email ?? []);
  const identities = logins
    .filter(({ email }) => email === null)
    .map(({ row_key }): [string, string] => JSON.parse(row_key));
  if (emails.length > 0) await client.query('delete from password_logins where email = any ($1)', [emails]);
  if (identities.length > 0)
    await client.query(
      `delete from third_party_logins where third_party_user_id = any ($2)
       and (third_party_id, third_party_user_id) in (select * from unnest($1::text[], $2::text[]))`,
      [identities.map(([id]) => id), identities.map(([, userId]) => userId)],
    );
  const shrinking = restorations.filter((one) => one.rows.some(isAdded));
  if (shrinking.length > 0) {
    const added = shrinking.flatMap((one) => {
      const keys = new Set(one.rows.filter(isAdded).map((row) => row.row_key));
      return one.logins.filter((login) => keys.has(login.row_key));
    });
    await client.query(
      'delete from user_aliases where user_id = any ($1::uuid[]) and recipe_user_id = any ($2::uuid[])',
      [shrinking.map(({ userId }) => userId), added.map((login) => login.recipe_user_id)],
    );
  }
  await client.engine.prepareAllNodes(client);
  const states = new Map(logins.map((login) => [login.row_key, login.state]));
  const isChanged = new Set(logins.map((login) => login.user_id));
  for (const table of ['password_logins', 'third_party_logins', 'user_aliases', 'users'] as const) {
    const ofTable = rows.filter((row) => row.table_name === table);
    const inserted = table === 'users' ? ofTable.filter((row) => !isChanged.has(row.user_id)) : ofTable;
    await insertJson(
      client,
      table,
      inserted.map(({ row_key, content }) => JSON.stringify({ ...content, ...states.get(row_key) })),
    );
  }
  await changeProfiles(
    client,
    rows
      .filter((row) => row.table_name === 'users' && isChanged.has(row.user_id))
      .map(({ user_id: userId, content }) => ({ userId, profile: profileOf(content) })),
  );
  const ofShrinking = new Set(shrinking.map(({ userId }) => userId));
  await changeJoined(
    client,
    rows
      .filter((row) => row.table_name === 'users' && ofShrinking.has(row.user_id))
      .map(({ user_id: userId, content }) => ({ userId, timeJoinedMs: Number(content.time_joined_ms) })),
  );
  await recordHashes(client, importId, rows, logins);
}

const recordRestored = (client: Queryable, restorations: readonly Restoration[], { waiting }: State) =>
  recordWaitingHashes(
    client,
    restorations
      .flatMap(({ rows }) => rows)
      .filter(({ row_key }) => waiting.has(row_key))
      .map(({ row_key: recipeUserId, content }) => ({
        recipeUserId,
        algorithm: String(content.hash_algorithm ?? content.no_hash),
      })),
  );

async function recordHashes(
  client: Queryable,
  importId: string,
  rows: readonly KeptRow[],
  logins: readonly LoginRow[],
): Promise<void> {
  const hashes = new Map(logins.map((login) => [login.row_key, login.password_hash]));
  const changed = rows.filter(
    ({ table_name, row_key, content }) =>
      table_name === 'password_logins' &&
      hashes.has(row_key) &&
      hashes.get(row_key) !== (content.password_hash ?? null),
  );
  if (changed.length === 0) return;
  await client.query(
    `insert into hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm)
     select recipe_user_id, 'rollback', $1, hash_algorithm from unnest($2::uuid[], $3::text[]) as t (recipe_user_id, hash_algorithm)`,
    [
      importId,
      changed.map(({ row_key }) => row_key),
      changed.map(({ content }) => content.hash_algorithm ?? null),
    ],
  );
}
