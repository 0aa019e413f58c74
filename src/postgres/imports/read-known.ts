import type { MatchBy } from '../../imports/import-request.ts';
import {
  type Known,
  type LineKeys,
  type Login,
  noKnown,
  type Person,
  type Row,
} from '../../imports/resolve/person.ts';
import { Contended } from '../../lib/errors.ts';
import { isUuid } from '../../lib/text/characters.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { Queryable } from '../client/connection.ts';
import { inCoreOf, readStanding, type Standing } from '../users/in-core.ts';
import { PROFILE, profileOf } from '../users/user-row.ts';
import {
  identityOf,
  keyOfLogin,
  lockUsers,
  readLoginsByKey,
  readLoginsOf,
  type StoredRow,
} from './stored-rows.ts';

export interface ReadOptions {
  matchBy: MatchBy;
  source: string | undefined;
  /**
   * Whether to lock the logins with keys of lines. If lines change users as a whole, the users and all of their logins
   * are locked.
   */
  lock: boolean;
  /** Whether to read which users the core or an identity provider has. Defaults to true. */
  standing?: boolean;
}

/** Selects the owners of ids. If an external id is also the id of a user, that user is its owner. */
const OWNERS = `
  select alias, user_id, recipe_user_id, kind = 'external' and user_id = recipe_user_id as is_person
  from user_aliases where alias = any ($1)
  union all select user_id::text, user_id, user_id, false from users where user_id = any ($2::uuid[])`;

const EXTERNAL_IDS = `
  select user_id, alias from user_aliases
  where user_id = any ($1::uuid[]) and kind = 'external' and recipe_user_id = user_id`;

/** Selects users. $2: whether to read the factors, too, which few lines have. */
const PROFILES = `
  select user_id, time_joined_ms, case when $2 then factors end as factors, ${PROFILE}
  from users where user_id = any ($1::uuid[])`;

/** `now`: time of the database after the locks, as in JSON rows. Undefined if no login was found. */
export interface ReadKnown extends Known {
  now: string | undefined;
}

/**
 * Reads the users whom lines with these keys are about, and the owners of the keys. If users are found by a login, only
 * their logins with these keys are read, otherwise all of their logins.
 * @throws {Contended} if a user is being changed
 */
export async function readKnown(
  db: Queryable,
  keys: LineKeys,
  { matchBy, source, lock, standing = true }: ReadOptions,
): Promise<ReadKnown> {
  const known: ReadKnown = { ...noKnown(), now: undefined };
  await readOwners(db, keys, known);
  const ofKeys = { emails: [...keys.emails], identities: [...keys.identities.values()] };
  const lockedUsers = lock && keys.changeUsers ? await lockUsersOf(db, ofKeys) : undefined;
  const byKey = await readLoginsByKey(db, ofKeys, { lock: lock && lockedUsers === undefined });
  if (lockedUsers !== undefined && !byKey.every(({ userId }) => lockedUsers.has(userId)))
    throw new Contended(new Error('a login has become that of another user'));
  for (const { userId, id, row } of byKey) known.logins.set(keyOfLogin(row), { userId, recipeUserId: id });
  if (matchBy === 'login') {
    for (const { userId } of byKey) known.persons.set(userId, personOf(userId));
    await addLogins(db, known, byKey, { standing });
    const linked = byKey.filter(({ row }) => row.linked).map(({ userId }) => userId);
    for (const row of linked.length === 0 ? [] : await readExternalIds(db, linked))
      (known.persons.get(row.user_id) as Person).externalId = row.alias;
    return known;
  }
  await readPersons(db, known, { source, hasFactors: keys.changeUsers });
  const userIds = [...known.persons.keys()];
  await addLogins(db, known, await readLoginsOf(db, userIds, { lock: false }), { standing });
  for (const { logins } of known.persons.values())
    if (logins.length === 0) throw new Contended(new Error('a user is being changed'));
  return known;
}

/** Locks users and then all of their logins, in the order that all transactions use. Returns the ids of the users. */
async function lockUsersOf(
  db: Queryable,
  keys: Parameters<typeof readLoginsByKey>[1],
): Promise<ReadonlySet<string>> {
  const userIds = new Set((await readLoginsByKey(db, keys, { lock: false })).map(({ userId }) => userId));
  await lockUsers(db, [...userIds]);
  await readLoginsOf(db, [...userIds], { lock: true });
  return userIds;
}

async function readOwners(db: Queryable, { externalIds }: LineKeys, known: Known): Promise<void> {
  if (externalIds.size === 0) return;
  const ids = [...externalIds];
  const rows = await db.query<{
    alias: string;
    user_id: string;
    recipe_user_id: string;
    is_person: boolean;
  }>(OWNERS, [ids, ids.filter(isUuid)]);
  for (const row of rows)
    known.owners.set(row.alias, {
      userId: row.user_id,
      recipeUserId: row.recipe_user_id,
      isPerson: row.is_person,
    });
}

export const readExternalIds = (db: Queryable, userIds: readonly string[]) =>
  db.query<{ user_id: string; alias: string }>(EXTERNAL_IDS, [userIds]);

interface ProfileRow extends Record<string, unknown> {
  user_id: string;
  time_joined_ms: string;
  factors: Buffer | null;
}

