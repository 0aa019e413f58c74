import { randomInt } from 'node:crypto';
import type { DryRunRows, DryRunSession, EarlierUser } from '../../imports/import-store.ts';
import type {
  ExistingLogins,
  ExistingPasswordLogin,
  ExistingThirdPartyLogin,
  LoginIds,
} from '../../imports/resolve/existing-logins.ts';
import type { KnownUsers, Owner } from '../../imports/resolve/known-users.ts';
import type { LoginKeys } from '../../imports/resolve/login-keys.ts';
import type { MatchResolver } from '../../imports/resolve/match-resolver.ts';
import type { WriteSet } from '../../imports/resolve/write-set.ts';
import { markHandled } from '../../lib/async/map-in-order.ts';
import { AppError } from '../../lib/errors.ts';
import type { Connection, Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { DryRunCopyRows, type DryRunKind } from './dry-run-rows.ts';
import { readExistingLogins } from './read-existing-logins.ts';
import { readKnownUsers } from './read-known-users.ts';
import { BEGIN_BULK } from './transaction-settings.ts';

/** A client that sends no chunk for so long was disconnected before, so its instance must be gone. */
const LOST_AFTER_MS = 60 * 60 * 1000;

const BATCH = 10_000;

/**
 * The users that a dry run would create are kept in a table, so it may have any length. Rows of real users
 * are neither written nor locked. Each chunk has its own transaction, so a slow client occupies neither a
 * transaction nor a connection.
 */
export function openDryRunSession(db: Database): DryRunSession {
  // Random, because a sequence would need a statement before the first chunk.
  const session = String(randomInt(2 ** 48 - 1));
  let isBegun = false;
  const decide = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
    db.connection((connection) =>
      connection.transaction(async () => {
        await (isBegun ? assertKept(connection, session) : connection.query(BEGIN_SESSION, [session]));
        return work(connection);
      }, BEGIN),
    );
  return {
    rows: () => new DryRunCopyRows(session),
    async keepNew(rows) {
      const isNew = await decide((connection) => keepNew(connection, session, rows));
      isBegun = true;
      return isNew;
    },
    async resolve(keys, resolve) {
      const writeSet = await decide((connection) => resolveDryRun(connection, session, keys, resolve));
      isBegun = true;
      return writeSet;
    },
    async match(keys, source, resolve) {
      const writeSet = await decide((connection) =>
        matchDryRun(connection, session, { keys, source }, resolve),
      );
      isBegun = true;
      return writeSet;
    },
    async remove(users) {
      await decide((connection) => keepDryRunLogins(connection, session, users.flatMap(freedBy)));
      isBegun = true;
    },
    async close() {
      // Nobody waits for the removal. If it fails, a clean-up removes the rows within hours.
      if (isBegun) markHandled(forget(db, session));
    },
  };
}

/** The table has no statistics about a new dry run, so PostgreSQL might read all of it for each chunk. */
const BEGIN = `${BEGIN_BULK}; set local enable_seqscan = off`;

const BEGIN_SESSION = 'insert into dry_run_sessions (session) values ($1)';
const USE_SESSION = 'update dry_run_sessions set used_at = now() where session = $1 returning session';

/** Tables of dry runs are unlogged: PostgreSQL empties them after a crash, and a standby has no rows. */
async function assertKept(connection: Connection, session: string): Promise<void> {
  const rows = await connection.query(USE_SESSION, [session]);
  if (rows.length === 0) {
    throw new AppError(
      'STORAGE_UNAVAILABLE',
      'Storage is unavailable: the database has lost the rows of this dry run, probably in a crash: begin the dry run again',
    );
  }
}

const REMOVE = `
  delete from dry_run_logins where ctid = any (array(
    select ctid from dry_run_logins where session = $1 limit ${BATCH})) returning session`;

/** The session is removed last, so that an interrupted removal can be repeated. */
async function forget(db: Database, session: string): Promise<number> {
  for (let removed = 0; ; ) {
    const rows = await db.transaction((client) => client.query(REMOVE, [session]), BEGIN);
    removed += rows.length;
    if (rows.length > 0) continue;
    await db.query('delete from dry_run_sessions where session = $1', [session]);
    return removed + 1;
  }
}

/** Removes the rows of dry runs whose instance of the service is gone. Returns the number of removed rows. */
export async function forgetLostSessions(db: Database): Promise<number> {
  const lost = await db.query<{ session: string }>(
    "select session from dry_run_sessions where used_at < now() - $1 * interval '1 ms' order by session",
    [LOST_AFTER_MS],
  );
  let removed = 0;
  for (const { session } of lost) removed += await forget(db, session);
  return removed;
}

const allKeys = ({ emails, identities, externalIds }: LoginKeys) => [
  ...emails,
  ...identities.keys(),
  ...externalIds,
];

/**
 * Whether a key of a chunk is in use already. External ids need not be compared with ids of users, because a
 * chunk with an external id in the form of a user id is never resolved optimistically.
 */
const MEETS = `
  select exists (select 1 from password_logins where email = any ($1))
    or exists (select 1 from third_party_logins
       join unnest($2::text[], $3::text[]) as t (third_party_id, third_party_user_id)
         using (third_party_id, third_party_user_id))
    or exists (select 1 from user_aliases where alias = any ($4))
    or exists (select 1 from dry_run_logins where session = $5 and key = any ($6)) as met`;

async function keepNew(connection: Connection, session: string, newRows: DryRunRows): Promise<boolean> {
  const { keys, rows } = newRows.encoded();
  const identities = [...keys.identities.values()];
  const [row] = await connection.query<{ met: boolean }>(MEETS, [
    [...keys.emails],
    identities.map(({ id }) => id),
    identities.map(({ userId }) => userId),
    [...keys.externalIds],
    session,
    allKeys(keys),
  ]);
  if (row?.met !== false) return false;
  if (rows.count > 0) await connection.copy([rows]);
  return true;
}

type Entry = [kind: DryRunKind, key: string, state: unknown];

async function resolveDryRun(
  connection: Connection,
  session: string,
  keys: LoginKeys,
  resolve: (existing: ExistingLogins) => WriteSet,
): Promise<WriteSet> {
  const existing = await readExistingLogins(connection, keys, { lock: false });
  await readDryRunLogins(connection, session, keys, existing);
  const writeSet = resolve(existing);
  await keepDryRunLogins(connection, session, entriesOf(keys, existing));
  return writeSet;
}

async function matchDryRun(
  connection: Connection,
  session: string,
  { keys, source }: { keys: LoginKeys; source: string | undefined },
  resolve: (known: KnownUsers) => MatchResolver,
): Promise<WriteSet> {
  const known = await readKnownUsers(connection, keys, source);
  await readDryRunUsers(connection, session, keys, known);
  const resolver = resolve(known);
  const writeSet = resolver.finish();
  await keepDryRunLogins(connection, session, usersOf(known, resolver));
  return writeSet;
}

/** Adds to `known` what earlier lines of this dry run would have changed. */
async function readDryRunUsers(
  db: Queryable,
  session: string,
  keys: LoginKeys,
  known: KnownUsers,
): Promise<void> {
  const read = (kinds: readonly DryRunKind[], wanted: readonly string[]) =>
    db.query<{ kind: DryRunKind; key: string; state: string }>(
      'select kind, key, state from dry_run_logins where session = $1 and key = any ($2) and kind = any ($3)',
      [session, wanted, kinds],
    );
  for (const { kind, key, state: text } of await read(['owner', 'email', 'identity'], allKeys(keys))) {
    const state: unknown = JSON.parse(text);
    if (kind === 'owner') known.owners.set(key, state as Owner);
    else {
      const logins = kind === 'email' ? known.emails : known.identities;
      // Null: after the earlier lines, no login would have the e-mail or identity.
      if (state === null) logins.delete(key);
      else logins.set(key, state as LoginIds);
    }
  }
  const userIds = [...known.owners.values()].map(({ userId }) => userId);
  for (const { key, state } of await read(['person'], userIds)) known.persons.set(key, JSON.parse(state));
}

/** Rows that show later lines that the e-mails and identities of a removed user are free. */
const freedBy = ({ emails, identities }: EarlierUser): Entry[] => [
  ...emails.map((email): Entry => ['email', email, null]),
  ...identities.map((key): Entry => ['identity', key, null]),
];

function usersOf(known: KnownUsers, { changedPersons, changedEmails }: MatchResolver): Entry[] {
  const changed = new Set(changedPersons.map(({ userId }) => userId));
  const ofChanged = <State extends LoginIds>(kind: DryRunKind, states: ReadonlyMap<string, State>): Entry[] =>
    [...states].flatMap(([key, state]): Entry[] => (changed.has(state.userId) ? [[kind, key, state]] : []));
  return [
    ...changedPersons.map((person): Entry => ['person', person.userId, person]),
    ...ofChanged('owner', known.owners),
    ...ofChanged('identity', known.identities),
    ...[...changedEmails].map((email): Entry => ['email', email, known.emails.get(email) ?? null]),
  ];
}

/** Adds to `existing` what earlier lines of this dry run would have written. */
async function readDryRunLogins(
  db: Queryable,
  session: string,
  keys: LoginKeys,
  existing: ExistingLogins,
): Promise<void> {
  const rows = await db.query<{ kind: DryRunKind; key: string; state: string }>(
    'select kind, key, state from dry_run_logins where session = $1 and key = any ($2)',
    [session, allKeys(keys)],
  );
  for (const { kind, key, state: text } of rows) {
    const state: unknown = JSON.parse(text);
    if (kind === 'password') existing.passwords.set(key, state as ExistingPasswordLogin);
    else if (kind === 'thirdParty') existing.thirdParties.set(key, state as ExistingThirdPartyLogin);
    else if (kind === 'externalId') existing.externalIds.set(key, state as LoginIds);
  }
  const users = [...existing.passwords.values(), ...existing.thirdParties.values()].filter(
    (login) => login.isDryRun,
  );
  const external = await db.query<{ key: string; state: string }>(
    "select key, state from dry_run_logins where session = $1 and kind = 'externalIdOfUser' and key = any ($2)",
    [session, users.map(({ userId }) => userId)],
  );
  for (const { key, state } of external) existing.externalIdOfUser.set(key, JSON.parse(state));
}

/** Returns the rows by which later lines of the dry run find the login or user with a key of this chunk. */
function entriesOf(keys: LoginKeys, existing: ExistingLogins): Entry[] {
  const entries: Entry[] = [];
  for (const email of keys.emails) {
    const login = existing.passwords.get(email);
    if (login === undefined) continue;
    const { userId, recipeUserId, inCore, state, hashSetBy, noHash, importedFingerprint, isDryRun } = login;
    const kept = { userId, recipeUserId, inCore, state, hashSetBy, noHash, importedFingerprint, isDryRun };
    entries.push(['password', email, kept]);
  }
  for (const key of keys.identities.keys()) {
    const login = existing.thirdParties.get(key);
    if (login === undefined) continue;
    const { userId, recipeUserId, inCore, state, email, hasSignedIn, isDryRun } = login;
    const kept = { userId, recipeUserId, inCore, state, email, hasSignedIn, isDryRun };
    entries.push(['thirdParty', key, kept]);
  }
  for (const id of keys.externalIds) {
    const ids = existing.externalIds.get(id);
    if (ids !== undefined) entries.push(['externalId', id, ids]);
  }
  for (const [userId, id] of existing.externalIdOfUser) {
    if (keys.externalIds.has(id)) entries.push(['externalIdOfUser', userId, id]);
  }
  return entries;
}

async function keepDryRunLogins(db: Queryable, session: string, entries: readonly Entry[]): Promise<void> {
  await db.query(
    `insert into dry_run_logins (session, kind, key, state)
     select $1::bigint, kind, key, state from unnest($2::text[], $3::text[], $4::text[]) as t (kind, key, state)
     on conflict (session, key, kind) do update set state = excluded.state`,
    [
      session,
      entries.map(([kind]) => kind),
      entries.map(([, key]) => key),
      entries.map(([, , state]) => JSON.stringify(state)),
    ],
  );
}
