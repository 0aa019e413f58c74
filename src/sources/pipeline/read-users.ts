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
import type { JoinedRecords } from './joined-records.ts';
import type { JudgeDeps } from './judge.ts';
import { detailOf, type Plan, type TableUse } from './plan.ts';
import type { UsedBatch } from './read-tables.ts';
import { countRealm, isWantedRealm, realmReader } from './realms.ts';
import { countIn } from './tally.ts';
import { countRecords } from './user-advice.ts';

/** A row of the export: one user, or a record that could not be read. */
export interface ReadRow {
  /** Number of the row within its table, from 1. */
  row: number;
  record: SourceRecord | BadRecord;
  /** For a bad record, its readable part. */
  user: SourceUser | undefined;
  /** Name of a joined table that has a record of every user, and none of this one. */
  missing?: string | undefined;
}

type ReadUser = (record: SourceRecord) => SourceUser | undefined;

interface TableReader {
  read: ReadUser;
  /** Reads the readable part of a bad record. */
  readPart: ReadUser;
  missingOf: ((record: SourceRecord) => string | undefined) | undefined;
  /** Counts the columns that nothing accounts for. */
  account(record: SourceRecord): void;
  /** Adds columns of joined tables that the operator has named. */
  addNamed: ((record: SourceRecord) => SourceRecord) | undefined;
  /** Number of the next row. A record that is only a part of another user's row has none. */
  nextRow: number;
}

/**
 * Turns the records of an export into users, and counts what the records have besides: columns that no reader uses,
 * states, demands, realms.
 */
export class UserReading {
  readonly #plan: Plan;
  readonly #deps: Pick<JudgeDeps, 'tally' | 'nowMs' | 'mfa'>;
  readonly #joined: JoinedRecords;
  readonly #database: WorkDatabase;
  readonly #readers = new Map<TableHead, TableReader>();
  /** Names of the joined tables in the export. */
  readonly #given: ReadonlySet<string>;
  readonly #absent: AbsentColumns;
  readonly #account: Account;
  readonly #named: NamedJoinedColumns;
  readonly #ruled: ReadonlySet<string>;
  readonly #ignored: ReadonlySet<string>;

  constructor(
    plan: Plan,
    deps: Pick<JudgeDeps, 'tally' | 'nowMs' | 'mfa'>,
    { database, joined }: { database: WorkDatabase; joined: JoinedRecords },
  ) {
    this.#plan = plan;
    this.#deps = deps;
    this.#joined = joined;
    this.#database = database;
    this.#given = new Set(plan.uses.flatMap((of) => [...of.values()]).flatMap((use) => use.detail ?? []));
    this.#account = new Account(plan, deps.tally.columnValues);
    this.#named = new NamedJoinedColumns(plan.settings);
    this.#ruled = ruledColumns(plan.settings);
    this.#ignored = listedNames(plan.settings.ignore);
    this.#absent = new AbsentColumns(plan.settings, deps.tally.absent);
    // Keys of users, by which records of a joined table are found that belong to none.
    database.exec('create table user_keys (key text primary key) without rowid');
  }

  /** Keeps the parts of joined records that readers of users need. */
  join({ use, table, records }: UsedBatch): void {
    const { detail: name } = use;
    if (name === undefined) return;
    const detail = detailOf(use);
    const account = use.as === 'detail' ? this.#account.ofDetail(table, name, detail) : undefined;
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

  /** Reads a table of users. All joined records must be there. */
  *readUsers({ survey, use, table, records }: UsedBatch): Generator<ReadRow> {
    const { tally } = this.#deps;
    countRecords(tally, survey, table, records.length);
    this.#keepKeys(use.form, records);
    const reader = this.#readerOf(table, use.form);
    for (const record of records) {
      if (isBadRecord(record)) {
        const user = record.partial && reader.readPart(record.partial);
        yield { row: reader.nextRow++, record, user };
        continue;
      }
      reader.account(record);
      const whole = reader.addNamed?.(record) ?? record;
      this.#absent.note(table, use.form, whole);
      const user = reader.read(whole);
      if (user !== undefined)
        yield {
          row: reader.nextRow++,
          record,
          user,
          missing: reader.missingOf?.(record) ?? user.lacksRecordIn,
        };
    }
  }

  /** Reads records of a joined table that belong to no user as users. All tables of users must have been read. */
  *readAlone({ use, table, firstRow, records }: UsedBatch): Generator<ReadRow> {
    const read = this.#aloneReader(table, use);
    for (const [index, record] of records.entries()) {
      const isBad = isBadRecord(record);
      const user = isBad ? record.partial && read(record.partial) : read(record);
      if (isBad || user !== undefined) yield { row: firstRow + index, record, user };
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

  #readerOf(table: TableHead, form: Form): TableReader {
    const known = this.#readers.get(table);
    if (known !== undefined) return known;
    const demands = this.#demandsIn(table, knownColumns(form, table, this.#plan.settings));
    const context = this.#contextOf(table, demands);
    const addKept = keptColumnsReader(table, context.settings);
    const reading =
      (readUser: ReadUser): ReadUser =>
      (record) => {
        const user = readUser(record);
        demands.count(record, user);
        if (user === undefined) return undefined;
        addIdPrefix(user, context.settings);
        addKept(user, record);
        return user;
      };
    const reader = {
      read: reading(userReader(form, context, (realm) => this.#countRealm(realm))),
      // A bad record is not counted for a realm, because its realm may be in the part that could not be read.
      readPart: reading(userReader(form, context)),
      missingOf: this.#missingOf(form),
      account: this.#account.ofUsers(table, form),
      addNamed: this.#named.adder(form, (column, key) => this.#joined.find(column, key)),
      nextRow: 1,
    };
    this.#readers.set(table, reader);
    return reader;
  }

  /** Returns a function that names the joined table in which a user lacks a record. */
  #missingOf(form: Form): ((record: SourceRecord) => string | undefined) | undefined {
    const joins = Object.entries(form.details ?? {}).filter(
      ([name, { isOfEveryUser }]) => isOfEveryUser && this.#given.has(name),
    );
    if (joins.length === 0) return undefined;
    return (record) =>
      joins.find(([name, { keyOfUser = form.keyOf }]) => {
        const key = keyOfUser?.(record);
        return key === undefined || this.#joined.find(name, key).length === 0;
      })?.[0];
  }

  #aloneReader(table: TableHead, use: TableUse): ReadUser {
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
      drop: (what, values) => {
        if (!demands.note(what, values)) countIn(tally.dropped, what);
      },
    };
  }
}

/**
 * Makes a reader of the users of the chosen realms, which also reads states in columns that the app added.
 * @param seeRealm called with the realm of each record, chosen or not
 */
export function userReader(
  form: Form,
  context: ReadContext,
  seeRealm?: (realm: string) => void,
): (record: SourceRecord) => SourceUser | undefined {
  const realmOf = realmReader(form, context);
  const rules = activeRules(context.settings);
  // For a table of one's own, the rules are all that is known about states.
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
