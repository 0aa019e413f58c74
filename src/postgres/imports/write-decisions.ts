import type { MatchBy } from '../../imports/import-request.ts';
import { gainsLogin, type Login, type Person, type Row } from '../../imports/resolve/person.ts';
import type { Decisions } from '../../imports/resolve/resolver.ts';
import { Contended } from '../../lib/errors.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import type { Copy } from '../client/copy-in.ts';
import { inCoreOf, readStanding, recordWaitingHashes } from '../users/in-core.ts';
import { PROFILE_COLUMNS } from '../users/user-row.ts';
import { aliasesOf, createPeople, joinedMs } from './copy-people.ts';
import { type Change, copyOfChanges, copyOfHashChanges, marksOf, pick } from './import-changes.ts';
import { readExternalIds } from './read-known.ts';
import {
  addTo,
  beginEdits,
  lockUsers,
  type RowEdit,
  readLoginsOf,
  readRowsOf,
  type StoredRow,
  tableOf,
  type UserTable,
} from './stored-rows.ts';

/**
 * Writes the decisions about lines, and records what it changes for the rollback of an import.
 * @param importId undefined for a call that no rollback undoes
 * @param lockedAt time of the database after the users were locked, if they were found by a login
 * @throws a unique violation if a user to create exists already; {Contended} if a user to change has changed
 */
export async function writeDecisions(
  db: Transaction,
  importId: string | undefined,
  { created, changed, hashChanges }: Decisions,
  { matchBy, lockedAt }: { matchBy: MatchBy; lockedAt?: string | undefined },
): Promise<void> {
  // Users who are found by a login were locked when they were read.
  const now = matchBy === 'login' ? lockedAt : await lockUnchanged(db, changed);
  const copies: Copy[] = [copyOfHashChanges('import', importId, hashChanges)];
  let finishEdits = async () => {};
  if (changed.length > 0) {
    if (now === undefined) throw new Error('the users to change were not locked');
    const rows = await readForChanges(db, changed);
    const { changes, edits } = new PeopleChanges(changed, rows, { now, matchBy });
    finishEdits = await beginEdits(db, edits);
    if (importId !== undefined) copies.push(copyOfChanges(importId, now, changes));
  }
  if (created.length > 0) await db.engine.prepareAllNodes(db);
  await createPeople(db, created, copies);
  await finishEdits();
  await recordWaitingHashes(db, changed.flatMap(waitingHashes));
}

/**
 * Locks users who were read without a lock, because nearly all users of a repeated import are unchanged. Users who
 * change as a whole are locked before their logins. While a user gets a login, nobody can remove, disable or hand over
 * the user.
 * @returns the time of the database after that, as in JSON rows
 * @throws {Contended} if one of them has changed since
 */
async function lockUnchanged(db: Queryable, people: readonly Person[]): Promise<string | undefined> {
  if (people.length === 0) return undefined;
  if (people.some(gainsLogin)) await db.engine.lockOutChanges(db);
  const wholes = people.filter((person) => gainsLogin(person) || changesUser(person));
  await lockUsers(
    db,
    wholes.map(({ userId }) => userId),
  );
  const userIds = people.map(({ userId }) => userId);
  const rows = await readLoginsOf(db, userIds, { lock: true });
  const standing = await readStanding(db, userIds);
  const found = new Map(rows.map((stored) => [stored.id, JSON.stringify(stored.row)]));
  const externalIds = await readExternalIds(db, userIds);
  let expected = 0;
  // All users must still have their external ids. A user who has lost the login with the external id has lost this id,
  // too.
  let isSame = externalIds.length === people.length;
  for (const { userId, logins } of people)
    for (const { recipeUserId, stored, inCore, hasMoved } of logins) {
      if (stored === undefined) continue;
      expected += 1;
      isSame &&= found.get(recipeUserId) === JSON.stringify(stored);
      isSame &&= inCoreOf(standing, userId, recipeUserId) === inCore;
      isSame &&= standing.moved.has(recipeUserId) === hasMoved;
    }
  if (!isSame || found.size !== expected) throw new Contended(new Error('a user was changed meanwhile'));
  return standing.now;
}

