import type { KeptHash } from '../../hashing/verifier.ts';
import type {
  AddedRows,
  NewPasswordLogin,
  NewThirdPartyLogin,
  PasswordChange,
  ThirdPartyChange,
  UserChange,
} from '../../imports/resolve/write-set.ts';
import { Contended } from '../../lib/errors.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { UserProfile } from '../../users/user.ts';
import { identityKey } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { onceForEachEngine } from '../client/engine.ts';
import { readInCore, readUsersInCore } from '../users/in-core.ts';
import { PROFILE_COLUMNS } from '../users/profile-columns.ts';
import {
  forgetReplaced,
  insertJson,
  keepAdded,
  keepReplaced,
  lockLoginsOf,
  lockPasswords,
  lockThirdParties,
  lockUsers,
  readUserRecords,
  type StoredLogin,
  type StoredPassword,
  type StoredRow,
  timeOf,
} from './replaced-users.ts';

/** Inserts logins again under their new e-mails. Called after the chunk's new users were written. */
export type FinishChanges = () => Promise<void>;

/**
 * Changes users whom an import matched by external id, and keeps their rows for a rollback. Deletes logins
 * whose address changes, so that the address becomes free; the returned function inserts them again.
 * @throws {Contended} if one of the logins has changed since it was read
 */
export async function beginChanges(
  db: Queryable,
  importId: string,
  changes: readonly UserChange[],
): Promise<FinishChanges> {
  const added = await lockGaining(db, changes);
  const locked = await lockUnchanged(db, changes);
  const changing = changes.filter(({ isStateOnly }) => !isStateOnly);
  if (changing.length === 0) return async () => {};
  const passwordChanges = changing.flatMap((change) => change.passwords);
  const thirdPartyChanges = changing.flatMap((change) => change.thirdParties);
  const userIds = changing.map((change) => change.userId);
  const changed = new Set(userIds);
  const isChanging = ({ user_id }: StoredRow) => changed.has(user_id);
  const passwords = locked.passwords.filter(isChanging);
  const thirdParties = locked.thirdParties.filter(isChanging);
  const users = await readUserRecords(db, userIds);
  if (users.length < userIds.length) throw new Contended(new Error('a user was removed meanwhile'));

  const now = await timeOf(db);
  await forgetStale(db, importId, [...passwords, ...thirdParties]);
  await keepReplaced(db, { importId, now, isRemoved: false }, userIds, [
    ...users,
    ...passwords,
    ...thirdParties,
  ]);

  const moves = passwordChanges.filter(({ storedEmail, email }) => storedEmail !== email);
  if (moves.length > 0) {
    const emails = moves.map(({ storedEmail }) => storedEmail);
    await db.query('delete from password_logins where email = any ($1)', [emails]);
  }
  await changePasswords(
    db,
    now,
    passwordChanges.filter((change) => !moves.includes(change)),
  );
  await changeThirdParties(db, now, thirdPartyChanges);
  await changeProfiles(
    db,
    changes.flatMap(({ userId, profile }) => (profile === undefined ? [] : { userId, profile })),
  );
  return async () => {
    const stored = new Map(passwords.map((one) => [one.recipe_user_id, one]));
    const moved = moves.toSorted((a, b) => (a.email < b.email ? -1 : 1));
    await insertJson(
      db,
      'password_logins',
      moved.map((change) => movedRow(stored.get(change.recipeUserId), change, now)),
    );
    await addLogins(db, { importId, now }, added, users);
  };
}

/** @throws {Contended} if one of the logins has changed since it was read */
async function lockUnchanged(db: Queryable, changes: readonly UserChange[]) {
  const expected = changes.flatMap((change) => [...change.passwords, ...change.thirdParties]);
  const passwords = await lockPasswords(
    db,
    changes.flatMap((change) => change.passwords.map(({ storedEmail }) => storedEmail)),
  );
  const thirdParties = await lockThirdParties(
    db,
    changes.flatMap((change) => change.thirdParties.map(({ identity }) => identity)),
  );
  const versions = new Map([...passwords, ...thirdParties].map((one) => [one.recipe_user_id, one.version]));
  const inCore = await readInCore(db, [...passwords, ...thirdParties]);
  for (const { recipeUserId, version, inCore: expectedInCore } of expected)
    if (versions.get(recipeUserId) !== version || inCore.get(recipeUserId) !== expectedInCore)
      throw new Contended(new Error('a login was changed meanwhile'));
  return { passwords, thirdParties };
}

