import type { Known, KnownPassword, KnownThirdParty, LoginIds } from '../../imports/known.ts';
import type { Plan } from '../../imports/plan.ts';
import type { ChunkKeys, Rehearsal } from '../../imports/store.ts';
import type { Connection, Queryable } from '../connection.ts';
import type { Database } from '../database.ts';
import { LONG_BEGIN } from './bulk-begin.ts';
import { readKnown } from './read-known.ts';
import { type RehearsedKind, RehearsedRows, rehearsedRow } from './rehearsed-rows.ts';

/**
 * A dry run on one connection, in one transaction that never commits. What its lines would have made of users is kept in
 * a temporary table, so that it may be as long as it likes; rows of users are neither written nor locked.
 */
export function openRehearsal(db: Database): Promise<Rehearsal> {
  return new Promise((resolve, reject) => {
    const work = async (connection: Connection) => {
      await connection.query(CREATE);
      await new Promise<void>((close) => {
        resolve({
          async keepNew(rows) {
            // This room makes all rows of dry runs, of this kind.
            if (!(rows instanceof RehearsedRows)) throw new Error('rows that another store made');
            return rows.keepNew(connection);
          },
          plan: (keys, plan) => rehearse(connection, keys, plan),
          async close() {
            close();
            await done;
          },
        });
      });
      throw new NothingToKeep();
    };
    const done = db
      .connection((connection) => connection.transaction(() => work(connection), BEGIN))
      .catch((error: unknown) => {
        if (!(error instanceof NothingToKeep)) reject(error);
      });
  });
}

/** Rolls the transaction back. */
class NothingToKeep extends Error {}

/** Without statistics, which a temporary table never gets by itself, Postgres would read all of it for each chunk. */
const BEGIN = `${LONG_BEGIN}; set local enable_seqscan = off`;

const CREATE = `create temporary table rehearsed (
  kind text collate "C", key text collate "C", state text not null, primary key (key, kind)
) on commit drop;
create temporary table incoming (like rehearsed) on commit drop`;

type Entry = [kind: RehearsedKind, key: string, state: unknown];

async function rehearse(
  connection: Connection,
  keys: ChunkKeys,
  plan: (known: Known) => Plan,
): Promise<Plan> {
  const known = await readKnown(connection, keys, { lock: false });
  await readRehearsed(connection, keys, known);
  const planned = plan(known);
  await keepRehearsed(connection, entriesOf(keys, known));
  return planned;
}

async function readRehearsed(db: Queryable, keys: ChunkKeys, known: Known): Promise<void> {
  const rows = await db.query<{ kind: RehearsedKind; key: string; state: string }>(
    'select kind, key, state from rehearsed where key = any ($1)',
    [[...keys.emails, ...keys.identities.keys(), ...keys.externalIds]],
  );
  for (const { kind, key, state: text } of rows) {
    const state: unknown = JSON.parse(text);
    if (kind === 'password') known.passwords.set(key, state as KnownPassword);
    else if (kind === 'thirdParty') known.thirdParties.set(key, state as KnownThirdParty);
    else if (kind === 'externalId') known.externalIds.set(key, state as LoginIds);
  }
  const users = [...known.passwords.values(), ...known.thirdParties.values()].filter(
    (login) => login.isImagined,
  );
  const external = await db.query<{ key: string; state: string }>(
    "select key, state from rehearsed where kind = 'externalIdOfUser' and key = any ($1)",
    [users.map(({ userId }) => userId)],
  );
  for (const { key, state } of external) known.externalIdOfUser.set(key, JSON.parse(state));
}

/** What the plan has made of the users that these keys stand for. */
function entriesOf(keys: ChunkKeys, known: Known): Entry[] {
  const entries: Entry[] = [];
  for (const email of keys.emails) {
    const login = known.passwords.get(email);
    if (login === undefined) continue;
    const { userId, recipeUserId, hashSetBy, isImagined } = login;
    entries.push(['password', email, { userId, recipeUserId, hashSetBy, isImagined }]);
  }
  for (const key of keys.identities.keys()) {
    const login = known.thirdParties.get(key);
    if (login === undefined) continue;
    const { userId, recipeUserId, email, hasSignedIn, isImagined } = login;
    entries.push(['thirdParty', key, { userId, recipeUserId, email, hasSignedIn, isImagined }]);
  }
  for (const id of keys.externalIds) {
    const ids = known.externalIds.get(id);
    if (ids !== undefined) entries.push(['externalId', id, ids]);
  }
  for (const [userId, id] of known.externalIdOfUser) {
    if (keys.externalIds.has(id)) entries.push(['externalIdOfUser', userId, id]);
  }
  return entries;
}

async function keepRehearsed(connection: Connection, entries: readonly Entry[]): Promise<void> {
  await connection.query('truncate incoming');
  const rows = entries.map(([kind, key, state]) => rehearsedRow(kind, key, state));
  await connection.copy([
    {
      statement: 'copy incoming (kind, key, state) from stdin',
      rows: Buffer.from(rows.join('')),
      count: rows.length,
    },
  ]);
  await connection.query(
    `insert into rehearsed select * from incoming
     on conflict (key, kind) do update set state = excluded.state`,
  );
}
