import type { SourceRecord, TableHead } from '../containers/table.ts';
import { readingHash } from '../fields/hashes.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import type { ReadState } from '../fields/states.ts';
import { isOfDatabase, oncePerPair } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { activeReader } from '../mapping/active.ts';
import { ALL_TABLES, isNamedTable, onlyCandidate } from '../mapping/candidate-tables.ts';
import { type ColumnPlan, genericAdvice, planColumns } from '../mapping/column-plan.ts';
import type { Field } from '../mapping/fields.ts';
import { MAPPING_SETTINGS, type Mapping, readMapping } from '../mapping/mapping.ts';
import type { DetectionContext, Form, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

const shared: Omit<Form, 'name'> = {
  isOfAnySystem: true,
  asksWhoMaySignIn: true,
  isUsers,
  known: (table, settings) => {
    const mapping = readMapping(settings);
    return 'problem' in mapping ? new Set() : planColumns(table, mapping).used;
  },
  read: (record, context) => read(record, readerOf(context.table, context.settings), context),
  advice: ({ tables, settings }) =>
    genericAdvice(
      tables.filter((table) => isUsers(table, settings, { tables })),
      settings,
    ),
};

/**
 * Source for tables of unknown systems. The meaning of each column is guessed from its name, or the
 * operator names it. It accepts tables of other systems, so it must be tried last.
 */
export const generic: Source = {
  name: 'generic',
  title: 'Generic (any table of users)',
  settings: MAPPING_SETTINGS,
  forms: ['csv', 'sql', 'ndjson', 'json'].map((kind) => ({
    ...shared,
    name: `generic-${kind}`,
    isUsers: (table, settings, around) =>
      table.container === kind.replace('nd', '') &&
      (kind !== 'ndjson' || table.isLines === true) &&
      isUsers(table, settings, around),
  })),
};

/**
 * Whether a table holds the users. In a database, many tables may look like users, so only the table that the operator
 * names counts, or the only candidate.
 */
function isUsers(
  table: TableHead,
  settings: Settings = {},
  around: Pick<DetectionContext, 'tables'> = { tables: [table] },
): boolean {
  if (table.container !== 'csv' && table.container !== 'json' && table.container !== 'sql') return false;
  const mapping = readMapping(settings);
  if ('problem' in mapping || !looksLikeUsers(table, mapping)) return false;
  if (isOfDatabase(table)) {
    if (settings.table !== undefined && settings.table !== ALL_TABLES) return isNamedTable(table, settings);
    const { table: candidate, hasRivals } = candidatesAmong(around.tables, settings);
    if (table.container === 'sql' || table.found !== undefined || hasRivals) return candidate === table;
  }
  return true;
}

/**
 * Returns whether the table has a column of addresses. In other files than SQL, it also needs an id, a hash, a template
 * of a hash or a third-party identity, unless the operator gave a mapping. Columns of the mapping that are missing are
 * reported by advice.
 */
function looksLikeUsers(table: TableHead, mapping: Mapping): boolean {
  const { fields, identities, template } = planColumns(table, mapping);
  const email = fields.get('email');
  if (email === undefined || !isThere(table, email.member)) return false;
  return (
    table.container === 'sql' ||
    mapping.columns.size > 0 ||
    ['hash', 'id', 'providerUserId'].some((field) => fields.has(field as Field)) ||
    identities.length > 0 ||
    template.length > 0
  );
}

/** Returns the only table that may hold the users. Cached, because an export may have thousands of tables. */
const candidatesAmong = oncePerPair((tables: readonly TableHead[], settings: Settings) => {
  const mapping = mappingOf(settings);
  const rivals = tables.filter((table) => table.isOneOfSeveral === true && looksLikeUsers(table, mapping));
  return { table: onlyCandidate(tables, mapping), hasRivals: rivals.length > 1 };
});

/** Returns the mapping. It is valid, because the command line reports an invalid one before it reads the export. */
function mappingOf(settings: Settings): Mapping {
  const mapping = readMapping(settings);
  if ('problem' in mapping) throw new TypeError('the mapping was not checked');
  return mapping;
}

const isThere = ({ columns, cells }: TableHead, member: string) =>
  columns.has(member) || (cells !== undefined && Number(member) < cells);

interface Reader {
  plan: ColumnPlan;
  mapping: Mapping;
  stateOf: (record: SourceRecord, nowMs: number) => ReadState;
  takesPlainText: boolean;
}

const readerOf = oncePerPair((table: TableHead, settings: Settings): Reader => {
  const mapping = mappingOf(settings);
  return {
    mapping,
    plan: planColumns(table, mapping),
    stateOf: activeReader(table, mapping.active ?? []),
    takesPlainText: flagOf(settings.plainTextPasswords) === true,
  };
});

function isVerified(
  record: SourceRecord,
  { plan, mapping }: Reader,
  { unreadable }: ReadContext,
): boolean | undefined {
  const column = plan.fields.get('verified');
  if (column === undefined) return undefined;
  const value = column.valueOf(record);
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (mapping.yes?.has(word)) return true;
  const flag = flagOf(value);
  if (flag !== undefined) return flag;
  if (timeOf(value) !== undefined || mapping.timeOf(value) !== undefined) return true;
  if (!isNothing(value) && mapping.yes === undefined) unreadable(column.column, value, 'flag');
  return false;
}

function timeJoined(
  record: SourceRecord,
  { plan, mapping }: Reader,
  { unreadable }: ReadContext,
): number | undefined {
  const column = plan.fields.get('createdAt');
  if (column === undefined) return undefined;
  const value = column.valueOf(record);
  const timeMs = mapping.timeOf(value);
  if (timeMs === undefined && !isNothing(value)) unreadable(column.column, value, 'time');
  return timeMs !== undefined && timeMs >= 0 ? timeMs : undefined;
}

/** Cells that count as empty. Times before 1970 do, too, because nobody joined or confirmed an address then. */
const NOTHING = /^(?:|NULL|0|-?infinity|(?:0\d\d|1[0-8]\d|19[0-6])\d-\d\d-\d\d.*)$/i;
const isNothing = (value: unknown) =>
  value === undefined || value === null || value === '' || NOTHING.test(textOf(value)?.trim() ?? 'an object');

function read(record: SourceRecord, reader: Reader, context: ReadContext): SourceUser {
  const { plan } = reader;
  const value = (field: Field) => plan.fields.get(field)?.valueOf(record);
  return {
    externalUserId: textOf(value('id')),
    email: textOf(value('email')),
    isVerified: isVerified(record, reader, context),
    timeJoinedMs: timeJoined(record, reader, context),
    password: readingHash(() => passwordOf(record, reader)),
    identities: identitiesOf(record, plan),
    state: reader.stateOf(record, context.nowMs),
  };
}

function passwordOf(record: SourceRecord, { plan, takesPlainText }: Reader): SourcePassword | undefined {
  const password = plan.passwordOf(record);
  if (!takesPlainText || plan.template.length > 0 || password === undefined) return password;
  return 'encoded' in password && !looksLikeHash(password.encoded)
    ? { plainText: password.encoded }
    : password;
}

function identitiesOf(record: SourceRecord, { fields, identities: columns }: ColumnPlan): SourceIdentity[] {
  const identities: SourceIdentity[] = [];
  const provider = textOf(fields.get('provider')?.valueOf(record));
  const userId = textOf(fields.get('providerUserId')?.valueOf(record));
  if (provider !== undefined && userId !== undefined) identities.push({ provider, userId });
  for (const { provider: name, column } of columns) {
    const id = textOf(column.valueOf(record));
    if (id !== undefined) identities.push({ provider: name, userId: id });
  }
  return identities;
}