/** New login methods of a stored user, with the columns that all logins of the user share. */
interface Gain {
  userId: string;
  added: AddedRows;
  state: Record<string, unknown>;
}

/**
 * Locks the users who get login methods, so that nobody removes or disables them meanwhile, or hands them
 * over to a core. Users are locked before their logins, as in calls that change single users.
 */
async function lockGaining(db: Queryable, changes: readonly UserChange[]): Promise<Gain[]> {
  const gaining = changes.filter((change) => change.added !== undefined);
  if (gaining.length === 0) return [];
  const ids = gaining.map(({ userId }) => userId);
  await db.engine.lockOutChanges(db);
  await lockUsers(db, ids);
  const logins = await lockLoginsOf(db, ids);
  const inCore = await readUsersInCore(db, ids);
  const contents = new Map(logins.map(({ user_id, content }) => [user_id, content]));
  return gaining.flatMap(({ userId, added }) => {
    const content = contents.get(userId);
    if (content === undefined || inCore.has(userId))
      throw new Contended(new Error('a user was removed or handed over meanwhile'));
    const { disabled, state_set_at, state_by_call } = JSON.parse(content);
    return added === undefined ? [] : { userId, added, state: { disabled, state_set_at, state_by_call } };
  });
}

async function addLogins(
  db: Queryable,
  { importId, now }: { importId: string; now: string },
  gains: readonly Gain[],
  users: readonly StoredRow[],
): Promise<void> {
  if (gains.length === 0) return;
  const row = (
    { userId, recipeUserId, email, verifiedEmails, timeJoinedMs }: NewPasswordLogin | NewThirdPartyLogin,
    state: Gain['state'],
  ) => ({
    ...{ user_id: userId, recipe_user_id: recipeUserId, email, verified_emails: emptyAsNull(verifiedEmails) },
    ...{ time_joined_ms: timeJoinedMs, linked: true, changed_at: now, ...state },
  });
  const passwords = gains
    .flatMap(({ added, state }) => added.passwordLogins.map((login) => ({ login, state })))
    .toSorted((a, b) => (a.login.email < b.login.email ? -1 : 1));
  const thirdParties = gains
    .flatMap(({ added, state }) => added.thirdPartyLogins.map((login) => ({ login, state })))
    .toSorted((a, b) => (identityKey(a.login.identity) < identityKey(b.login.identity) ? -1 : 1));
  await insertJson(
    db,
    'password_logins',
    passwords.map(({ login, state }) =>
      JSON.stringify({
        ...row(login, state),
        ...hashRow(login.hash, login.noHash, now),
        changed_by_import_at: now,
      }),
    ),
  );
  await insertJson(
    db,
    'third_party_logins',
    thirdParties.map(({ login, state }) => {
      const { id, userId } = login.identity;
      return JSON.stringify({ ...row(login, state), third_party_id: id, third_party_user_id: userId });
    }),
  );
  await insertJson(
    db,
    'user_aliases',
    gains.flatMap(({ added }) =>
      added.aliases.map(({ alias, kind, userId, recipeUserId }) =>
        JSON.stringify({ alias, kind, user_id: userId, recipe_user_id: recipeUserId }),
      ),
    ),
  );
  await keepAdded(
    db,
    { importId, now },
    passwords.map(({ login }) => login),
    thirdParties.map(({ login }) => login),
  );
  const joined = new Map(
    users.map(({ user_id, content }) => [user_id, Number(JSON.parse(content).time_joined_ms)]),
  );
  await changeJoined(
    db,
    gains.flatMap(({ userId, added }) => {
      const timeJoinedMs = Math.min(
        ...[...added.passwordLogins, ...added.thirdPartyLogins].map((login) => login.timeJoinedMs),
      );
      return timeJoinedMs < (joined.get(userId) ?? 0) ? { userId, timeJoinedMs } : [];
    }),
  );
}