/** Adds the users whose external ids are in the lines. */
async function readPersons(
  db: Queryable,
  known: Known,
  { source, hasFactors }: { source: string | undefined; hasFactors: boolean },
): Promise<void> {
  const owners = [...known.owners].filter(([, { isPerson }]) => isPerson);
  if (owners.length === 0) return;
  const userIds = owners.map(([, { userId }]) => userId);
  const rows = await db.query<ProfileRow>(PROFILES, [userIds, hasFactors]);
  if (rows.length < userIds.length) throw new Contended(new Error('a user is being removed'));
  const sources = await findSources(db, userIds);
  for (const row of rows) {
    const timeJoinedMs = Number(row.time_joined_ms);
    const factors = row.factors ?? undefined;
    const stored = { profile: profileOf(row), state: ENABLED, timeJoinedMs, factors };
    const person = personOf(row.user_id, stored);
    person.isOfSource = sources.get(row.user_id) === source;
    known.persons.set(row.user_id, person);
  }
  for (const [alias, { userId }] of owners) (known.persons.get(userId) as Person).externalId = alias;
}

const ENABLED = { disabled: false, isByCall: false };

const NO_PROFILE_READ = { profile: {}, state: ENABLED, timeJoinedMs: Number.NaN };

function personOf(userId: string, stored: Person['stored'] & {} = { ...NO_PROFILE_READ }): Person {
  return {
    userId,
    externalId: undefined,
    isOfSource: undefined,
    isDryRun: false,
    profile: stored.profile,
    state: stored.state,
    logins: [],
    newFactors: undefined,
    stored,
  };
}

async function addLogins(
  db: Queryable,
  known: ReadKnown,
  rows: readonly StoredRow[],
  { standing: isWanted }: { standing: boolean },
): Promise<void> {
  const standing = await readStanding(db, isWanted ? rows.map(({ userId }) => userId) : []);
  known.now = standing.now;
  for (const stored of rows) {
    const person = known.persons.get(stored.userId);
    if (person?.stored === undefined) continue;
    person.logins.push(loginOf(stored, standing));
    // All logins of a user have the same state (disabled or not), so any of them may set it.
    person.state = { disabled: stored.row.disabled === true, isByCall: stored.row.state_by_call === true };
    person.stored.state = person.state;
  }
}

function loginOf({ userId, id, row }: StoredRow, standing: Standing): Login {
  const identity = identityOf(row);
  const isChanged = row.changed_at !== null;
  return {
    key: keyOfLogin(row),
    recipeUserId: id,
    identity,
    email: String(row.email),
    verifiedEmails: (row.verified_emails ?? NONE) as readonly string[],
    timeJoinedMs: Number(row.time_joined_ms),
    hash: hashOf(row),
    noHash: (row.no_hash ?? undefined) as NoHash | undefined,
    hashSetBy: row.hash_set_by as HashSetBy | undefined,
    importedFingerprint: fingerprintOf(row),
    hasSignedIn: row.last_sign_in_at !== null,
    isChanged: identity === undefined ? isChanged && row.changed_at !== row.changed_by_import_at : isChanged,
    isEmailChanged: row.email_set_by === 'change',
    inCore: inCoreOf(standing, userId, id),
    hasMoved: standing.moved.has(id),
    externalId: undefined,
    stored: row,
    isNamed: false,
    hasNewCredential: false,
  };
}

const NONE: readonly string[] = [];

function hashOf(row: Row): Login['hash'] {
  const { password_hash: encoded, hash_algorithm: algorithm, hash_secret_id: secretId } = row;
  if (typeof encoded !== 'string' || typeof algorithm !== 'string') return undefined;
  return { encoded, algorithm, secretId: secretId ?? undefined } as Login['hash'];
}

/** JSON has bytes as `\x` and hexadecimal digits. */
const fingerprintOf = ({ imported_fingerprint: bytes }: Row): string | undefined =>
  typeof bytes === 'string' ? bytes.slice(2) : undefined;

/**
 * Selects, from one table, the last chunk whose first user id is not after the given id. See
 * src/imports/resolve/person.ts for the relation of chunks and ids.
 */
const chunkBefore = (table: string, id: string) => `
  (select import_id, first_user_id, last_user_id from ${table}
   where first_user_id <= ${id} order by first_user_id desc limit 1)`;

/**
 * Returns a join with the chunk of an import that created the user with this id, and its condition.
 * @param id SQL expression of a user id
 */
export const chunkOfUser = (id: string) => ({
  join: `cross join lateral (
    select * from (${chunkBefore('import_chunks', id)} union all ${chunkBefore('import_user_ranges', id)}) chunks
    order by first_user_id desc limit 1
  ) chunk`,
  condition: `last_user_id >= ${id} and right(${id}::text, 7) = right(first_user_id::text, 7)`,
});

const OF_ID = chunkOfUser('id');

const SOURCES = `
  select id as user_id, source
  from unnest($1::uuid[]) id
  ${OF_ID.join}
  join imports using (import_id)
  where ${OF_ID.condition} and source is not null`;

/** The part of a user id that all users of a chunk have, and no others (src/imports/resolve/person.ts). */
export const chunkOf = (userId: string) => userId.slice(0, 24) + userId.slice(29);

/**
 * Returns the sources of users by user id. Users whom no import created, and users of imports without a source, are
 * left out.
 */
async function findSources(db: Queryable, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  // All users of a chunk are from the same source, so only one of them is looked up.
  const ofChunk = new Map(userIds.map((userId) => [chunkOf(userId), userId]));
  const rows = await db.query<{ user_id: string; source: string }>(SOURCES, [[...ofChunk.values()]]);
  const sources = new Map(rows.map(({ user_id, source }) => [chunkOf(user_id), source]));
  return new Map(
    userIds.flatMap((userId) => {
      const source = sources.get(chunkOf(userId));
      return source === undefined ? [] : [[userId, source] as const];
    }),
  );
}
