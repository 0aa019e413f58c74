import type { DryRunRows, DryRunSession } from '../../imports/import-store.ts';
import type {
  ExistingLogins,
  ExistingPasswordLogin,
  ExistingThirdPartyLogin,
  LoginIds,
} from '../../imports/resolve/existing-logins.ts';
import type { LoginKeys } from '../../imports/resolve/login-keys.ts';
import type { WriteSet } from '../../imports/resolve/write-set.ts';
import type { Connection, Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { type DryRunKind, dryRunRow } from './dry-run-rows.ts';
import { readExistingLogins } from './read-existing-logins.ts';
import { BEGIN_OPEN_ENDED } from './transaction-settings.ts';

/**
 * A dry run on one connection, in one transaction that never commits. What its lines would have made of users is kept in
 * a temporary table, so that it may be as long as it likes; rows of users are neither written nor locked.
 */
export function openDryRunSession(db: Database): Promise<DryRunSession> {
  return new Promise((resolve, reject) => {
    const work = async (connection: Connection) => {
      await connection.query(CREATE);
      await new Promise<void>((close) => {
        resolve({
          keepNew: (rows) => keepNew(connection, rows),
          resolve: (keys, resolveWith) => resolveDryRun(connection, keys, resolveWith),
          async close() {
            close();
            await done;
          },
        });
      });
      throw new EndOfDryRun();
    };
    const done = db
      .connection((connection) => connection.transaction(() => work(connection), BEGIN))
      .catch((error: unknown) => {
        if (!(error instanceof EndOfDryRun)) reject(error);
      });
  });
}

/** Rolls the transaction back. */
class EndOfDryRun extends Error {}

/**
 * Without sequential scans: a temporary table has no statistics until somebody analyses it, and Postgres would read all of
 * it for each chunk.
 */
const BEGIN = `${BEGIN_OPEN_ENDED}; set local enable_seqscan = off`;

const CREATE = `create temporary table dry_run_logins (
  kind text collate "C", key text collate "C", state text not null, primary key (key, kind)
) on commit drop;
create temporary table incoming (like dry_run_logins) on commit drop`;

const allKeys = ({ emails, identities, externalIds }: LoginKeys) => [
  ...emails,
  ...identities.keys(),
  ...externalIds,
];

/** An optimistic chunk has no external id that may be some user's own id: such ids are not looked for here. */
const MEETS = `
  select exists (select 1 from password_logins where email = any ($1))
    or exists (select 1 from third_party_logins
       join unnest($2::text[], $3::text[]) as t (third_party_id, third_party_user_id)
         using (third_party_id, third_party_user_id))
    or exists (select 1 from user_aliases where alias = any ($4))
    or exists (select 1 from dry_run_logins where key = any ($5)) as met`;

async function keepNew(connection: Connection, newRows: DryRunRows): Promise<boolean> {
  const { keys, rows } = newRows.encoded();
  const identities = [...keys.identities.values()];
  const [row] = await connection.query<{ met: boolean }>(MEETS, [
    [...keys.emails],
    identities.map(({ id }) => id),
    identities.map(({ userId }) => userId),
    [...keys.externalIds],
    allKeys(keys),
  ]);
  if (row?.met !== false) return false;
  if (rows.count > 0) await connection.copy([rows]);
  return true;
}

type Entry = [kind: DryRunKind, key: string, state: unknown];

async function resolveDryRun(
  connection: Connection,
  keys: LoginKeys,
  resolve: (existing: ExistingLogins) => WriteSet,
): Promise<WriteSet> {
  const existing = await readExistingLogins(connection, keys, { lock: false });
  await readDryRunLogins(connection, keys, existing);
  const writeSet = resolve(existing);
  await keepDryRunLogins(connection, entriesOf(keys, existing));
  return writeSet;
}

/** Adds to `existing` what lines before would have written. */
async function readDryRunLogins(db: Queryable, keys: LoginKeys, existing: ExistingLogins): Promise<void> {
  const rows = await db.query<{ kind: DryRunKind; key: string; state: string }>(
    'select kind, key, state from dry_run_logins where key = any ($1)',
    [allKeys(keys)],
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
    "select key, state from dry_run_logins where kind = 'externalIdOfUser' and key = any ($1)",
    [users.map(({ userId }) => userId)],
  );
  for (const { key, state } of external) existing.externalIdOfUser.set(key, JSON.parse(state));
}

/** What was made of the users that these keys stand for. */
function entriesOf(keys: LoginKeys, existing: ExistingLogins): Entry[] {
  const entries: Entry[] = [];
  for (const email of keys.emails) {
    const login = existing.passwords.get(email);
    if (login === undefined) continue;
    const { userId, recipeUserId, hashSetBy, importedFingerprint, isDryRun } = login;
    const state = { userId, recipeUserId, hashSetBy, importedFingerprint, isDryRun };
    entries.push(['password', email, state]);
  }
  for (const key of keys.identities.keys()) {
    const login = existing.thirdParties.get(key);
    if (login === undefined) continue;
    const { userId, recipeUserId, email, hasSignedIn, isDryRun } = login;
    entries.push(['thirdParty', key, { userId, recipeUserId, email, hasSignedIn, isDryRun }]);
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

async function keepDryRunLogins(connection: Connection, entries: readonly Entry[]): Promise<void> {
  await connection.query('truncate incoming');
  const rows = entries.map(([kind, key, state]) => dryRunRow(kind, key, state));
  await connection.copy([
    {
      statement: 'copy incoming (kind, key, state) from stdin',
      rows: Buffer.from(rows.join('')),
      count: rows.length,
    },
  ]);
  await connection.query(
    `insert into dry_run_logins select * from incoming
     on conflict (key, kind) do update set state = excluded.state`,
  );
}
