import type { JsonObject } from '../../lib/json/json-object.ts';
import { json, type WorkDatabase } from '../../lib/work-database.ts';
import { type BadRecord, isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { SECOND_FACTORS } from '../fields/second-factors.ts';
import { gravestState } from '../fields/states.ts';
import { activeReader } from '../mapping/active.ts';
import { keptColumnsReader, listedNames } from '../mapping/column.ts';
import { addIdPrefix } from '../mapping/id-prefix.ts';
import { activeRules } from '../mapping/mapping.ts';
import type { Form, KnownColumns, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { AbsentColumns, Account, knownColumns, NamedJoinedColumns, ruledColumns } from './account.ts';
import { DemandCounts } from './demand-counts.ts';
import { JoinedRecords } from './joined-records.ts';
import type { JudgeDeps } from './judge.ts';
import { detailOf, type Plan } from './plan.ts';
import type { UsedBatch } from './read-tables.ts';
import { countRealm, isWantedRealm, realmReader } from './realms.ts';
import { countIn } from './tally.ts';

/** A row of the export: a user, or a record that could not be read. Numbers count from 1 within the table. */
export type ReadRow =
  | { row: number; bad?: undefined; record: SourceRecord; user: SourceUser }
  /** `user` has the values that could be read. */
  | { row: number; bad: BadRecord; record?: undefined; user: SourceUser | undefined };

type ReadUser = (record: SourceRecord) => SourceUser | undefined;

interface TableReader {
  read: ReadUser;
  /** Reads the readable part of a bad record. */
  readPart: ReadUser;
  /** Counts the values of columns without a known use. */
  account(record: SourceRecord): void;
  /** Number of the next row. A record that is only a part of another user's row has none. */
  nextRow: number;
}

/** Returns a function that makes something for the table of a batch, once for each table. */
function oncePerTable<Made>(make: (batch: UsedBatch) => Made): (batch: UsedBatch) => Made {
  const made = new Map<TableHead, Made>();
  return (batch) => {
    const found = made.get(batch.table) ?? make(batch);
    made.set(batch.table, found);
    return found;
  };
}

/**
 * Turns the records of an export into users, and counts what the operator must know or decide: columns without a known
 * use, values that cannot be read, data that is lost, realms.
 */
export class UserReading {
  readonly #plan: Plan;
  readonly #deps: Pick<JudgeDeps, 'tally' | 'nowMs' | 'mfa'>;
  readonly #joined: JoinedRecords;
  readonly #database: WorkDatabase;
  /** Names of the joined tables in the export. */
  readonly #given: ReadonlySet<string>;
  readonly #absent: AbsentColumns;
  readonly #named: NamedJoinedColumns;
  readonly #ruled: ReadonlySet<string>;
  readonly #ignored: ReadonlySet<string>;
  readonly #readerOf = oncePerTable((batch) => this.#makeReader(batch));
  readonly #aloneReaderOf = oncePerTable((batch) => this.#makeAloneReader(batch));
  readonly #counterOf: (batch: UsedBatch) => (record: SourceRecord) => void;

  constructor(plan: Plan, deps: Pick<JudgeDeps, 'tally' | 'nowMs' | 'mfa'>, database: WorkDatabase) {
    this.#plan = plan;
    this.#deps = deps;
    this.#joined = new JoinedRecords(database);
    this.#database = database;
    this.#given = new Set([...plan.uses.values()].flatMap(({ detail }) => detail ?? []));
    this.#named = new NamedJoinedColumns(plan.settings);
    this.#ruled = ruledColumns(plan.settings);
    this.#ignored = listedNames(plan.settings.ignore);
    this.#absent = new AbsentColumns(plan.settings, deps.tally.absent);
    const account = new Account(plan, deps.tally.columnValues);
    this.#counterOf = oncePerTable(({ use, table }) => account.counterOf(table, use));
    // Keys of all users. A record of a joined table whose key is not among them belongs to no user.
    database.exec('create table user_keys (key text primary key) without rowid');
  }

  /** Stores the values of joined records that readers of users need. */
  join(batch: UsedBatch): void {
    const { use, records } = batch;
    const { detail: name } = use;
    if (name === undefined) return;
    const detail = detailOf(use);
    const account = use.as === 'detail' ? this.#counterOf(batch) : undefined;
    for (const record of records) {
      if (isBadRecord(record)) continue;
      account?.(record);
      const key = detail.keyOf(record);
      if (key === undefined) continue;
      for (const [column, value] of this.#named.in(record, name, detail))
        this.#joined.add(column, key, value);
      const kept = detail.keep(record);
      if (kept !== undefined) this.#joined.add(name, key, kept);
    }
  }

  /** Reads users from a batch. The records of all joined tables must have been stored. */
  *readUsers(batch: UsedBatch): Generator<ReadRow> {
    const { use, table, records } = batch;
    countIn(this.#deps.tally.records, table, records.length);
    this.#keepKeys(use.form, records);
    const reader = this.#readerOf(batch);
    for (const record of records) {
      if (isBadRecord(record)) {
        const user = record.partial && reader.readPart(record.partial);
        yield { row: reader.nextRow++, bad: record, user };
        continue;
      }
      reader.account(record);
      const user = reader.read(record);
      if (user !== undefined) yield { row: reader.nextRow++, record, user };
    }
  }

  /** Reads records of a joined table that belong to no user as users. All tables of users must have been read. */
  *readAlone(batch: UsedBatch): Generator<ReadRow> {
    const read = this.#aloneReaderOf(batch);
    for (const [index, record] of batch.records.entries()) {
      const row = batch.firstRow + index;
      if (isBadRecord(record)) yield { row, bad: record, user: record.partial && read(record.partial) };
      else {
        const user = read(record);
        if (user !== undefined) yield { row, record, user };
      }
    }
  }

  #keepKeys({ details = {}, keyOf }: Form, records: UsedBatch['records']): void {
    if (keyOf === undefined || !Object.values(details).some(({ readAlone }) => readAlone)) return;
    const keys = records.flatMap((record) => {
      const part = isBadRecord(record) ? record.partial : record;
      return (part && keyOf(part)) ?? [];
    });
    this.#database.run('insert or ignore into user_keys select value from json_each(?)', json(keys));
  }

  #makeReader(batch: UsedBatch): TableReader {
    const { table, use } = batch;
    const { form } = use;
    const demands = this.#demandsIn(table, knownColumns(form, table, this.#plan.settings));
    const context = this.#contextOf(table, demands);
    const addKept = keptColumnsReader(table, context.settings);
    const addNamed = this.#named.adder(form, (column, key) => this.#joined.find(column, key));
    const missingOf = this.#missingOf(form);
    const reading =
      (readUser: ReadUser, isWhole: boolean): ReadUser =>
      (record) => {
        const whole = isWhole ? addNamed(record) : record;
        if (isWhole) this.#absent.note(table, form, whole);
        const user = readUser(whole);
        demands.count(whole, user);
        if (user === undefined) return undefined;
        addIdPrefix(user, context.settings);
        addKept(user, whole);
        if (isWhole) user.lacksRecordIn = missingOf(record) ?? user.lacksRecordIn;
        return user;
      };
    return {
      read: reading(
        userReader(form, context, (realm) => this.#countRealm(realm)),
        true,
      ),
      // A bad record is not counted for a realm, because its realm may be in the part that could not be read.
      readPart: reading(userReader(form, context), false),
      account: this.#counterOf(batch),
      nextRow: 1,
    };
  }

  /** Returns a function that names the joined table in which a user lacks a record. */
  #missingOf({ details = {}, keyOf }: Form): (record: SourceRecord) => string | undefined {
    const joins = Object.entries(details).filter(
      ([name, { isOfEveryUser }]) => isOfEveryUser && this.#given.has(name),
    );
    return (record) =>
      joins.find(([name, { keyOfUser = keyOf }]) => {
        const key = keyOfUser?.(record);
        return key === undefined || this.#joined.find(name, key).length === 0;
      })?.[0];
  }

  #makeAloneReader({ table, use }: UsedBatch): ReadUser {
    const { keyOf, readAlone, realmOf, known } = detailOf(use);
    const demands = this.#demandsIn(table, known);
    const context = this.#contextOf(table, demands);
    return (record) => {
      const key = keyOf(record);
      const hasUser = key !== undefined && this.#isUser(key);
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

  #isUser(key: string): boolean {
    return (
      this.#database.get('select 1 as found from user_keys where key = ? ->> 0', json([key])) !== undefined
    );
  }

  #countRealm(realm: string): void {
    countRealm(this.#deps.tally.realms, realm, this.#plan.settings);
  }

  #demandsIn(table: TableHead, known: KnownColumns): DemandCounts {
    return new DemandCounts(table, known, {
      counts: this.#deps.tally.dropped,
      factorsOf: (key) => this.#detailsOf(SECOND_FACTORS, key),
      isKeeping: this.#deps.mfa === 'keep',
    });
  }

  #detailsOf(name: string, key: string): readonly JsonObject[] {
    return this.#given.has(name) ? this.#joined.find(name, key) : [];
  }

  #contextOf(table: TableHead, demands: DemandCounts): ReadContext {
    const { tally, nowMs } = this.#deps;
    return {
      table,
      tables: this.#plan.surveys.flatMap((survey) => survey.tables),
      settings: this.#plan.settings,
      nowMs,
      ruled: this.#ruled,
      details: (name, key) => this.#detailsOf(name, key),
      hasDetail: (name) => this.#given.has(name),
      unreadable: (column, value, as) => {
        if (this.#ignored.has(column)) return;
        (as === 'flag' ? tally.unreadableFlags : tally.unreadableTimes).count(column, value);
      },
      drop: demands.note,
    };
  }
}

/**
 * Makes a reader that returns only users of the chosen realms. It also applies the rules of `--active`, which may be
 * about columns that an app added to the tables of the system.
 * @param seeRealm called with the realm of each record, chosen or not
 */
export function userReader(form: Form, context: ReadContext, seeRealm?: (realm: string) => void): ReadUser {
  const realmOf = realmReader(form, context);
  const rules = activeRules(context.settings);
  // Forms that ask who may sign in have no other states, so they apply the rules themselves (generic.ts).
  const readRules =
    rules.length === 0 || form.asksWhoMaySignIn ? undefined : activeReader(context.table, rules);
  return (record) => {
    const realm = realmOf?.(record);
    if (realm !== undefined) seeRealm?.(realm);
    if (!isWantedRealm(realm, context.settings)) {
      context.drop('other tenants');
      return undefined;
    }
    const user = form.read(record, context);
    if (user === undefined) return undefined;
    if (readRules !== undefined) user.state = gravestState([user.state, readRules(record, context.nowMs)]);
    // The export's "verified" is about the e-mail address, and not about one made from a user name.
    if (user.emailFromName !== undefined) user.isVerified = undefined;
    return user;
  };
}