const changesUser = ({ newFactors, state, profile, stored }: Person): boolean =>
  newFactors !== undefined ||
  state.disabled !== stored?.state.disabled ||
  PROFILE_COLUMNS.some(({ part }) => profile[part] !== stored?.profile[part]);

/**
 * Reads what changes need besides the logins of lines: the user's row for new factors, and all logins for a new state.
 */
async function readForChanges(db: Queryable, people: readonly Person[]): Promise<Map<string, StoredRow[]>> {
  const idsOf = (some: readonly Person[]) => some.map(({ userId }) => userId);
  const gettingFactors = people.filter(({ newFactors }) => newFactors !== undefined);
  const changingState = people.filter(({ state, stored }) => state.disabled !== stored?.state.disabled);
  const rows = [
    ...(await readRowsOf(db, 'users', idsOf(gettingFactors))),
    ...(await readLoginsOf(db, idsOf(changingState), { lock: false })),
  ];
  const groups = new Map<string, StoredRow[]>();
  for (const row of rows) addTo(groups, row.userId, row);
  return groups;
}

/** Changes of stored users: what a rollback needs (`Change`), and the edits of rows. */
class PeopleChanges {
  readonly changes: Change[] = [];
  readonly edits: RowEdit[] = [];
  readonly #now: string;
  readonly #isWhole: boolean;

  /** @param rows by user id: the row of a user who gets factors, and all logins of one whose state changes */
  constructor(
    people: readonly Person[],
    rows: ReadonlyMap<string, readonly StoredRow[]>,
    { now, matchBy }: { now: string; matchBy: MatchBy },
  ) {
    this.#now = now;
    this.#isWhole = matchBy === 'externalId';
    for (const person of people) this.#addPerson(person, rows.get(person.userId) ?? []);
  }

