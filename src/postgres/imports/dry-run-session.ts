import type { ChunkKeys, DryRunSession } from '../../imports/import-store.ts';
import type {
  ExistingLogins,
  ExistingPasswordLogin,
  ExistingThirdPartyLogin,
  LoginIds,
} from '../../imports/resolve/existing-logins.ts';
import type { WriteSet } from '../../imports/resolve/write-set.ts';
import type { Connection, Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { type DryRunKind, DryRunRows, dryRunRow } from './dry-run-rows.ts';
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
          async keepNew(rows) {
            // This room makes all rows of dry runs, of this kind.
            if (!(rows instanceof DryRunRows)) throw new Error('rows that another store made');
            return rows.keepNew(connection);
          },
          resolve: (keys, resolve) => resolveDryRun(connection, keys, resolve),
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

/** Without statistics, which a temporary table never gets by itself, Postgres would read all of it for each chunk. */
const BEGIN = `${BEGIN_OPEN_ENDED}; set local enable_seqscan = off`;

const CREATE = `create temporary table dry_run_logins (
  kind text collate "C", key text collate "C", state text not null, primary key (key, kind)
) on commit drop;
create temporary table incoming (like dry_run_logins) on commit drop`;

type Entry = [kind: DryRunKind, key: string, state: unknown];

async function resolveDryRun(
  connection: Connection,
  keys: ChunkKeys,
  resolve: (existing: ExistingLogins) => WriteSet,
): Promise<WriteSet> {
  const existing = await readExistingLogins(connection, keys, { lock: false });
  await readDryRunLogins(connection, keys, existing);
  const resolved = resolve(existing);
  await keepDryRunLogins(connection, entriesOf(keys, existing));
  return resolved;
}

async function readDryRunLogins(db: Queryable, keys: ChunkKeys, existing: ExistingLogins): Promise<void> {
  const rows = await db.query<{ kind: DryRunKind; key: string; state: string }>(
    'select kind, key, state from dry_run_logins where key = any ($1)',
    [[...keys.emails, ...keys.identities.keys(), ...keys.externalIds]],
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

/** What the plan has made of the users that these keys stand for. */
function entriesOf(keys: ChunkKeys, existing: ExistingLogins): Entry[] {
  const entries: Entry[] = [];
  for (const email of keys.emails) {
    const login = existing.passwords.get(email);
    if (login === undefined) continue;
    const { userId, recipeUserId, hashSetBy, isDryRun } = login;
    entries.push(['password', email, { userId, recipeUserId, hashSetBy, isDryRun }]);
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
