import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { DiskMap } from '../../lib/disk-map/disk-map.ts';
import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import { normalizeEmail } from '../../users/email.ts';
import { type BadRecord, isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { SIGNER_KEY_ALGORITHM } from '../fields/hashes.ts';
import { addIdPrefix } from '../fields/id-prefix.ts';
import { SECOND_FACTORS } from '../fields/second-factors.ts';
import { shownName } from '../fields/shown-name.ts';
import { keptColumns, keptColumnsReader } from '../mapping/keep-columns.ts';
import type { Detail, Form, ReadContext, Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { AbsentColumns } from './absent-columns.ts';
import { asksWhoMaySignIn, countValue, countValues } from './active-question.ts';
import { type ClaimProblem, Claims } from './claims.ts';
import { DemandCounts } from './demand-counts.ts';
import { detailsOf } from './details-of.ts';
import { countRecords } from './expected-users.ts';
import { countIn, type JudgeDeps, judge, newTally, type Tally } from './judge.ts';
import type { Plan, Survey } from './plan.ts';
import { type DetailTable, readTables, type UserTable } from './read-tables.ts';
import { countRealm, isWantedRealm } from './realms.ts';
import { countUnknownState } from './unknown-states.ts';
import { UnreadColumns } from './unread-columns.ts';
import { countUnreadTimes } from './unread-times.ts';
import { userReader } from './user-reader.ts';
import type { DetailProblem, Verdict } from './verdict.ts';

export interface ConvertDeps extends JudgeDeps {
  /** Directory for data of a large export that does not fit in memory. Empty again at the end. */
  tempDirectory: string;
  signal?: AbortSignal | undefined;
}

/** What a pass over all users of an export has found, before the first of them is judged. */
export interface UserIndex {
  /** Number of rows about which `convert` decides. */
  rows: number;
  /** Includes users who are not imported. */
  withSecondFactor: number;
  /** Counts of records, realms, unknown states and columns. */
  tally: Tally;
  lookups: Lookups;
  /** Removes what is kept on disk. */
  close(): void;
}

/** Data about other rows than the one that is judged. */
interface Lookups {
  /** Details (records joined to users), reduced to what readers need, by name of the detail and key. */
  details: DiskMap;
  /** Keys of the users, kept only if a joined table may have records of people without a user. */
  keys: DiskMap;
  claims: Claims;
}

/**
 * Reads all users of an export, to find what concerns more than one of them. `convert` needs the result.
 * @throws {FileProblem} if a file has changed since it was surveyed
 */
export async function indexUsers(plan: Plan, deps: ConvertDeps): Promise<UserIndex> {
  const { tempDirectory: directory } = deps;
  const lookups: Lookups = {
    details: new DiskMap({ directory }),
    keys: new DiskMap({ directory, maxValues: 1 }),
    claims: new Claims(deps),
  };
  const close = () => {
    for (const map of Object.values(lookups)) map.close();
  };
  const tally = newTally();
  try {
    const conversion = new Conversion(plan, { ...deps, tally }, lookups);
    await conversion.keepDetails();
    return { ...(await conversion.index()), tally, lookups, close };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Decides about every row of an export, in order, and yields the verdicts in batches. The same plan and clock
 * give the same verdicts. Memory is bounded, because data about other rows is kept on disk.
 * @throws {FileProblem} if a file has changed since it was surveyed
 */
export async function* convert(
  plan: Plan,
  deps: ConvertDeps,
  { lookups }: Pick<UserIndex, 'lookups'>,
): AsyncGenerator<readonly Verdict[]> {
  const identities = new DiskMap({ directory: deps.tempDirectory, maxValues: 1 });
  try {
    yield* new Conversion(plan, deps, lookups).verdicts(identities);
  } finally {
    identities.close();
  }
}

type ReadUser = (record: SourceRecord) => SourceUser | undefined;

interface ReadRow {
  row: number;
  record: SourceRecord | BadRecord;
  /** For a bad record, its readable part. */
  user: SourceUser | undefined;
}

/** What a verdict on a row depends on, besides the row. */
interface Judged {
  user: SourceUser;
  /** Takes the first row with each third-party identity, as text for messages. */
  identities: DiskMap;
  /** Name of a detail that every user has, and this one lacks. */
  missing: string | undefined;
  /** Number of the row among all rows of the export. */
  order: number;
}

class Conversion {
  readonly #plan: Plan;
  readonly #deps: ConvertDeps;
  readonly #lookups: Lookups;
  readonly #unread = new Map<TableHead, UnreadColumns>();
  readonly #given: ReadonlySet<string>;

  constructor(plan: Plan, deps: ConvertDeps, lookups: Lookups) {
    this.#plan = plan;
    this.#deps = deps;
    this.#lookups = lookups;
    const uses = plan.uses.flatMap((of) => [...of.values()]);
    this.#given = new Set(uses.flatMap((use) => use.detail ?? []));
  }

  async keepDetails(): Promise<void> {
    for await (const { use, batch } of this.#tables<DetailTable>((one) => one.detail !== undefined)) {
      const { keyOf, keep } = detailOf(use);
      for (const record of batch.records) {
        if (isBadRecord(record)) continue;
        const key = keyOf(record);
        const kept = key === undefined ? undefined : keep(record);
        if (kept !== undefined) this.#lookups.details.add(`${use.detail}\0${key}`, toJson(kept));
      }
    }
  }

  async index(): Promise<Pick<UserIndex, 'rows' | 'withSecondFactor'>> {
    const { claims } = this.#lookups;
    const { unknownStates } = this.#deps.tally;
    let [rows, withSecondFactor] = [0, 0];
    for await (const { place, read } of this.#rows(true)) {
      for (const { row, user } of read) {
        claims.note(user, { order: rows, row: this.#rowText(place, row) });
        rows += 1;
        if (user?.hasSecondFactor === true) withSecondFactor += 1;
        if (typeof user?.state === 'object') countUnknownState(unknownStates, user.state);
      }
    }
    claims.settle();
    return { rows, withSecondFactor };
  }

  /** @param identities takes the first row with each third-party identity, as text for messages */
  async *verdicts(identities: DiskMap): AsyncGenerator<readonly Verdict[]> {
    let order = 0;
    for await (const { place, form, read } of this.#rows(false)) {
      const missingOf = this.#missingOf(form);
      yield read.map(({ row, record, user }) => {
        const ownOrder = order++;
        if (isBadRecord(record) || user === undefined)
          return verdictOnBad(place, row, record as BadRecord, user);
        const missing = missingOf?.(record);
        return this.#verdictOn(place, row, record, { user, identities, missing, order: ownOrder });
      });
    }
  }

  /** Reads the users, table by table, and then users who have records in a joined table and no row of their own. */
  async *#rows(isIndex: boolean): AsyncGenerator<{ place: Place; form?: Form; read: ReadRow[] }> {
    const rows = new Map<TableHead, number>();
    const { columnValues } = this.#deps.tally;
    const asks = asksWhoMaySignIn(this.#plan);
    const absent = new AbsentColumns(this.#plan.settings, this.#deps.tally.absentColumns);
    const userTables = this.#tables<UserTable>((one) => one.as === 'users');
    for await (const { survey, use, table, batch } of userTables) {
      countRecords(this.#deps.tally, survey, table, batch.records.length);
      const { read, readPart } = this.#readersOf(table, use.form, isIndex);
      // A record that is only a part of another user's row does not count as a row.
      let row = rows.get(table) ?? 1;
      const found: ReadRow[] = [];
      for (const record of batch.records) {
        const isBad = isBadRecord(record);
        if (asks && !isBad) countValues(record, columnValues);
        if (!isBad) absent.note(table, record);
        const user = isBad ? record.partial && readPart(record.partial) : read(record);
        if (isBad || user !== undefined) found.push({ row: row++, record, user });
      }
      rows.set(table, row);
      yield { place: placeOf(survey, table), form: use.form, read: found };
    }
    const others = this.#tables<DetailTable>(
      (one) => one.as === 'detail' && detailOf(one).readAlone !== undefined,
    );
    for await (const { survey, use, table, batch } of others) {
      const read = this.#readerOfNobody(table, use);
      const found = batch.records.flatMap((record, index): ReadRow | readonly [] => {
        const isBad = isBadRecord(record);
        const user = isBad ? record.partial && read(record.partial) : read(record);
        return isBad || user !== undefined ? { row: batch.firstRow + index, record, user } : [];
      });
      yield { place: placeOf(survey, table), read: found };
    }
  }

  /** Returns a function that names the detail that a user must have and lacks. */
  #missingOf(form: Form | undefined): ((record: SourceRecord) => string | undefined) | undefined {
    const names = Object.entries(form?.details ?? {}).flatMap(([name, { isOfEveryUser }]) =>
      isOfEveryUser && this.#given.has(name) ? name : [],
    );
    if (names.length === 0) return undefined;
    return (record) => {
      const key = form?.keyOf?.(record);
      return names.find((name) => key === undefined || this.#detailsOf(name, key).length === 0);
    };
  }

  /**
   * Returns readers of whole records, and of the readable part of bad records. For an index, values that the reader
   * of the system ignores are not counted.
   */
  #readersOf(table: TableHead, form: Form, isIndex: boolean): { read: ReadUser; readPart: ReadUser } {
    const unread = isIndex ? undefined : this.#unreadIn(table);
    const demands = this.#demandsIn(table, form);
    const context = this.#contextOf(table, demands);
    const addKept = keptColumnsReader(table, context.settings);
    const keepsKeys =
      isIndex && Object.values(form.details ?? {}).some(({ readAlone }) => readAlone !== undefined);
    const reading =
      (readUser: ReadUser): ReadUser =>
      (record) => {
        const key = keepsKeys ? form.keyOf?.(record) : undefined;
        if (key !== undefined) this.#lookups.keys.add(key, '');
        const user = unread === undefined ? readUser(record) : unread.read(record, readUser);
        demands.count(record, user);
        if (user === undefined) return undefined;
        if (unread !== undefined && user.timeJoinedMs === undefined && !form.asksWhoMaySignIn)
          countUnreadTimes(record, this.#deps.tally.unreadTimes);
        addIdPrefix(user, context.settings);
        addKept(user, record);
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
      const hasUser = key !== undefined && this.#lookups.keys.find(key).length > 0;
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
    const kept = new Set(
      [...keptColumns(settings).values()].map((column) => column.split('.', 1)[0] ?? column),
    );
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
    return this.#lookups.details.find(`${name}\0${key}`).map((kept) => parseExact(kept) as JsonObject);
  }

  #contextOf(table: TableHead, demands?: DemandCounts): ReadContext {
    return {
      table,
      tables: this.#plan.surveys.flatMap((survey) => survey.tables),
      settings: this.#plan.settings,
      nowMs: this.#deps.nowMs,
      details: (name, key) => (this.#given.has(name) ? this.#detailsOf(name, key) : []),
      hasDetail: (name) => this.#given.has(name),
      unreadable: (column, value) => countValue(this.#deps.tally.unreadable, column, value),
      drop: (what, values) => {
        if (!demands?.note(what, values)) countIn(this.#deps.tally.dropped, what);
      },
    };
  }

  #verdictOn(
    place: Place,
    row: number,
    record: SourceRecord,
    { user, identities, missing, order }: Judged,
  ): Verdict {
    const ofUser = judge(user, this.#deps);
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
    const problem = this.#problemOf(ofUser, user, order);
    if (problem !== undefined) return Object.assign(verdict, problem);
    if (ofUser.result !== 'import') {
      verdict.reason = ofUser.reason;
      verdict.message = ofUser.message;
      return verdict;
    }
    if (missing !== undefined) {
      verdict.result = 'error';
      verdict.reason = 'DETAIL_MISSING' satisfies DetailProblem;
      verdict.message = `has no record in ${missing}, which has one of every user`;
      return verdict;
    }
    verdict.sameIdentityAs = this.#firstIdentity(ofUser.parsed, identities, this.#rowText(place, row));
    verdict.line = ofUser.line;
    verdict.signerKey = signerKeyOf(user, this.#plan.settings);
    verdict.parsed = ofUser.parsed;
    countMethods(ofUser.parsed, this.#deps.tally);
    countFactors(user, this.#deps.tally);
    return verdict;
  }

  #problemOf(
    { result, reason }: { result: Verdict['result']; reason?: string },
    user: SourceUser,
    order: number,
  ): ClaimProblem | undefined {
    const { claims } = this.#lookups;
    // A row that is left out as disabled may disable a user, so it counts like one that is imported.
    if (result === 'skip') return reason === 'DISABLED' ? claims.problemOfId(user, order) : undefined;
    const problem = claims.problemOfId(user, order) ?? claims.problemOfAddress(user, order);
    // A broken row keeps its reason, unless it would be no reject: corrected and alone, it would take the place of
    // another user.
    return result === 'error' && problem?.reason === 'ADDRESS_SHARED' ? undefined : problem;
  }

  /** Returns the text for an earlier row with one of this user's identities. Records new identities. */
  #firstIdentity({ methods }: ParsedUser, identities: DiskMap, rowText: string): string | undefined {
    let before: string | undefined;
    for (const method of methods) {
      if (method.recipeId !== 'thirdparty') continue;
      const key = `${method.identity.id}\0${method.identity.userId}`;
      const [found] = identities.find(key);
      if (found === undefined) identities.add(key, rowText);
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

/** The user id and the address are shown if the readable part of the record has them. */
function verdictOnBad(
  place: Place,
  row: number,
  { problem: reason, message }: BadRecord,
  user: SourceUser | undefined,
): Verdict {
  const email = user?.email && normalizeEmail(user.email);
  return { ...place, row, result: 'error', reason, message, externalUserId: user?.externalUserId, email };
}

function detailOf({ form, detail }: DetailTable): Detail {
  const found = detailsOf(form)[detail];
  if (found === undefined) throw new Error(`${form.name} has no detail ${detail}`);
  return found;
}
