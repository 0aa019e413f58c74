import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../lib/errors.ts';
import type { RecipeId } from '../../../users/user.ts';
import type { Queryable } from '../../client/connection.ts';
import type { LoginRow, UserRow } from '../../users/user-row.ts';
import { readChanging } from '../citus.ts';

/*
 * Reads users. The logins of a user are on other nodes than the user. A join of the tables would send rows from node to
 * node, which takes ten times as long as reading them. Instead, each table is read separately, and only for users who
 * may have more rows: a login that is not `linked` has all there is to know of its user.
 */

type Id = string;

export interface GatheredLogin extends LoginRow {
  third_party_id?: string;
  third_party_user_id?: string;
}

interface AliasRow {
  user_id: Id;
  recipe_user_id: Id;
  alias: string;
  kind: 'recipe_user' | 'external';
}

const COLUMNS = `user_id, recipe_user_id, email,
  coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled`;

/** Statements, without a condition, that select logins by recipe. */
export const LOGINS: Record<RecipeId, string> = {
  emailpassword: `select ${COLUMNS} from password_logins`,
  thirdparty: `select ${COLUMNS}, third_party_id, third_party_user_id from third_party_logins`,
};

const ALIASES = 'select user_id, recipe_user_id, alias, kind from user_aliases';

const newRow = (userId: Id, timeJoinedMs: string | number): UserRow => ({
  user_id: userId,
  time_joined_ms: timeJoinedMs,
  password_methods: [],
  third_party_methods: [],
  external_ids: [],
});

function addLogin(row: UserRow, login: GatheredLogin): void {
  const { recipe_user_id, email, verified, time_joined_ms, disabled, third_party_id, third_party_user_id } =
    login;
  const method = [recipe_user_id, email, verified, Number(time_joined_ms), disabled] as const;
  if (third_party_id === undefined || third_party_user_id === undefined)
    row.password_methods?.push([...method]);
  else row.third_party_methods?.push([...method, third_party_id, third_party_user_id]);
}

/** Milliseconds to wait for other transactions that are changing a user, and the pauses between checks. */
const PATIENCE_MS = 5000;
const PAUSE_MS = 3;
const MAX_PAUSE_MS = 20;

interface GatherOptions {
  /** Maximum number of login methods and external ids of all users together. */
  atMost?: number | undefined;
  /** Logins that the caller has already read. A user whose sole login is known is not read again. */
  known?: readonly GatheredLogin[];
}

/**
 * Returns these users by id, except users who have no login. Returns undefined if they have more than
 * `atMost` login methods and external ids.
 * Citus has no snapshot of several nodes. Users who are being changed are therefore read again, in rounds,
 * until the result shows no user in the middle of a change. A user who is being created may have only some
 * logins. The rounds are a loop and not `retry`, because each reads only the users that the one before could
 * not read.
 * @param joined times when the users joined
 * @throws {AppError} OVERLOADED if a user is being changed for too long
 */
export async function gatherUsers(
  db: Queryable,
  joined: ReadonlyMap<Id, string | number>,
  { atMost, known = [] }: GatherOptions = {},
): Promise<Map<Id, UserRow> | undefined> {
  const first = await gatherOnce(db, joined, { atMost, known });
  if (first === undefined) return undefined;
  const { rows, pieced } = first;
  const started = performance.now();
  for (let tries = 1; pieced.size > 0; tries += 1) {
    // A change of a user takes the lock on the user first, then marks the user's row, then changes logins,
    // and keeps the lock until all nodes have committed. If nobody has the lock, and the row is the same
    // before and after reading, nothing was changed.
    const before = await readVersions(db, [...pieced]);
    const changing = await readChanging(db, [...pieced]);
    const still = [...pieced].filter((id) => !changing.has(id));
    const again = await gatherOnce(db, new Map(still.map((id) => [id, joined.get(id) ?? 0])), { atMost });
    if (again === undefined) return undefined;
    const after = await readVersions(
      db,
      still.filter((id) => again.pieced.has(id)),
    );
    for (const id of still) {
      if (again.pieced.has(id) && before.get(id) !== after.get(id)) continue;
      const row = again.rows.get(id);
      if (row === undefined) rows.delete(id);
      else rows.set(id, row);
      pieced.delete(id);
    }
    if (pieced.size === 0) break;
    if (performance.now() - started > PATIENCE_MS)
      throw new AppError('OVERLOADED', 'Service is overloaded: a user is being changed all the time');
    await sleep(Math.random() * Math.min(tries * PAUSE_MS, MAX_PAUSE_MS));
  }
  return rows;
}