const CHANGE_JOINED = `
  update users set time_joined_ms = incoming.time_joined_ms
  from unnest($1::uuid[], $2::bigint[]) as incoming (user_id, time_joined_ms)
  where users.user_id = incoming.user_id and users.user_id = any ($1)`;

export async function changeJoined(
  db: Queryable,
  users: readonly { userId: string; timeJoinedMs: number }[],
): Promise<void> {
  if (users.length === 0) return;
  await db.query(CHANGE_JOINED, [
    users.map(({ userId }) => userId),
    users.map(({ timeJoinedMs }) => timeJoinedMs),
  ]);
}

/** Users whom this import changed before, and who have since signed in or been changed by somebody else. */
const STALE = `
  select distinct kept.user_id
  from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[])
    as login (user_id, row_key, changed_at, last_sign_in_at)
  join replaced_rows kept on kept.import_id = $1 and kept.user_id = login.user_id and kept.row_key = login.row_key
  where login.changed_at is distinct from kept.written_at or login.last_sign_in_at > kept.written_at`;

/** Deletes rows kept of users who have been active since. Their present rows are kept in place of them. */
async function forgetStale(db: Queryable, importId: string, logins: readonly StoredLogin[]): Promise<void> {
  const rows = await db.query<{ user_id: string }>(STALE, [
    importId,
    logins.map((one) => one.user_id),
    logins.map((one) => one.key),
    logins.map((one) => one.changed_at),
    logins.map((one) => one.last_sign_in_at),
  ]);
  if (rows.length === 0) return;
  await forgetReplaced(
    db,
    importId,
    rows.map((row) => row.user_id),
  );
}

function movedRow(stored: StoredPassword | undefined, change: PasswordChange, now: string): string {
  if (stored === undefined) throw new Error('a login that moves was not locked');
  const { credential, email, verifiedEmails } = change;
  const row = {
    ...JSON.parse(stored.content),
    ...{ email, verified_emails: emptyAsNull(verifiedEmails), changed_at: now, changed_by_import_at: now },
    email_set_by: null,
  };
  if (credential === undefined) return JSON.stringify({ ...row, ...storedHash(stored) });
  const [hash, noHash] = 'hash' in credential ? [credential.hash] : [undefined, credential.noHash];
  return JSON.stringify({ ...row, ...hashRow(hash, noHash, now) });
}

const hashRow = (hash: KeptHash | undefined, noHash: NoHash | undefined, now: string) => ({
  ...{ password_hash: hash?.encoded, hash_algorithm: hash?.algorithm, hash_class: hash?.strength },
  ...{ hash_secret_id: hash?.secretId, no_hash: noHash ?? null },
  ...{ hash_set_at: now, hash_set_by: 'import' },
});

const storedHash = (stored: StoredPassword) => ({
  ...{ password_hash: stored.password_hash, hash_algorithm: stored.hash_algorithm },
  ...{ hash_secret_id: stored.hash_secret_id, hash_class: stored.hash_class },
  imported_fingerprint: stored.fingerprint === null ? null : `\\x${stored.fingerprint}`,
});

const emptyAsNull = (texts: readonly string[]) => (texts.length === 0 ? null : texts);

const CHANGE_PASSWORDS = onceForEachEngine(
  (engine) => `
  with incoming as (
    select *, $1::timestamptz as now from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      as t (email, verified_emails, new_hash, new_algorithm, new_secret_id, new_class, new_no_hash)
  )
  update password_logins login set
    verified_emails = nullif(array(select jsonb_array_elements_text(incoming.verified_emails::jsonb)), '{}'),
    changed_at = incoming.now, changed_by_import_at = incoming.now,
    password_hash = coalesce(new_hash, password_hash), hash_algorithm = coalesce(new_algorithm, hash_algorithm),
    hash_secret_id = case when new_hash is null then hash_secret_id else new_secret_id end,
    hash_class = case when new_hash is null then hash_class else new_class end,
    no_hash = case when new_hash is null then coalesce(new_no_hash, no_hash) end,
    hash_set_at = case when new_hash is null and new_no_hash is null then hash_set_at else incoming.now end,
    hash_set_by = case when new_hash is null and new_no_hash is null then hash_set_by else 'import' end,
    imported_fingerprint = case when new_hash is null then imported_fingerprint end
  from incoming where login.email = incoming.email ${engine.shardCondition('login.email = any ($2)')}`,
);