  #addPerson(person: Person, rows: readonly StoredRow[]): void {
    const { userId, logins, state, stored } = person;
    if (stored === undefined) return;
    const [first] = logins.filter((login) => login.stored !== undefined);
    let toState: Row | undefined;
    if (state.disabled !== stored.state.disabled && first?.stored !== undefined) {
      toState = { disabled: state.disabled, state_set_at: this.#now, state_by_call: false };
      const before = pick(first.stored, STATE_COLUMNS);
      this.changes.push({ part: 'states', userId, id: userId, before, after: { state_set_at: this.#now } });
    }
    for (const login of logins)
      if (login.stored === undefined) this.#insert(userId, login, { ...first?.stored, ...toState });
      else this.#update(userId, login, login.stored, toState);
    for (const { table, id, row } of rows)
      if (table === 'users') this.#setFactors(person, row);
      else if (!logins.some(({ recipeUserId }) => recipeUserId === id))
        this.edits.push({ table, from: row, to: toState });
    this.#changeUser(person, stored);
  }

  #update(userId: string, login: Login, row: Row, toState: Row | undefined): void {
    const { identity, email, verifiedEmails, isNamed } = login;
    const [table, now] = [tableOf(identity), this.#now];
    const isOther =
      email !== row.email ||
      (verifiedEmails !== row.verified_emails &&
        !(verifiedEmails.length === 0 && row.verified_emails === null));
    const to: Row = {};
    if (login.hasNewCredential) setCredential(to, login, now);
    // With `matchBy=externalId`, all logins in the line count as changed, so that a rollback notices if they were used
    // since.
    if (isNamed && (isOther || this.#isWhole || identity !== undefined)) {
      to.email = email;
      to.verified_emails = verifiedEmails.length === 0 ? null : verifiedEmails;
      to.changed_at = now;
      // A login that somebody has changed here still counts as changed by them.
      if (identity === undefined && !login.isChanged) to.changed_by_import_at = now;
      if (identity === undefined && email !== row.email) to.email_set_by = null;
    }
    const columns = Object.keys(to);
    if (columns.length > 0) {
      const after = marksOf(table, row, to, this.#isWhole);
      this.changes.push({ part: table, userId, id: login.recipeUserId, before: pick(row, columns), after });
    }
    if (toState !== undefined) Object.assign(to, toState);
    if (columns.length > 0 || toState !== undefined) this.edits.push({ table, from: row, to });
  }

  /** @param state row of a login that has the state of the user */
  #insert(userId: string, login: Login, state: Row): void {
    const { recipeUserId, identity, email, verifiedEmails, timeJoinedMs } = login;
    const [table, now] = [tableOf(identity), this.#now];
    const row: Row = {
      ...{ user_id: userId, recipe_user_id: recipeUserId, email, time_joined_ms: timeJoinedMs, linked: true },
      ...{ verified_emails: verifiedEmails.length === 0 ? null : verifiedEmails, changed_at: now },
      ...pick(state, STATE_COLUMNS),
    };
    if (identity === undefined) {
      setCredential(row, login, now);
      row.changed_by_import_at = now;
    } else Object.assign(row, { third_party_id: identity.id, third_party_user_id: identity.userId });
    this.#insertRow(table, userId, recipeUserId, row);
    for (const { alias, kind } of aliasesOf(login, userId))
      this.#insertRow('user_aliases', userId, alias, {
        ...{ alias, kind, user_id: userId, recipe_user_id: recipeUserId },
      });
  }

  #insertRow(part: UserTable, userId: string, id: string, row: Row): void {
    this.edits.push({ table: part, from: undefined, to: row });
    this.changes.push({ part, userId, id, before: undefined, after: marksOf(part, row, row, true) });
  }

  #setFactors({ userId, newFactors }: Person, row: Row): void {
    if (newFactors === undefined) return;
    const to = { factors: `\\x${newFactors.toString('hex')}`, factors_set_at: this.#now };
    this.edits.push({ table: 'users', from: row, to });
    const [before, after] = [pick(row, Object.keys(to)), { factors_set_at: this.#now }];
    this.changes.push({ part: 'factors', userId, id: userId, before, after });
  }

  #changeUser({ userId, logins, profile }: Person, stored: Person['stored'] & {}): void {
    const to: Row = {};
    const before: Row = {};
    for (const { name, part } of PROFILE_COLUMNS) {
      if (profile[part] === stored.profile[part]) continue;
      before[name] = stored.profile[part] ?? null;
      to[name] = profile[part] ?? null;
    }
    for (const login of logins)
      if (login.stored === undefined && login.timeJoinedMs < stored.timeJoinedMs) {
        before.time_joined_ms = stored.timeJoinedMs;
        to.time_joined_ms = joinedMs(logins);
      }
    if (Object.keys(to).length === 0) return;
    this.edits.push({ table: 'users', from: { user_id: userId }, to });
    this.changes.push({ part: 'users', userId, id: userId, before, after: to });
  }
}

const STATE_COLUMNS = ['disabled', 'state_set_at', 'state_by_call'];

function setCredential(row: Row, { hash, noHash }: Login, now: string): void {
  row.password_hash = hash?.encoded ?? null;
  row.hash_algorithm = hash?.algorithm ?? null;
  row.hash_secret_id = hash?.secretId ?? null;
  row.hash_class = hash?.strength ?? null;
  row.no_hash = noHash ?? null;
  row.hash_set_by = 'import';
  row.imported_fingerprint = null;
  row.hash_set_at = now;
}

function waitingHashes({ logins }: Person): { recipeUserId: string; algorithm: string }[] {
  return logins
    .filter(({ inCore, hasNewCredential }) => inCore === 'waiting' && hasNewCredential)
    .map(({ recipeUserId, hash, noHash }) => ({ recipeUserId, algorithm: hash?.algorithm ?? noHash ?? '' }));
}
