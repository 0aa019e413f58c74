import type { RollbackCount, RollbackCounts } from '../../imports/import-history.ts';
import type { MatchBy } from '../../imports/import-request.ts';
import { type Move, movable, type Row } from '../../imports/resolve/person.ts';
import { Contended } from '../../lib/errors.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import { readStanding, recordWaitingHashes, type Standing } from '../users/in-core.ts';
import { copyOfHashChanges, isAsLeft, KEY_COLUMNS, type KeptChange, type Part } from './import-changes.ts';
import {
  addTo,
  beginEdits,
  identityOf,
  keyOfLogin,
  lockUsers,
  type RowEdit,
  readLoginsByKey,
  readLoginsOf,
  readRowsOf,
  readTaken,
  type StoredRow,
  type UserTable,
} from './stored-rows.ts';

/** Changes that are undone together: all of them, or none. */
interface Unit extends Move {
  changes: readonly KeptChange[];
  edits: RowEdit[];
}

interface Present {
  inCore: Standing;
  /** Rows of the users by part and id. */
  rows: ReadonlyMap<string, StoredRow>;
  loginsOf: ReadonlyMap<string, readonly StoredRow[]>;
}

const OF = { values: "part in ('states', 'factors')", rows: "part not in ('states', 'factors')" };

/** Transaction of an import, by its time, and the number of earlier attempts to undo its changes. */
export interface Group {
  tries: number;
  writtenAt: string;
}

/** A transaction of the import that a step undoes, with the ids of the users it changes and the keys it takes or frees. */
export interface Claim {
  group: Group;
  keys: ReadonlySet<string>;
}

/**
 * Selects the latest transaction before a time, of those with the fewest attempts. Reads the two ends of an index, and
 * nothing between them.
 */
const nextGroup = (what: UndoOptions['what']) => `
  select tries, to_json(written_at) #>> '{}' as "writtenAt" from import_changes
  where import_id = $1 and ${OF[what]} and tries =
    (select min(tries) from import_changes where import_id = $1 and tries < $2 and ${OF[what]})
    and written_at < $3::timestamptz
  order by written_at desc limit 1`;

const ofGroup = (what: UndoOptions['what']) =>
  `import_id = $1 and tries = $2 and written_at = $3::timestamptz and ${OF[what]}`;

interface ChangeRow extends Record<string, unknown> {
  user_id: string;
  part: Part;
  row_id: string;
  before: Row | null;
  after: Row | null;
}

async function readGroup(
  db: Queryable,
  { importId, what }: UndoOptions,
  { tries, writtenAt }: Group,
): Promise<KeptChange[]> {
  const rows = await db.query<ChangeRow>(
    `select user_id, part, row_id, before, after from import_changes where ${ofGroup(what)}`,
    [importId, tries, writtenAt],
  );
  return rows.map(({ user_id: userId, part, row_id: id, before, after }) => ({
    ...{ part, userId, id, writtenAt, before: before ?? undefined, after: after ?? undefined },
  }));
}

export interface UndoOptions {
  importId: string;
  matchBy: MatchBy;
  /** `values`: states and factors of users. They are undone in separate steps, before the rows of users. */
  what: 'values' | 'rows';
  /** Maximum number of attempts to give a user an address back that another user has. */
  maxTries: number;
  /** Whether changes are dropped if their last attempt fails. */
  isLast: boolean;
  /** Claim of the step in progress. The latest transaction before it is then undone, unless the two share a key. */
  after: Claim | undefined;
  /** Called before any row is locked. */
  claim(claim: Claim): void;
}

/**
 * Undoes the changes of one transaction of the import, the latest first, so that addresses which users had before are
 * free again. With `matchBy=externalId`, a user stays as a whole if any part of it was changed or used since. With
 * `matchBy=login`, only a login that was changed or used since stays.
 * @returns undefined if nothing is left to undo
 */
