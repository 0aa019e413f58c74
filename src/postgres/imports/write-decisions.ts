import type { MatchBy } from '../../imports/import-request.ts';
import type { Login, Person, Row } from '../../imports/resolve/person.ts';
import type { Decisions } from '../../imports/resolve/resolver.ts';
import { Contended } from '../../lib/errors.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import type { Copy } from '../client/copy-in.ts';
import { readInCore, recordWaitingHashes } from '../users/in-core.ts';
import { PROFILE_COLUMNS } from '../users/profile-columns.ts';
import { aliasesOf, CopyRows, joinedMs } from './copy-people.ts';
import { type Change, copyOfChanges, copyOfHashChanges, marksOf, pick } from './import-changes.ts';
import {
  addTo,
  beginEdits,
  lockUsers,
  type RowEdit,
  readLoginsOf,
  readRowsOf,
  type StoredRow,
  tableOf,
  timeOf,
  type UserTable,
} from './stored-rows.ts';

/**
 * Writes what lines have decided, and keeps what it changes for the rollback of an import.
 * @param importId undefined for a call that no rollback undoes
 * @throws a unique violation if a user to create exists already; {Contended} if a user to change has changed
 */
export async function writeDecisions(
  db: Transaction,
  importId: string | undefined,
  { created, changed, hashChanges }: Decisions,
  { matchBy }: { matchBy: MatchBy },
): Promise<void> {
  // Users who are found by a login were locked when they were read.
  if (matchBy === 'externalId') await lockUnchanged(db, changed);
  const copies: Copy[] = [copyOfHashChanges('import', importId, hashChanges)];
  let finishEdits = async () => {};
  if (changed.length > 0) {
    const now = await timeOf(db);
    const rows = await readForChanges(db, changed);
    const all = changed.map((one) => new PersonChanges(one, rows.get(one.userId) ?? [], { now, matchBy }));
    finishEdits = await beginEdits(
      db,
      all.flatMap(({ edits }) => edits),
    );
    if (importId !== undefined)
      copies.push(
        copyOfChanges(
          importId,
          now,
          all.flatMap(({ changes }) => changes),
        ),
      );
  }
  await createPeople(db, created, copies);
  await finishEdits();
  await recordWaitingHashes(db, changed.flatMap(waitingHashes));
}

/** @throws a unique violation if one of the users exists already */
export async function createPeople(
  db: Transaction,
  people: readonly Person[],
  others: readonly Copy[] = [],
): Promise<void> {
  const rows = new CopyRows();
  rows.add(people, { inKeyOrder: true });
  await db.copy([...rows.encoded(), ...others.filter(({ count }) => count > 0)]);
}

/**
 * Locks users who were read without a lock: nearly all users of a repeated import are unchanged. Users who get a
 * login are locked before their logins, so that nobody removes or disables them meanwhile, or hands them over.
 * @throws {Contended} if one of them has changed since
 */
async function lockUnchanged(db: Queryable, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return;
  const gaining = people.filter(({ logins }) => logins.some(({ stored }) => stored === undefined));
  if (gaining.length > 0) {
    await db.engine.lockOutChanges(db);
    await lockUsers(
      db,
      gaining.map(({ userId }) => userId),
    );
  }
  const rows = await readLoginsOf(
    db,
    people.map(({ userId }) => userId),
    { lock: true },
  );
  const inCore = await readInCore(
    db,
    rows.map(({ userId, id }) => ({ user_id: userId, recipe_user_id: id })),
  );
  const found = new Map(rows.map((stored) => [stored.id, JSON.stringify(stored.row)]));
  const expected = people.flatMap(({ logins }) => logins.filter(({ stored }) => stored !== undefined));
  const isSame = expected.every(
    (login) =>
      found.get(login.recipeUserId) === JSON.stringify(login.stored) &&
      inCore.get(login.recipeUserId) === login.inCore,
  );
  if (!isSame || found.size !== expected.length)
    throw new Contended(new Error('a user was changed meanwhile'));
}

interface WriteContext {
  now: string;
  matchBy: MatchBy;
}

/** Rows that changes of the user need: that of the user for new factors, and all logins for a new state. */
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

/** Changes of a stored user: what a rollback needs (`Change`), and the edits of rows. */
class PersonChanges {
  readonly changes: Change[] = [];
  readonly edits: RowEdit[] = [];
  readonly #person: Person;
  readonly #now: string;
  /** Columns of all logins of the user that have its state, and their values after the change. */
  readonly #state: Row | undefined;

