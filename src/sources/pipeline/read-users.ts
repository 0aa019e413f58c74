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
import { absenceFinder, columnCounter, knownColumns, namedJoinedColumns, ruledColumns } from './account.ts';
import { type DemandCounts, demandCounts } from './demand-counts.ts';
import { joinedRecords } from './joined-records.ts';
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
 * Makes readers that turn the records of an export into users, and count what the operator must know or decide: columns
 * without a known use, values that cannot be read, data that is lost, realms.
 */
export function userReading(
  plan: Plan,
  { tally, nowMs, mfa }: Pick<JudgeDeps, 'tally' | 'nowMs' | 'mfa'>,
  database: WorkDatabase,
) {
  const { settings } = plan;
  const joined = joinedRecords(database);
  /** Names of the joined tables in the export. */
  const given = new Set([...plan.uses.values()].flatMap(({ detail }) => detail ?? []));
  const named = namedJoinedColumns(settings);
  const ruled = ruledColumns(settings);
  const ignored = listedNames(settings.ignore);
  const noteAbsent = absenceFinder(settings, tally.absent);
  const makeCounter = columnCounter(plan, tally.columnValues);
  const counterOf = oncePerTable(({ use, table }) => makeCounter(table, use));
  // Keys of all users. A record of a joined table whose key is not among them belongs to no user.
  database.exec('create table user_keys (key text primary key) without rowid');

  const seeRealm = (realm: string) => countRealm(tally.realms, realm, settings);
  const detailsOf = (name: string, key: string): readonly JsonObject[] =>
    given.has(name) ? joined.find(name, key) : [];

  const demandsIn = (table: TableHead, known: KnownColumns): DemandCounts =>
    demandCounts(table, known, {
      counts: tally.dropped,
      factorsOf: (key) => detailsOf(SECOND_FACTORS, key),
      isKeeping: mfa === 'keep',
    });

  const contextOf = (table: TableHead, demands: DemandCounts): ReadContext => ({
    table,
    tables: plan.surveys.flatMap((survey) => survey.tables),
    settings,
    nowMs,
    ruled,
    details: detailsOf,
    hasDetail: (name) => given.has(name),
    unreadable: (column, value, as) => {
      if (ignored.has(column)) return;
      (as === 'flag' ? tally.unreadableFlags : tally.unreadableTimes).count(column, value);
    },
    drop: demands.note,
  });

  /** Returns a function that names the joined table in which a user lacks a record. */
  function missingOf({ details = {}, keyOf }: Form): (record: SourceRecord) => string | undefined {
    const joins = Object.entries(details).filter(
      ([name, { isOfEveryUser }]) => isOfEveryUser && given.has(name),
    );
    return (record) =>
      joins.find(([name, { keyOfUser = keyOf }]) => {
        const key = keyOfUser?.(record);
        return key === undefined || joined.find(name, key).length === 0;
      })?.[0];
  }

  const readerOf = oncePerTable((batch): TableReader => {
    const { table, use } = batch;
    const { form } = use;
    const demands = demandsIn(table, knownColumns(form, table, settings));
    const context = contextOf(table, demands);
    const addKept = keptColumnsReader(table, settings);
    const addNamed = named.adder(form, (column, key) => joined.find(column, key));
    const nameMissing = missingOf(form);
    const reading =
      (readUser: ReadUser, isWhole: boolean): ReadUser =>
      (record) => {
        const whole = isWhole ? addNamed(record) : record;
        if (isWhole) noteAbsent(table, form, whole);
        const user = readUser(whole);
        demands.count(whole, user);
        if (user === undefined) return undefined;
        addIdPrefix(user, settings);
        addKept(user, whole);
        if (isWhole) user.lacksRecordIn = nameMissing(record) ?? user.lacksRecordIn;
        return user;
      };
    return {
      read: reading(userReader(form, context, seeRealm), true),
      // A bad record is not counted for a realm, because its realm may be in the part that could not be read.
      readPart: reading(userReader(form, context), false),
      account: counterOf(batch),
      nextRow: 1,
    };
  });

  const isUser = (key: string): boolean =>
    database.get('select 1 as found from user_keys where key = ? ->> 0', json([key])) !== undefined;

  const aloneReaderOf = oncePerTable(({ table, use }): ReadUser => {
    const { keyOf, readAlone, realmOf, known } = detailOf(use);
    const demands = demandsIn(table, known);
    const context = contextOf(table, demands);
    return (record) => {
      const key = keyOf(record);
      const hasUser = key !== undefined && isUser(key);
      const realm = hasUser ? undefined : realmOf?.(record);
      if (realm !== undefined) seeRealm(realm);
      const isChosen = isWantedRealm(realm, settings);
      if (!isChosen) context.drop('other tenants');
      const user = hasUser || !isChosen ? undefined : readAlone?.(record, context);
      demands.count(record, user);
      if (user !== undefined) addIdPrefix(user, settings);
      return user;
    };
  });

  /** Stores the values of joined records that readers of users need. */
  function join(batch: UsedBatch): void {
    const { use, records } = batch;
    const { detail: name } = use;
    if (name === undefined) return;
    const detail = detailOf(use);
    const account = use.as === 'detail' ? counterOf(batch) : undefined;
    for (const record of records) {
      if (isBadRecord(record)) continue;
      account?.(record);
      const key = detail.keyOf(record);
      if (key === undefined) continue;
      for (const [column, value] of named.in(record, name, detail)) joined.add(column, key, value);
      const kept = detail.keep(record);
      if (kept !== undefined) joined.add(name, key, kept);
    }
  }

  function keepKeys({ details = {}, keyOf }: Form, records: UsedBatch['records']): void {
    if (keyOf === undefined || !Object.values(details).some(({ readAlone }) => readAlone)) return;
    const keys = records.flatMap((record) => {
      const part = isBadRecord(record) ? record.partial : record;
      return (part && keyOf(part)) ?? [];
    });
    database.run('insert or ignore into user_keys select value from json_each(?)', json(keys));
  }

  /** Reads users from a batch. The records of all joined tables must have been stored. */
  function* readUsers(batch: UsedBatch): Generator<ReadRow> {
    const { use, table, records } = batch;
    countIn(tally.records, table, records.length);
    keepKeys(use.form, records);
    const reader = readerOf(batch);
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
  function* readAlone(batch: UsedBatch): Generator<ReadRow> {
    const read = aloneReaderOf(batch);
    for (const [index, record] of batch.records.entries()) {
      const row = batch.firstRow + index;
      if (isBadRecord(record)) yield { row, bad: record, user: record.partial && read(record.partial) };
      else {
        const user = read(record);
        if (user !== undefined) yield { row, record, user };
      }
    }
  }

  return { join, readUsers, readAlone };
}

export type UserReading = ReturnType<typeof userReading>;

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
