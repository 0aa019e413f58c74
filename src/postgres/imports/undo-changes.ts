import type { RollbackCount, RollbackCounts } from '../../imports/import-history.ts';
import type { MatchBy } from '../../imports/import-request.ts';
import { type Move, movable, type Row } from '../../imports/resolve/person.ts';
import { Contended } from '../../lib/errors.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import { readStanding, recordWaitingHashes, type Standing } from '../users/in-core.ts';
import {
  type ChangeKind,
  copyOfChanges,
  copyOfHashChanges,
  isAsLeft,
  isValue,
  KEY_COLUMNS,
  type KeptChange,
  type PackedChange,
} from './import-changes.ts';
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
  /** Rows of the users, by table and id. */
  rows: Readonly<Record<UserTable, ReadonlyMap<string, StoredRow>>>;
  loginsOf: ReadonlyMap<string, readonly StoredRow[]>;
}

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
const NEXT_GROUP = `
  select tries, to_json(written_at) #>> '{}' as "writtenAt" from import_changes
  where import_id = $1 and kind = $2 and tries =
    (select min(tries) from import_changes where import_id = $1 and kind = $2 and tries < $3)
    and written_at < $4::timestamptz
  order by written_at desc limit 1`;

const OF_GROUP = 'import_id = $1 and kind = $2 and tries = $3 and written_at = $4::timestamptz';

export interface UndoOptions {
  importId: string;
  matchBy: MatchBy;
  /** `values` are undone in separate steps, before `rows`. */
  kind: ChangeKind;
  /** Maximum number of attempts to give a user an address back that another user has. */
  maxTries: number;
  /** Whether changes are dropped if their last attempt fails. */
  isLast: boolean;
  /** Claim of the step in progress. The latest transaction before it is then undone, unless the two share a key. */
  after: Claim | undefined;
  /** Called before any row of a user is locked. */
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
  const { importId, matchBy, kind, maxTries, isLast, after, claim } = options;
  const [group] = await db.query<Group & Record<string, unknown>>(NEXT_GROUP, [
    ...[importId, kind, maxTries, after?.group.writtenAt ?? 'infinity'],
  ]);
  if (group === undefined || (after !== undefined && after.group.tries !== group.tries)) return undefined;
  await db.engine.lockOutChanges(db);
  const ofGroup = [importId, kind, group.tries, group.writtenAt];
  const rows = await db.query<{ changes: PackedChange[] }>(
    // Locked, because a hash may be wrapped or a person deleted in a row before it is removed.
    `select changes from import_changes where ${OF_GROUP} order by id for update`,
    ofGroup,
  );
  const changes = rows.flatMap((row) => row.changes.map((change) => keptChange(change, group)));
  const keys = new Set<string>();
  for (const change of changes) addKeys(keys, change);
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
  const deleted = await db.query(`delete from import_changes where ${OF_GROUP} returning id`, ofGroup);
  if (deleted.length !== rows.length)
    throw new Contended(new Error('another rollback has undone these changes'));
  if (again.size > 0) await db.copy([copyOfChanges(importId, group.writtenAt, [...again], group.tries + 1)]);
  return countsOf(
    changes.filter((change) => !again.has(change)),
    new Set(undone),
    matchBy,
  );
}

const keptChange = ([part, userId, id, before, after]: PackedChange, { writtenAt }: Group): KeptChange => ({
  part,
  userId,
  id,
  writtenAt,
  before: before ?? undefined,
  after: after ?? undefined,
});

/** Adds the id of the user, and the keys that undoing the change takes or frees. */
function addKeys(keys: Set<string>, { part, userId, before, after }: KeptChange): void {
  keys.add(userId);
  if (isValue(part) || keepsKey(part, after, before)) return;
  for (const row of [after, before && { ...after, ...before }]) {
    const key = row && keyOf(part, row);
    if (key !== undefined) keys.add(key);
  }
}

/** Returns whether a row that is there keeps its key if its columns get the values of `before`. */
const keepsKey = (table: UserTable, row: Row | undefined, before: Row | undefined) =>
  row !== undefined && before !== undefined && KEY_COLUMNS[table].every((name) => !(name in before));

const unitOf = ({ userId, part, id }: KeptChange, matchBy: MatchBy): string =>
  matchBy === 'externalId' && !isValue(part) ? userId : `${part} ${id}`;

/** Reads and locks the present rows of the users. Users are locked before their logins. */
async function readPresent(
  db: Queryable,
  changes: readonly KeptChange[],
  { kind, matchBy }: UndoOptions,
): Promise<Present> {
  const userIds = [...new Set(changes.map(({ userId }) => userId))];
  const isOfLogins = kind === 'rows' && matchBy === 'login';
  const users = isOfLogins ? [] : await lockUsers(db, userIds);
  const logins = isOfLogins
    ? await readLoginsByKey(db, keysOf(changes), { lock: true })
    : await readLoginsOf(db, userIds, { lock: true });
  const aliases = isOfLogins ? [] : await readRowsOf(db, 'user_aliases', userIds);
  const loginsOf = new Map<string, StoredRow[]>();
  for (const login of logins) addTo(loginsOf, login.userId, login);
  return {
    inCore: await readStanding(db, userIds),
    rows: {
      users: byId(users),
      user_aliases: byId(aliases),
      password_logins: byId(logins.filter(({ table }) => table === 'password_logins')),
      third_party_logins: byId(logins.filter(({ table }) => table === 'third_party_logins')),
    },
    loginsOf,
  };
}

const byId = (rows: readonly StoredRow[]) => new Map(rows.map((row) => [row.id, row]));

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
    if (isValue(part)) {
      const rows = part === 'states' ? present.loginsOf.get(userId) : undefined;
      const all = rows ?? [present.rows.users.get(userId) ?? []].flat();
      if (present.inCore.elsewhere.has(userId) || !isAsLeft(all[0]?.row, change)) return undefined;
      for (const { table, row } of all) unit.edits.push({ table, from: row, to: before });
      continue;
    }
    const row = present.rows[part].get(id)?.row;
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

/**
 * Columns whose values the core does not have, so that they may be restored for a user who is in the core. All others,
 * also parts of the profile, count as known there, so that a rollback keeps the user.
 */
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
      ? { id, before, row: rows.password_logins.get(id)?.row }
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

/** Names of the counts of changes that were undone, and of those that were not. */
const COUNTED = {
  states: ['statesRestored', 'statesKept'],
  factors: ['factorsRestored', 'factorsKept'],
  hashes: ['hashesRestored', 'hashesKept'],
  emails: ['emailsRestored', 'emailsKept'],
  users: ['usersRestored', 'usersNotRestored'],
} as const satisfies Record<string, readonly [undone: RollbackCount, kept: RollbackCount]>;

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
    let what: keyof typeof COUNTED;
    if (isValue(part)) what = part;
    else if (matchBy === 'login')
      what = before !== undefined && 'password_hash' in before ? 'hashes' : 'emails';
    else {
      if (counted.has(userId)) continue;
      counted.add(userId);
      what = 'users';
    }
    const name = COUNTED[what][isUndone ? 0 : 1];
    counts[name] = (counts[name] ?? 0) + 1;
    if (!isUndone) kept.add(userId);
  }
  return { ...counts, keptUserIds: [...kept] };
}