export async function undoChanges(
  db: Transaction,
  options: UndoOptions,
): Promise<Partial<RollbackCounts> | undefined> {
  const { importId, matchBy, what, maxTries, isLast, after, claim } = options;
  const [group] = await db.query<Group & Record<string, unknown>>(nextGroup(what), [
    ...[importId, maxTries, after?.group.writtenAt ?? 'infinity'],
  ]);
  if (group === undefined || (after !== undefined && after.group.tries !== group.tries)) return undefined;
  await db.engine.lockOutChanges(db);
  const changes = await readGroup(db, options, group);
  const keys = new Set(changes.flatMap(keysOfChange));
  if (after !== undefined && [...keys].some((key) => after.keys.has(key))) return undefined;
  claim({ group, keys });
  const present = await readPresent(db, changes, options);
  const units = new Map<string, KeptChange[]>();
  for (const change of changes) addTo(units, unitOf(change, matchBy), change);
  const going = [...units.values()].flatMap((unit) => undoOf(unit, present) ?? []);
  const moving = movable(going, await readFree(db, going));
  const finishEdits = await beginEdits(
    db,
    [...moving].flatMap(({ edits }) => edits),
  );
  await finishEdits();
  const undone = [...moving].flatMap((unit) => unit.changes);
  await recordRestored(db, importId, undone, present);
  const isTriedAgain = !(isLast && group.tries + 1 >= maxTries);
  const blocked = going.filter((unit) => isTriedAgain && !moving.has(unit));
  const again = new Set(blocked.flatMap((unit) => unit.changes));
  const values = [importId, group.tries, group.writtenAt];
  const users = new Set([...again].map(({ userId }) => userId));
  const [deleted] = await db.query<{ count: string }>(
    `with deleted as (delete from import_changes where ${ofGroup(what)} and user_id <> all ($4::uuid[]) returning 1)
     select count(*) from deleted`,
    [...values, [...users]],
  );
  if (Number(deleted?.count) !== changes.filter(({ userId }) => !users.has(userId)).length)
    throw new Contended(new Error('another rollback has undone these changes'));
  if (users.size > 0)
    await db.query(`update import_changes set tries = tries + 1 where ${ofGroup(what)}`, values);
  return countsOf(
    changes.filter((change) => !again.has(change)),
    new Set(undone),
    matchBy,
  );
}

/** Returns the id of the user, and the keys that undoing the change takes or frees. */
function keysOfChange({ part, userId, before, after }: KeptChange): string[] {
  if (part === 'states' || part === 'factors') return [userId];
  const rows = keepsKey(part, after, before) ? [] : [after, before && { ...after, ...before }];
  return [userId, ...rows.flatMap((row) => (row && keyOf(part, row)) ?? [])];
}

/** Returns whether a row that is there keeps its key if its columns get the values of `before`. */
const keepsKey = (table: UserTable, row: Row | undefined, before: Row | undefined) =>
  row !== undefined && before !== undefined && KEY_COLUMNS[table].every((name) => !(name in before));

const unitOf = ({ userId, part, id }: KeptChange, matchBy: MatchBy): string =>
  matchBy === 'externalId' && part !== 'states' && part !== 'factors' ? userId : `${userId} ${part} ${id}`;

/** Reads and locks the present rows of the users. Users are locked before their logins. */
async function readPresent(
  db: Queryable,
  changes: readonly KeptChange[],
  { what, matchBy }: UndoOptions,
): Promise<Present> {
  const userIds = [...new Set(changes.map(({ userId }) => userId))];
  const isOfLogins = what === 'rows' && matchBy === 'login';
  const users = isOfLogins ? [] : await lockUsers(db, userIds);
  const logins = isOfLogins
    ? await readLoginsByKey(db, keysOf(changes), { lock: true })
    : await readLoginsOf(db, userIds, { lock: true });
  const aliases = isOfLogins ? [] : await readRowsOf(db, 'user_aliases', userIds);
  const loginsOf = new Map<string, StoredRow[]>();
  for (const login of logins) addTo(loginsOf, login.userId, login);
  return {
    inCore: await readStanding(db, userIds),
    rows: new Map([...users, ...logins, ...aliases].map((row) => [`${row.table} ${row.id}`, row])),
    loginsOf,
  };
}

/**
 * Returns the keys that the logins had after the import. A login with another key is not found, because it is not as
 * the import left it.
 */
function keysOf(changes: readonly KeptChange[]) {
  const logins = changes.map(({ after = {} }) => ({ after, identity: identityOf(after) }));
  return {
    emails: logins.flatMap(({ after, identity }) => (identity === undefined ? String(after.email) : [])),
    identities: logins.flatMap(({ identity }) => identity ?? []),
  };
}

/**
 * Returns how to undo changes. Undefined if something was used or changed since the import, so that all of it stays.
 */
function undoOf(changes: readonly KeptChange[], present: Present): Unit | undefined {
  const unit: Unit & { wants: string[]; leaves: string[] } = { changes, edits: [], wants: [], leaves: [] };
  for (const change of changes) {
    const { part, userId, id, before } = change;
    if (part === 'states' || part === 'factors') {
      const rows = part === 'states' ? present.loginsOf.get(userId) : undefined;
      const all = rows ?? [present.rows.get(`users ${userId}`) ?? []].flat();
      if (present.inCore.elsewhere.has(userId) || !isAsLeft(all[0]?.row, change)) return undefined;
      for (const { table, row } of all) unit.edits.push({ table, from: row, to: before });
      continue;
    }
    const row = present.rows.get(`${part} ${id}`)?.row;
    if (!isAsLeft(row, change)) return undefined;
    if (present.inCore.elsewhere.has(userId) && !isOfHereOnly(change, row, present.inCore)) return undefined;
    const [leaves, wants] = keepsKey(part, row, before)
      ? []
      : [row && keyOf(part, row), before && keyOf(part, { ...row, ...before })];
    if (leaves !== wants) {
      if (leaves !== undefined) unit.leaves.push(leaves);
      if (wants !== undefined) unit.wants.push(wants);
    }
    unit.edits.push({ table: part, from: row, to: before });
  }
  return unit;
}