const hashOf = ({ credential }: PasswordChange) =>
  credential !== undefined && 'hash' in credential ? credential.hash : undefined;

async function changePasswords(
  db: Queryable,
  now: string,
  changes: readonly PasswordChange[],
): Promise<void> {
  const groups = await db.engine.groupByShard(db, 'password_logins', changes, ({ email }) => email);
  for (const group of groups)
    await db.query(CHANGE_PASSWORDS(db.engine), [
      now,
      group.map(({ email }) => email),
      group.map(({ verifiedEmails }) => JSON.stringify(verifiedEmails)),
      group.map((change) => hashOf(change)?.encoded ?? null),
      group.map((change) => hashOf(change)?.algorithm ?? null),
      group.map((change) => hashOf(change)?.secretId ?? null),
      group.map((change) => hashOf(change)?.strength ?? null),
      group.map(({ credential: one }) => (one !== undefined && 'noHash' in one ? one.noHash : null)),
    ]);
}

const CHANGE_THIRD_PARTIES = onceForEachEngine(
  (engine) => `
  with incoming as (
    select * from unnest($2::text[], $3::text[], $4::text[], $5::text[])
      as t (third_party_id, third_party_user_id, email, verified_emails)
  )
  update third_party_logins login set
    email = incoming.email, changed_at = $1::timestamptz,
    verified_emails = nullif(array(select jsonb_array_elements_text(incoming.verified_emails::jsonb)), '{}')
  from incoming
  where login.third_party_id = incoming.third_party_id and login.third_party_user_id = incoming.third_party_user_id
    ${engine.shardCondition('login.third_party_user_id = any ($3)')}`,
);

async function changeThirdParties(
  db: Queryable,
  now: string,
  changes: readonly ThirdPartyChange[],
): Promise<void> {
  const one = new Map(changes.map((change) => [identityKey(change.identity), change]));
  const groups = await db.engine.groupByShard(
    db,
    'third_party_logins',
    [...one.values()],
    ({ identity }) => identity.userId,
  );
  for (const group of groups)
    await db.query(CHANGE_THIRD_PARTIES(db.engine), [
      now,
      group.map(({ identity }) => identity.id),
      group.map(({ identity }) => identity.userId),
      group.map(({ email }) => email),
      group.map(({ verifiedEmails }) => JSON.stringify(verifiedEmails)),
    ]);
}

const CHANGE_PROFILES = onceForEachEngine((engine) => {
  const values = PROFILE_COLUMNS.map((_, index) => `, $${index + 2}::text[]`).join('');
  const names = PROFILE_COLUMNS.map(({ name }) => `, ${name}`).join('');
  const changes = PROFILE_COLUMNS.map(({ name }) => `${name} = incoming.${name}`).join(', ');
  return `
  with incoming as (select * from unnest($1::uuid[]${values}) as t (user_id${names}))
  update users login set ${changes} from incoming
  where login.user_id = incoming.user_id ${engine.shardCondition('login.user_id = any ($1::uuid[])')}`;
});

export async function changeProfiles(
  db: Queryable,
  users: readonly { userId: string; profile: UserProfile }[],
): Promise<void> {
  for (const group of await db.engine.groupByShard(db, 'users', users, ({ userId }) => userId))
    await db.query(CHANGE_PROFILES(db.engine), [
      group.map(({ userId }) => userId),
      ...PROFILE_COLUMNS.map(({ part }) => group.map(({ profile }) => profile[part])),
    ]);
}