  /** @param rows rows of the user that were read for this change: the user, or all its logins */
  constructor(person: Person, rows: readonly StoredRow[], { now, matchBy }: WriteContext) {
    this.#person = person;
    this.#now = now;
    const { userId, logins, state } = person;
    const isOtherState = state.disabled !== person.stored?.state.disabled;
    if (isOtherState) this.#state = { disabled: state.disabled, state_set_at: now, state_by_call: false };
    for (const login of logins)
      if (login.stored === undefined) this.#add(login);
      else this.#change(login, login.stored, matchBy);
    const named = new Set(logins.map(({ recipeUserId }) => recipeUserId));
    for (const { table, id, row } of rows) {
      if (table === 'users') this.#setFactors(row);
      else if (!named.has(id)) this.edits.push({ table, from: row, to: this.#state });
    }
    const login = storedLoginOf(person);
    if (isOtherState && login !== undefined)
      this.changes.push({
        ...{ part: 'states', userId, id: userId, after: { state_set_at: now } },
        before: pick(login, STATE_COLUMNS),
      });
    this.#changeUser();
  }

  #change(login: Login, row: Row, matchBy: MatchBy): void {
    const { identity, email, verifiedEmails, hash, noHash, isNamed, hasNewCredential } = login;
    const [table, now] = [tableOf(identity), this.#now];
    const verified = verifiedEmails.length === 0 ? null : verifiedEmails;
    const isOther = email !== row.email || JSON.stringify(verified) !== JSON.stringify(row.verified_emails);
    // All logins that a line matched by external id names count as changed, so that a rollback sees their use.
    const isChanged = isNamed && (isOther || matchBy === 'externalId' || identity !== undefined);
    const to: Row = {
      ...(hasNewCredential && { ...credentialRow(hash, noHash), hash_set_at: now }),
      ...(isChanged && { email, verified_emails: verified, changed_at: now }),
      ...(isChanged && identity === undefined && { changed_by_import_at: now }),
      ...(email !== row.email && identity === undefined && { email_set_by: null }),
    };
    const columns = Object.keys(to);
    if (columns.length > 0)
      this.changes.push({
        ...{ part: table, userId: this.#person.userId, id: login.recipeUserId },
        before: pick(row, columns),
        after: marksOf(table, { ...row, ...to }, matchBy === 'externalId' ? undefined : columns),
      });
    if (columns.length > 0 || this.#state !== undefined)
      this.edits.push({ table, from: row, to: { ...to, ...this.#state } });
  }

  #add(login: Login): void {
    const { userId } = this.#person;
    const { recipeUserId, identity, email, verifiedEmails, timeJoinedMs, hash, noHash } = login;
    const [table, now] = [tableOf(identity), this.#now];
    const other = storedLoginOf(this.#person);
    const row: Row = {
      ...{ user_id: userId, recipe_user_id: recipeUserId, email, time_joined_ms: timeJoinedMs, linked: true },
      ...{ verified_emails: verifiedEmails.length === 0 ? null : verifiedEmails, changed_at: now },
      ...(other !== undefined && pick(other, STATE_COLUMNS)),
      ...this.#state,
      ...(identity === undefined
        ? { ...credentialRow(hash, noHash), hash_set_at: now, changed_by_import_at: now }
        : { third_party_id: identity.id, third_party_user_id: identity.userId }),
    };
    const rows: [UserTable, string, Row][] = [[table, recipeUserId, row]];
    for (const { alias, kind } of aliasesOf(login, userId))
      rows.push(['user_aliases', alias, { alias, kind, user_id: userId, recipe_user_id: recipeUserId }]);
    for (const [part, id, to] of rows) {
      this.edits.push({ table: part, from: undefined, to });
      this.changes.push({ part, userId, id, before: undefined, after: marksOf(part, to, undefined) });
    }
  }

  #setFactors(row: Row): void {
    const { userId, newFactors } = this.#person;
    if (newFactors === undefined) return;
    const to = { factors: bytes(newFactors), factors_set_at: this.#now };
    this.edits.push({ table: 'users', from: row, to });
    this.changes.push({
      ...{ part: 'factors', userId, id: userId, after: { factors_set_at: this.#now } },
      before: pick(row, ['factors', 'factors_set_at']),
    });
  }

  #changeUser(): void {
    const { userId, logins, profile, stored } = this.#person;
    if (stored === undefined) return;
    const from: Row = { user_id: userId, time_joined_ms: stored.timeJoinedMs };
    const to: Row = {};
    for (const { name, part } of PROFILE_COLUMNS) {
      from[name] = stored.profile[part] ?? null;
      if (profile[part] !== stored.profile[part]) to[name] = profile[part] ?? null;
    }
    const joined = joinedMs(logins.filter((login) => login.stored === undefined));
    if (joined < stored.timeJoinedMs) to.time_joined_ms = joined;
    if (Object.keys(to).length === 0) return;
    this.edits.push({ table: 'users', from, to });
    const before = pick(from, Object.keys(to));
    this.changes.push({ part: 'users', userId, id: userId, before, after: to });
  }
}

const storedLoginOf = ({ logins }: Person): Row | undefined =>
  logins.find(({ stored }) => stored !== undefined)?.stored;

const STATE_COLUMNS = ['disabled', 'state_set_at', 'state_by_call'];

const bytes = (value: Buffer) => `\\x${value.toString('hex')}`;

const credentialRow = (hash: Login['hash'], noHash: Login['noHash']): Row => ({
  ...{ password_hash: hash?.encoded ?? null, hash_algorithm: hash?.algorithm ?? null },
  ...{ hash_secret_id: hash?.secretId ?? null, hash_class: hash?.strength ?? null },
  ...{ no_hash: noHash ?? null, hash_set_by: 'import', imported_fingerprint: null },
});

function waitingHashes({ logins }: Person): { recipeUserId: string; algorithm: string }[] {
  return logins
    .filter(({ inCore, hasNewCredential }) => inCore === 'waiting' && hasNewCredential)
    .map(({ recipeUserId, hash, noHash }) => ({ recipeUserId, algorithm: hash?.algorithm ?? noHash ?? '' }));
}