/**
 * Reads users. `pieced`: users read by several statements, who must be read again until no change can have happened
 * between the statements.
 */
async function gatherOnce(
  db: Queryable,
  joined: ReadonlyMap<Id, string | number>,
  { atMost, known = [] }: GatherOptions,
): Promise<{ rows: Map<Id, UserRow>; pieced: Set<Id> } | undefined> {
  const limit = atMost === undefined ? '' : `limit ${atMost + 1}`;
  const ask = async <Row extends { user_id: Id }>(select: string, ids: readonly Id[]) =>
    ids.length === 0 ? [] : db.query<Row>(`${select} where user_id = any ($1::uuid[]) ${limit}`, [ids]);
  const isTooMuch = (found: number) => atMost !== undefined && found > atMost;

  const rows = new Map<Id, UserRow>();
  const rest = new Set(joined.keys());
  const take = (logins: readonly GatheredLogin[]) => {
    for (const login of logins) {
      const id = login.user_id;
      if (!rest.has(id)) continue;
      const row = rows.get(id) ?? newRow(id, joined.get(id) ?? login.time_joined_ms);
      addLogin(row, login);
      rows.set(id, row);
      if (!login.linked) rest.delete(id);
    }
  };

  take(known.filter((login) => !login.linked));
  for (const select of Object.values(LOGINS)) {
    const logins = await ask<GatheredLogin>(select, [...rest]);
    if (isTooMuch(logins.length)) return undefined;
    take(logins);
  }
  const aliases = await ask<AliasRow>(
    ALIASES,
    [...rest].filter((id) => rows.has(id)),
  );
  // A user has an alias for each further login method and each external id.
  if (isTooMuch(joined.size + aliases.length)) return undefined;
  for (const { user_id: id, recipe_user_id: recipeUserId, alias, kind } of aliases)
    if (kind === 'external') rows.get(id)?.external_ids?.push([recipeUserId, alias]);
  return { rows, pieced: rest };
}

/** Unknown ids are left out. */
export const readJoined = (db: Queryable, ids: readonly Id[]): Promise<Map<Id, string>> =>
  readOfUsers(db, 'time_joined_ms', ids);

/**
 * Returns a text for each user that differs after every change and every lock of the user's row. A transaction that
 * locks the row writes its own id into `xmax` at once.
 */
const readVersions = (db: Queryable, ids: readonly Id[]): Promise<Map<Id, string>> =>
  readOfUsers(db, "xmin::text || ' ' || xmax::text", ids);

async function readOfUsers(db: Queryable, value: string, ids: readonly Id[]): Promise<Map<Id, string>> {
  if (ids.length === 0) return new Map();
  // With `=`, Citus knows at once which node has the user. With `any`, its planning takes longer.
  const [which, parameter] = ids.length === 1 ? ['= $1', ids[0]] : ['= any ($1::uuid[])', ids];
  const rows = await db.query<{ user_id: Id; value: string }>(
    `select user_id, ${value} as value from users where user_id ${which}`,
    [parameter],
  );
  return new Map(rows.map((row) => [row.user_id, row.value]));
}

export async function readUserRowsOnNodes(db: Queryable, ids: readonly Id[]): Promise<UserRow[]> {
  const rows = await gatherUsers(db, await readJoined(db, ids));
  return [...(rows?.values() ?? [])];
}