/** Returns a key that no other user may have: an e-mail with a password, an identity or an id. */
function keyOf(table: UserTable, row: Row): string | undefined {
  if (table === 'users') return undefined;
  if (table === 'user_aliases') return `a${row.alias}`;
  return keyOfLogin(row);
}

/** Columns whose values the core does not have, so that they may be restored for a user who is in the core. */
const OF_HERE = new Set(
  ['hash_algorithm', 'hash_secret_id', 'hash_class', 'no_hash', 'hash_set_at', 'hash_set_by'].concat([
    'imported_fingerprint',
    'changed_at',
    'changed_by_import_at',
    'email_set_by',
    'password_hash',
  ]),
);

/**
 * Returns whether a change can be undone although the user is in the SuperTokens core or has moved: it only changes
 * columns of OF_HERE, and the hash only if the login waits.
 */
function isOfHereOnly(
  { part, id, before }: KeptChange,
  row: Row | undefined,
  { waiting }: Standing,
): boolean {
  if (before === undefined) return false;
  if (row === undefined) return part !== 'password_logins' || waiting.has(id);
  const isSame = (name: string) => JSON.stringify(row[name] ?? null) === JSON.stringify(before[name] ?? null);
  if (!Object.keys(before).every((name) => OF_HERE.has(name) || isSame(name))) return false;
  return !('password_hash' in before) || isSame('password_hash') || waiting.has(id);
}

/** Reads which keys are free, of those that users want back. Returns a function that looks up a key. */
async function readFree(db: Queryable, units: readonly Unit[]): Promise<(key: string) => boolean> {
  const wanted = new Set(units.flatMap(({ wants }) => wants));
  if (wanted.size === 0) return () => true;
  const rows = units
    .flatMap(({ edits }) => edits)
    .map(({ table, from, to }) => ({ table, row: { ...from, ...to } }))
    .filter(({ table, row }) => wanted.has(keyOf(table, row) ?? ''));
  const of = (table: UserTable) => rows.filter((one) => one.table === table).map(({ row }) => row);
  const taken = await readTaken(db, {
    emails: of('password_logins').map(({ email }) => String(email)),
    identities: of('third_party_logins').flatMap((row) => identityOf(row) ?? []),
    aliases: of('user_aliases').map(({ alias }) => String(alias)),
  });
  const keys = new Set(taken.map(({ table, row }) => keyOf(table, row)));
  return (key) => !keys.has(key);
}

async function recordRestored(
  db: Transaction,
  importId: string,
  changes: readonly KeptChange[],
  { rows, inCore: { waiting } }: Present,
): Promise<void> {
  const restored = changes.flatMap(({ part, id, before }) =>
    part === 'password_logins' && before !== undefined && 'password_hash' in before
      ? { id, before, row: rows.get(`${part} ${id}`)?.row }
      : [],
  );
  const changed = restored
    .filter(({ before, row }) => row !== undefined && row.password_hash !== before.password_hash)
    .map(({ id, before }) => ({ recipeUserId: id, algorithm: algorithmOf(before) }));
  if (changed.length > 0) await db.copy([copyOfHashChanges('rollback', importId, changed)]);
  await recordWaitingHashes(
    db,
    restored
      .filter(({ id }) => waiting.has(id))
      .map(({ id, before }) => ({
        recipeUserId: id,
        algorithm: algorithmOf(before) ?? String(before.no_hash),
      })),
  );
}

const algorithmOf = ({ hash_algorithm: algorithm }: Row) =>
  typeof algorithm === 'string' ? algorithm : undefined;

function countsOf(
  changes: readonly KeptChange[],
  undone: ReadonlySet<KeptChange>,
  matchBy: MatchBy,
): Partial<RollbackCounts> {
  const counts: Partial<Record<RollbackCount, number>> = {};
  const kept = new Set<string>();
  const counted = new Set<string>();
  for (const change of changes) {
    const { part, userId, before } = change;
    const isUndone = undone.has(change);
    let what: RollbackCount;
    if (part === 'states' || part === 'factors') what = `${part}${isUndone ? 'Restored' : 'Kept'}`;
    else if (matchBy === 'login')
      what = `${before !== undefined && 'password_hash' in before ? 'hashes' : 'emails'}${isUndone ? 'Restored' : 'Kept'}`;
    else {
      if (counted.has(userId)) continue;
      counted.add(userId);
      what = isUndone ? 'usersRestored' : 'usersNotRestored';
    }
    counts[what] = (counts[what] ?? 0) + 1;
    if (!isUndone) kept.add(userId);
  }
  return { ...counts, keptUserIds: [...kept] };
}
