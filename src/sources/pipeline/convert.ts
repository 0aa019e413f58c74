import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { DiskMap } from '../../lib/disk-map/disk-map.ts';
import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';
import { normalizeEmail } from '../../users/email.ts';
import { type BadRecord, isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { SIGNER_KEY_ALGORITHM } from '../fields/hashes.ts';
import { addIdPrefix } from '../fields/id-prefix.ts';
import { addKeptColumns, keptColumns } from '../fields/keep-columns.ts';
import { SECOND_FACTORS } from '../fields/second-factors.ts';
import { shownName } from '../fields/shown-name.ts';
import type { Detail, Form, ReadContext, Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { AddressClaims } from './address-claims.ts';
import { DemandCounts } from './demand-counts.ts';
import { detailsOf } from './details-of.ts';
import { countRecords } from './expected-users.ts';
import { countIn, type JudgeDeps, judge, type Tally } from './judge.ts';
import type { Plan, Survey } from './plan.ts';
import { type DetailTable, readTables, type UserTable } from './read-tables.ts';
import { countRealm, isWantedRealm } from './realms.ts';
import { unknownStateCounter } from './unknown-states.ts';
import { UnreadColumns } from './unread-columns.ts';
import { countUnreadTimes } from './unread-times.ts';
import { userReader } from './user-reader.ts';
import type { EmailProblem, IdProblem, Verdict } from './verdict.ts';

export interface ConvertDeps extends JudgeDeps {
  /** Directory for data of a large export that does not fit in memory. Empty again at the end. */
  tempDirectory: string;
  signal?: AbortSignal | undefined;
}

/**
 * Decides about every row of an export, in order, and yields the verdicts in batches. The same plan and clock
 * give the same verdicts. Memory is bounded, because data about other rows is kept on disk.
 * @throws {FileProblem} if a file has changed since it was surveyed
 */
export async function* convert(plan: Plan, deps: ConvertDeps): AsyncGenerator<readonly Verdict[]> {
  const conversion = new Conversion(plan, deps);
  try {
    await conversion.keepDetails();
    await conversion.findClaims();
    yield* conversion.users();
    yield* conversion.detailsOfNobody();
  } finally {
    conversion.close();
  }
}

export interface UserCount {
  /** Number of rows about which `convert` decides. */
  rows: number;
  /** Includes users who are not imported. */
  withSecondFactor: number;
  /** Numbers of users in states with an unknown meaning, as `findUnknownStates` counts them. */
  unknownStates: Map<string, number>;
}

/**
 * Counts the users of an export, much faster than `convert`.
 * @throws {FileProblem} if a file has changed since it was surveyed
 */
export async function countUsers(plan: Plan, deps: ConvertDeps): Promise<UserCount> {
  const conversion = new Conversion(plan, deps);
  try {
    await conversion.keepDetails();
    return await conversion.count();
  } finally {
    conversion.close();
  }
}

type ReadUser = (record: SourceRecord) => SourceUser | undefined;

class Conversion {
  readonly #plan: Plan;
  readonly #deps: ConvertDeps;
  /** Details (records joined to users), reduced to what readers need, by name of the detail and key. */
  readonly #details: DiskMap;
  /** First row with each e-mail address among the rows with a password, as text for messages. */
  readonly #emails: DiskMap;
  /** First row with each external id, imported or not, as text for messages. */
  readonly #externalIds: DiskMap;
  /** First row with each third-party identity, as text for messages. */
  readonly #identities: DiskMap;
  /** Keys of the users, kept only if a joined table may have records of people without a user. */
  readonly #keys: DiskMap;
  readonly #claims: AddressClaims;
  readonly #unread = new Map<TableHead, UnreadColumns>();
  readonly #given: ReadonlySet<string>;

  constructor(plan: Plan, deps: ConvertDeps) {
    this.#plan = plan;
    this.#deps = deps;
    const onDisk = { directory: deps.tempDirectory };
    this.#details = new DiskMap(onDisk);
    this.#emails = new DiskMap({ ...onDisk, maxValues: 1 });
    this.#externalIds = new DiskMap({ ...onDisk, maxValues: 1 });
    this.#identities = new DiskMap({ ...onDisk, maxValues: 1 });
    this.#keys = new DiskMap({ ...onDisk, maxValues: 1 });
    const uses = plan.uses.flatMap((of) => [...of.values()]);
    this.#given = new Set(uses.flatMap((use) => use.detail ?? []));
    this.#claims = new AddressClaims(plan, {
      ...deps,
      // Nothing is counted as dropped here, because users() reads the same rows again and counts it.
      contextOf: (table) => ({ ...this.#contextOf(table), drop: () => {} }),
      rowText: (survey, table, row) => this.#rowText(placeOf(survey, table), row),
    });
  }

  async keepDetails(): Promise<void> {
    for await (const { use, batch } of this.#tables<DetailTable>((one) => one.detail !== undefined)) {
      const { keyOf, keep } = detailOf(use);
      for (const record of batch.records) {
        if (isBadRecord(record)) continue;
        const key = keyOf(record);
        const kept = key === undefined ? undefined : keep(record);
        if (kept !== undefined) this.#details.add(`${use.detail}\0${key}`, toJson(kept));
      }
    }
  }

  /** A live database is searched in advance: later, its connection is busy with reading the users. */
  async findClaims(): Promise<void> {
    if (this.#plan.surveys.some(({ sizeBytes }) => sizeBytes === undefined)) await this.#claims.find();
  }

  async *users(): AsyncGenerator<readonly Verdict[]> {
    const rows = new Map<TableHead, number>();
    for await (const { survey, use, table, batch } of this.#userTables()) {
      countRecords(this.#deps.tally, survey, table, batch.records.length);
      const place = placeOf(survey, table);
      const { form } = use;
      const { read, readPart } = this.#readersOf(table, form, this.#unreadIn(table));
      // A record that is only a part of another user's row does not count as a row.
      let row = rows.get(table) ?? 1;
      const verdicts: Verdict[] = [];
      for (const record of batch.records) {
        if (isBadRecord(record)) {
          verdicts.push(this.#verdictOnBad(place, row, record, readPart));
        } else {
          const user = read(record);
          if (user === undefined) continue;
          if (this.#claims.mustFindFor(user)) await this.#claims.find();
          verdicts.push(this.#verdictOn(place, row, record, user));
        }
        row += 1;
      }
      rows.set(table, row);
      yield verdicts;
    }
  }

  /** Yields users who have records in a joined table, but no row in a table of users. */
  async *detailsOfNobody(): AsyncGenerator<readonly Verdict[]> {
    for await (const { survey, use, table, batch } of this.#tablesOfNobody()) {
      const place = placeOf(survey, table);
      const read = this.#readerOfNobody(table, use);
      yield batch.records.flatMap((record, index) => {
        const row = batch.firstRow + index;
        if (isBadRecord(record)) return this.#verdictOnBad(place, row, record, read);
        const user = read(record);
        return user === undefined ? [] : this.#verdictOn(place, row, record, user);
      });
    }
  }

  async count(): Promise<UserCount> {
    const count: UserCount = { rows: 0, withSecondFactor: 0, unknownStates: new Map() };
    const add = (record: SourceRecord | BadRecord, read: ReadUser) => {
      const isBad = isBadRecord(record);
      const user = isBad ? undefined : read(record);
      if (isBad || user !== undefined) count.rows += 1;
      if (user?.hasSecondFactor === true) count.withSecondFactor += 1;
    };
    const { settings } = this.#plan;
    const { nowMs, tally } = this.#deps;
    for await (const { survey, use, table, batch } of this.#userTables()) {
      countRecords(tally, survey, table, batch.records.length);
      const { read } = this.#readersOf(table, use.form);
      const countState = unknownStateCounter(use.form, table, {
        ...{ settings, nowMs },
        counts: count.unknownStates,
      });
      for (const record of batch.records) {
        if (!isBadRecord(record)) countState?.(record);
        add(record, read);
      }
    }
    for await (const { use, table, batch } of this.#tablesOfNobody()) {
      const read = this.#readerOfNobody(table, use);
      for (const record of batch.records) add(record, read);
    }
    return count;
  }

  #userTables() {
    return this.#tables<UserTable>((one) => one.as === 'users');
  }

  #tablesOfNobody() {
    return this.#tables<DetailTable>((one) => one.as === 'detail' && detailOf(one).readAlone !== undefined);
  }

  /**
   * Returns readers of whole records, and of the readable part of bad records.
   * @param unread counts values that the reader of the system ignores
   */
  #readersOf(table: TableHead, form: Form, unread?: UnreadColumns): { read: ReadUser; readPart: ReadUser } {
    const demands = this.#demandsIn(table, form);
    const context = this.#contextOf(table, demands);
    const keepsKeys = Object.values(form.details ?? {}).some(({ readAlone }) => readAlone !== undefined);
    const reading =
      (readUser: ReadUser): ReadUser =>
      (record) => {
        const key = keepsKeys ? form.keyOf?.(record) : undefined;
        if (key !== undefined) this.#keys.add(key, '');
        const user = unread === undefined ? readUser(record) : unread.read(record, readUser);
        demands.count(record, user);
        if (user === undefined) return undefined;
        if (unread !== undefined && user.timeJoinedMs === undefined)
          countUnreadTimes(record, this.#deps.tally.unreadTimes);
        addIdPrefix(user, context.settings);
        addKeptColumns(user, record, context.settings);
        return user;
      };
    return {
      read: reading(userReader(form, context, (realm) => this.#countRealm(realm))),
      // A bad record is not counted for a realm, because its realm may be in the part that could not be read.
      readPart: reading(userReader(form, context)),
    };
  }

  /** Makes a reader of a joined table that leaves out records of users who have a row in a table of users. */
  #readerOfNobody(table: TableHead, use: DetailTable): ReadUser {
    const { keyOf, readAlone, realmOf } = detailOf(use);
    const demands = this.#demandsIn(table, use.form);
    const context = this.#contextOf(table, demands);
    return (record) => {
      const key = keyOf(record);
      const hasUser = key !== undefined && this.#keys.find(key).length > 0;
      const realm = hasUser ? undefined : realmOf?.(record);
      if (realm !== undefined) this.#countRealm(realm);
      const isChosen = isWantedRealm(realm, this.#plan.settings);
      if (!isChosen) context.drop('other tenants');
      const user = hasUser || !isChosen ? undefined : readAlone?.(record, context);
      demands.count(record, user);
      if (user !== undefined) addIdPrefix(user, context.settings);
      return user;
    };
  }

  close(): void {
    for (const map of [this.#details, this.#emails, this.#externalIds, this.#identities]) map.close();
    for (const map of [this.#keys, this.#claims]) map.close();
  }

  #tables<Use extends DetailTable | UserTable>(isWanted: (use: DetailTable | UserTable) => boolean) {
    return readTables<Use>(this.#plan, isWanted, this.#deps.signal);
  }

  #countRealm(realm: string): void {
    countRealm(this.#deps.tally.realms, realm, this.#plan.settings);
  }

  #demandsIn(table: TableHead, form: Form): DemandCounts {
    return new DemandCounts(table, form, {
      counts: this.#deps.tally.dropped,
      factorsOf: (key) => this.#factorsOf(key),
      isKeeping: this.#deps.mfa === 'keep',
    });
  }

  #unreadIn(table: TableHead): UnreadColumns {
    const known = this.#unread.get(table);
    if (known !== undefined) return known;
    const { source, settings } = this.#plan;
    const kept = keptColumns(settings);
    const unread = new UnreadColumns(table, {
      counts: this.#deps.tally.unreadColumns,
      isKept: source.isOwnFormat ? () => true : (name) => kept.has(name),
    });
    this.#unread.set(table, unread);
    return unread;
  }

  #factorsOf(key: string): readonly JsonObject[] {
    return this.#given.has(SECOND_FACTORS) ? this.#detailsOf(SECOND_FACTORS, key) : [];
  }

  #detailsOf(name: string, key: string): JsonObject[] {
    return this.#details.find(`${name}\0${key}`).map((kept) => parseExact(kept) as JsonObject);
  }

  #contextOf(table: TableHead, demands?: DemandCounts): ReadContext {
    return {
      table,
      tables: this.#plan.surveys.flatMap((survey) => survey.tables),
      settings: this.#plan.settings,
      nowMs: this.#deps.nowMs,
      details: (name, key) => (this.#given.has(name) ? this.#detailsOf(name, key) : []),
      hasDetail: (name) => this.#given.has(name),
      drop: (what, values) => {
        if (!demands?.note(what, values)) countIn(this.#deps.tally.dropped, what);
      },
    };
  }

  #verdictOnBad(place: Place, row: number, record: BadRecord, read: ReadUser): Verdict {
    const { partial, problem: reason, message } = record;
    const user = partial && read(partial);
    this.#firstWithIds(externalIdsOf(user), place, row);
    // The user id and the address, if the readable part of the record has them.
    const email = user?.email && normalizeEmail(user.email);
    return { ...place, row, result: 'error', reason, message, externalUserId: user?.externalUserId, email };
  }

  #verdictOn(place: Place, row: number, record: SourceRecord, user: SourceUser): Verdict {
    const ofUser = judge(user, this.#deps);
    const sameId = this.#firstWithIds(externalIdsOf(user), place, row);
    // An object literal, because it is created for every row of the export and is faster than copying.
    const verdict: Verdict = {
      file: place.file,
      row,
      table: place.table,
      isOfSeveralTables: place.isOfSeveralTables,
      sameIdentityAs: undefined,
      result: ofUser.result,
      reason: undefined,
      message: undefined,
      externalUserId: user.externalUserId,
      email: ofUser.email,
      line: undefined,
      signerKey: undefined,
      parsed: undefined,
      original: record,
      user,
    };
    // A row that is left out as disabled may disable a user, so it counts like one that is imported.
    const isSent = ofUser.result === 'import' || (ofUser.result === 'skip' && ofUser.reason === 'DISABLED');
    if (isSent && sameId !== undefined) {
      verdict.result = 'conflict';
      verdict.reason = 'EXTERNAL_ID_REPEATED' satisfies IdProblem;
      verdict.message = `the same id as ${sameId}`;
      return verdict;
    }
    if (ofUser.result !== 'import') {
      verdict.reason = ofUser.reason;
      verdict.message = ofUser.message;
      return verdict;
    }
    const before = this.#firstLike(ofUser.parsed, user, place, row);
    if (before === undefined) {
      verdict.sameIdentityAs = this.#firstIdentity(ofUser.parsed, place, row);
      verdict.line = ofUser.line;
      verdict.signerKey = signerKeyOf(user, this.#plan.settings);
      verdict.parsed = ofUser.parsed;
      countMethods(ofUser.parsed, this.#deps.tally);
      countFactors(user, this.#deps.tally);
    } else {
      verdict.result = 'conflict';
      verdict.reason = 'DUPLICATE_EMAIL' satisfies EmailProblem;
      verdict.message = `the same e-mail address as ${before}`;
    }
    return verdict;
  }

  /** An earlier row with this user's address, unless this user has the stronger right to it. */
  #firstLike({ methods }: ParsedUser, user: SourceUser, place: Place, row: number): string | undefined {
    const email = methods.find(({ recipeId }) => recipeId === 'emailpassword')?.email;
    if (email === undefined) return undefined;
    const better = this.#claims.betterThan(user, email);
    if (better !== undefined) return better;
    const [before] = this.#emails.find(email);
    if (before === undefined) this.#emails.add(email, this.#rowText(place, row));
    return before;
  }

  /**
   * Returns the text for an earlier row with one of these ids, whatever became of that row. Otherwise the row
   * of an attacker with the id of a victim whose row failed would become the victim's account.
   */
  #firstWithIds(ids: ReadonlySet<string>, place: Place, row: number): string | undefined {
    let before: string | undefined;
    for (const id of ids) {
      const [found] = this.#externalIds.find(id);
      if (found === undefined) this.#externalIds.add(id, this.#rowText(place, row));
      before ??= found;
    }
    return before;
  }

  /** Returns the text for an earlier row with one of this user's identities. Records new identities. */
  #firstIdentity({ methods }: ParsedUser, place: Place, row: number): string | undefined {
    let before: string | undefined;
    for (const method of methods) {
      if (method.recipeId !== 'thirdparty') continue;
      const key = `${method.identity.id}\0${method.identity.userId}`;
      const [found] = this.#identities.find(key);
      if (found === undefined) this.#identities.add(key, this.#rowText(place, row));
      before ??= found;
    }
    return before;
  }

  /** `row 4 of users.csv`, or `row 4 of public.users` if the file has several tables. */
  #rowText({ file, table, isOfSeveralTables }: Place, row: number): string {
    if (!isOfSeveralTables) return `row ${row} of ${file}`;
    return `row ${row} of ${shownName(table)}${this.#plan.surveys.length > 1 ? ` in ${file}` : ''}`;
  }
}

function signerKeyOf({ password }: SourceUser, { signerKey }: Settings): string | undefined {
  if (password === undefined || !('encoded' in password)) return undefined;
  return password.signerKey ?? (password.algorithm === SIGNER_KEY_ALGORITHM ? signerKey : undefined);
}

type Place = Pick<Verdict, 'file' | 'table'> & { isOfSeveralTables: boolean };

const placeOf = (survey: Survey, table: TableHead): Place => ({
  file: survey.name,
  table: table.name,
  isOfSeveralTables: survey.tables.length > 1,
});

function countMethods({ methods }: ParsedUser, { hashes, providers, addresses }: Tally): void {
  for (const method of methods) {
    if (method.recipeId === 'thirdparty') {
      countIn(providers, method.identity.id);
      continue;
    }
    countIn(addresses, method.verified ? 'verified' : 'unverified');
    if ('hash' in method.credential) {
      const { algorithm, strength } = method.credential.hash;
      countIn(hashes, `${algorithm} ${strength}`);
    }
  }
}

/** Counts users who had a second factor, and those whose TOTP devices the export has. */
function countFactors({ hasSecondFactor, factors }: SourceUser, { secondFactors }: Tally): void {
  if (hasSecondFactor !== true) return;
  countIn(secondFactors, 'users');
  if ((factors?.totpDevices?.length ?? 0) > 0) countIn(secondFactors, 'kept');
}

/** Returns the external ids of the user and of the login methods, as the service reads them. */
function externalIdsOf(user: SourceUser | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = (id: unknown) => {
    const stripped = typeof id === 'string' ? stripControlAndSpace(id) : '';
    if (stripped !== '') ids.add(stripped);
  };
  add(user?.externalUserId);
  for (const method of user?.loginMethods ?? []) if (isJsonObject(method)) add(method.externalUserId);
  return ids;
}

function detailOf({ form, detail }: DetailTable): Detail {
  const found = detailsOf(form)[detail];
  if (found === undefined) throw new Error(`${form.name} has no detail ${detail}`);
  return found;
}
