import { basename } from 'node:path';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import type { TableHead } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { baseName, isOfDatabase, mayBePrefixed, snakeCased, systemName } from '../fields/tables.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { listedNames } from '../mapping/column.ts';
import { idColumn } from '../mapping/column-plan.ts';
import type { Advice, Detail, Form, Settings } from '../source.ts';
import { ask, firstLines, leftOutAs, namesText } from './advice.ts';
import type { SurveyedTable, TableUse } from './plan.ts';

/** Maximum number of tables that a suggested command names. */
const MAX_NAMES = 30;

/**
 * Warns of files that are missing in a numbered set, such as `users-1.json` between `users-0.json` and `users-2.json`.
 * Files whose numbers are far apart are not one set.
 */
export function adviceOnGaps(files: readonly string[]): Advice[] {
  const sets = new Map<string, Map<number, string>>();
  for (const file of files) {
    const [, before, digits, after] = /^(.*?)(\d{1,6})(\D*)$/.exec(basename(file)) ?? [];
    if (digits === undefined) continue;
    const set = `${file.slice(0, file.length - basename(file).length)}${before}…${after}`;
    sets.set(set, (sets.get(set) ?? new Map()).set(Number(digits), digits));
  }
  return [...sets].flatMap(([set, numbers]): Advice[] => {
    const [first, last] = [Math.min(...numbers.keys()), Math.max(...numbers.keys())];
    if (numbers.size < 2 || last - first >= 2 * numbers.size) return [];
    const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const missing = all.filter((number) => !numbers.has(number));
    if (missing.length === 0) return [];
    const text = `The files ${shownName(set)} are numbered, and of the numbers from ${first} to ${last} these are not here: ${missing.join(', ')}. If there are such files, name them, too: users of a missing file are not imported.`;
    return [{ level: 'warn', text }];
  });
}

/** Members of a page of users that refer to the next page, in Cognito, Firebase and others. */
const NEXT_PAGE = /^(?:next_?(?:page_?)?(?:token|cursor)|pagination_?token)$/i;

/** Warns if each page of the users says that another one follows. */
export function adviceOnLastPage(users: readonly TableHead[]): Advice[] {
  const isFollowed = ({ root }: TableHead) =>
    Object.entries(root).some(([name, value]) => NEXT_PAGE.test(name) && textOf(value) !== undefined);
  if (users.length === 0 || !users.every(isFollowed)) return [];
  const text =
    'The last page of the users is not here: each of these files says that another one follows. Name it, too: users of a missing file are not imported, and --delete-missing would remove those of an earlier import.';
  return [{ level: 'warn', text }];
}

export interface UnreadTables {
  users: readonly TableHead[];
  /** Tables without a use in the import. */
  unread: readonly TableHead[];
  /** Unread tables that may hold users, too, but that the operator has not chosen. */
  passedOver?: ReadonlySet<TableHead>;
}

type Uses = ReadonlyMap<TableHead, TableUse>;

/**
 * Names of columns that refer to a person. `user` and `uid` may end a longer name: `created_by_user`, `owner_user_id`.
 * Other words for a person only count alone or with `_id`: `member`, `account_id`. `_uid` is the row's own id.
 */
const OF_USER =
  /(?:^|_)(?:users?|(?<!^_)uid)(?:_?(?:id|uuid|guid|uid|pk|ref|name|ptr_id))?$|^(?:accounts?|members?|persons?|customers?|subscribers?|players?|principals?|entity)(?:_?(?:id|uuid|guid|pk))?$/;

/** Names of ids that do not say whose id it is. */
const ANY_ID = /^_?(?:id|uuid|guid|key|pk|name|code|number|nr|no)$/;

/**
 * Returns whether the name of a column refers to users, also by the name of their table (`customer_id`), or of the
 * column with their ids (`member_no`).
 */
function refersTo(users: readonly TableHead[], settings: Settings): (column: string) => boolean {
  const names = users.filter(isOfDatabase).map((table) => snakeCased(baseName(table)));
  const ids = users.map((table) => snakeCased(idColumn(table, settings) ?? ''));
  const keys = new Set(
    names
      .flatMap((name) => [name, name.replace(/s$/, '')])
      .flatMap((name) => [name, `${name}_id`, `${name}id`])
      .concat(ids.filter((id) => id !== '' && !ANY_ID.test(id))),
  );
  return (column) =>
    !WRITER.test(column) && (OF_USER.test(snakeCased(column)) || keys.has(snakeCased(column)));
}

/** Columns that say who wrote a row, and not whom the row is about, in Rails, Odoo, Directus and others. */
const WRITER =
  /^(?:(?:created|updated|changed|modified|deleted)_?by(?:_id|_fk)?|creator_id|(?:create|write)_uid|user_(?:created|updated))$/i;

const lowerBaseName = (name: string) => baseName({ name }).toLowerCase();

/** Returns the columns with a foreign key to a table of users, whatever the columns are called. */
function foreignKeys(users: readonly TableHead[], { references = [] }: TableHead): string[] {
  const names = new Set(users.map(({ name }) => lowerBaseName(name)));
  return references.flatMap(({ column, table }) =>
    names.has(lowerBaseName(table)) && !WRITER.test(column) ? column : [],
  );
}

/** Whether each row refers to a record of any table, by its type and id: `bannable_type` and `bannable_id`. */
const isPolymorphic = ({ columns }: TableHead): boolean =>
  [...columns].some(
    (name) => /(?<!client|provider)_type$/.test(name) && columns.has(name.replace(/_type$/, '_id')),
  );

/**
 * Whether the name of a table begins with that of the users, as in `users_roles` and `customer_entity_int`. In Django's
 * fixtures (with `pk`), no underscore is needed: the key of a `userprofile` may be that of the user.
 */
const isNamedAfter = (users: readonly TableHead[], table: TableHead): boolean =>
  users.some(
    (one) =>
      isOfDatabase(one) &&
      baseName(table).startsWith(table.columns.has('pk') ? baseName(one) : `${baseName(one)}_`),
  );

/** Whether at least half of the first values of a column are e-mail addresses, as in `banned(email, reason)`. */
const hasAddresses = ({ columns, first }: TableHead): boolean =>
  [...columns].some((name) => {
    if (WRITER.test(name) || OWNER.test(name)) return false;
    const values = first.flatMap((record) => textOf(record[name]) ?? []);
    return values.length > 0 && values.filter((text) => ADDRESS.test(text)).length * 2 >= values.length;
  });

const OWNER = /^(?:owner|author)$/i;
const ADDRESS = /^[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u;

const hasRows = ({ container, first, isEmpty }: TableHead) =>
  first.length > 0 || (container === 'sql' && isEmpty !== true);

/** Number of a site in a network of WordPress, which its tables have after the prefix: `wp_2_comments`. */
const SITE = /^\d+_/;

/**
 * Whether a system's declaration lists a table as unused. The name is also tried without the prefix that the site gave
 * the table of users. `*_groups` in a declaration means the name of the table of users before `_groups`.
 */
function knowsUnused(form: Form, table: TableHead, users: readonly TableHead[]): boolean {
  const name = systemName(table);
  const isUnused = (one: string) => form.isUnusedTable?.(one, table.columns) === true;
  const after = users.map((of) => name.replace(`${systemName(of)}_`, '*_'));
  const prefixes = users.flatMap((of) => prefixesOf(baseName(of), form.tableNames));
  return (
    [name, ...after].some(isUnused) ||
    prefixes.some(
      (prefix) => name.startsWith(prefix) && isUnused(name.slice(prefix.length).replace(SITE, '')),
    )
  );
}

/** @param names names that a table of users may have after the prefix. Empty: any name without an underscore */
const prefixesOf = (table: string, names: readonly string[] | undefined): string[] =>
  names?.length === 0
    ? [table.slice(0, table.lastIndexOf('_') + 1)]
    : (names ?? []).flatMap((own) => (table.endsWith(own) ? table.slice(0, -own.length) : []));

/** Whether the operator has named the table, with or without its schema. */
export const isListed = (table: TableHead, names: ReadonlySet<string>) =>
  names.has(table.name) || names.has(baseName(table));

/**
 * Stops if there are tables that refer to users and are not read, because one of them may say who must not sign in.
 * `--ignore-table` answers the question.
 */
export function adviceOnUnreadTables(
  { users, unread: all, passedOver }: UnreadTables,
  { forms, settings }: { forms: readonly Form[]; settings: Settings },
): Advice[] {
  const ignored = listedNames(settings.ignoreTable);
  const refers = refersTo(users, settings);
  const ofAll = [...users, ...(passedOver ?? [])];
  const isUnused = (table: TableHead) => forms.some((form) => knowsUnused(form, table, ofAll));
  const unread = all.filter(
    (table) =>
      isOfDatabase(table) &&
      hasRows(table) &&
      !isUnused(table) &&
      !isListed(table, ignored) &&
      ([...table.columns].some(refers) ||
        foreignKeys(users, table).length > 0 ||
        isPolymorphic(table) ||
        isNamedAfter(users, table) ||
        (hasAddresses(table) && passedOver?.has(table) !== true)),
  );
  if (unread.length === 0) return [];
  const tables = unread.map(({ name }) => shownName(name));
  if (flagOf(settings.ignoreRest) === true) return [leftOutAs('tables', tables)];
  const text = [
    'These tables refer to users and are not read, and one of them may say who must not sign in, so nobody is imported:',
    ...firstLines(unread.map(({ columns }, at) => `${tables[at]}: ${namesText(columns)}`)),
    `If each row of one is about somebody who must not, ask for the rows: ${joinExample(users[0], unread[0], { refers, settings })}`,
    "If only some are, add which: and o.COLUMN = 'WORD'; or those that have not ended, of times such as 2026-01-31 10:00:00: and (o.UNTIL is null or o.UNTIL > current_timestamp)",
    'Name those that have no use:',
    `  --ignore-table ${shellWord(tables.slice(0, MAX_NAMES).join(','))}, or --ignore-rest after reading this list`,
  ];
  return [ask('TABLES_UNREAD', '--ignore-table', text, { tables })];
}

/**
 * Stops if JSON has, beside the list of users, a list of values or an object whose keys are ids of users:
 * `{"users": […], "banned": ["u2"]}`. Such members are not read as tables, so no other question is about them.
 */
export function adviceOnMembersBeside(users: readonly SurveyedTable[], settings: Settings): Advice[] {
  const ignored = listedNames(settings.ignoreTable);
  const found = users.flatMap(({ table }) =>
    Object.entries(table.root).flatMap(([name, value]) => (mayNameUsers(table, value) ? name : [])),
  );
  const tables = [...new Set(found)].filter((name) => !ignored.has(name)).map(shownName);
  if (tables.length === 0) return [];
  if (flagOf(settings.ignoreRest) === true) return [leftOutAs('members', tables)];
  const text = [
    'These members stand beside the list of users and are not read, and one of them may say who must not sign in, so nobody is imported:',
    `  ${tables.slice(0, MAX_NAMES).join(', ')}`,
    'If one does, write it into each user, by jq for example.',
    `Name those that have no use: --ignore-table ${shellWord(tables.join(','))}`,
  ];
  return [ask('TABLES_UNREAD', '--ignore-table', text, { tables })];
}

function mayNameUsers({ first, columns }: TableHead, value: unknown): boolean {
  if (Array.isArray(value)) return textOf(value[0]) !== undefined || Array.isArray(value[0]);
  if (!isJsonObject(value)) return false;
  return [...columns].some((column) => {
    const cells = new Set(first.flatMap((record) => textOf(record[column]) ?? []));
    return cells.size === first.length && Object.keys(value).some((key) => cells.has(key));
  });
}

/** Condition of a query for users without a current ban. A left join would return a user once for each ban. */
export const NOT_BANNED =
  'not exists (select 1 from bans b where b.user_id = u.id and (b.until is null or b.until > current_timestamp))';

/** Returns an example of a query over users that also reads another table. */
function joinExample(
  users: TableHead | undefined,
  other: TableHead | undefined,
  { refers, settings }: { refers: (column: string) => boolean; settings: Settings },
): string {
  if (users === undefined || other === undefined) return '--query';
  const id = idColumn(users, settings) ?? [...users.columns].find((name) => /^user_?id$/i.test(name)) ?? 'ID';
  const key = foreignKeys([users], other)[0] ?? [...other.columns].find(refers) ?? 'COLUMN';
  const until = [...other.columns].find((name) => ENDS.test(name));
  const lasts = until && ` and (o.${shownName(until)} is null or o.${shownName(until)} > current_timestamp)`;
  const rows = `select 1 from ${shownName(baseName(other)) || 'TABLE'} o where o.${shownName(key)} = u.${shownName(id)}${lasts ?? ''}`;
  const query = `select u.*, not exists (${rows}) as active from ${shownName(baseName(users)) || 'TABLE'} u`;
  return `--query ${shellWord(query)}`;
}

/** Names of columns with the end of a ban. */
const ENDS = /until|expir|end(?:s|ed|_?at)?$/i;

/**
 * Stops if several tables may be the same joined table. The records of one of them may belong to other people with the
 * same ids. Pages of an API are parts of one table.
 */
export function adviceOnSeveralJoined(uses: Uses): Advice[] {
  const names = new Map<Detail, { detail: string; byPrefix: Map<string, string> }>();
  for (const [table, { form, as, detail = '' }] of uses) {
    const found = form.details?.[detail];
    if (as !== 'detail' || form.hasPages || !isOfDatabase(table) || found === undefined) continue;
    const { decides, names: own = [] } = found;
    // Too many second factors do no harm: the import only asks. Tables with a name that the system gives, or with the
    // same prefix, are its own.
    if (decides === 'factors' || own.includes(baseName(table))) continue;
    const ending = own.find((name) => mayBePrefixed(table, name)) ?? '';
    const prefix = baseName(table).slice(0, baseName(table).length - ending.length);
    const { byPrefix } = names.get(found) ?? { byPrefix: new Map() };
    names.set(found, { detail, byPrefix: byPrefix.set(prefix, baseName(table)) });
  }
  return [...names.values()].flatMap(({ detail, byPrefix }) => {
    if (byPrefix.size < 2) return [];
    const tables = [...byPrefix.values()].map(shownName);
    const others = shellWord(tables.slice(1).join(','));
    const text = `Several tables fit as ${detail} of the users: ${tables.join(', ')}. Their records may belong to other people with the same ids. Name those that are not of these users: --ignore-table ${others}`;
    return ask('SEVERAL_JOINED_TABLES', '--ignore-table', text, { tables });
  });
}

/** Asks about missing tables that would say who may sign in, or who has a second factor. */
export function adviceOnMissingTables(form: Form, uses: Uses, settings: Settings): Advice[] {
  const without = listedNames(settings.withoutTable);
  const hasNoFactors = ['none', 'password-only'].includes(settings.mfa ?? '');
  const given = new Set([...uses.values()].flatMap((use) => (use.form === form ? (use.detail ?? []) : [])));
  return Object.entries(form.details ?? {}).flatMap(([name, { decides, missing }]): Advice[] => {
    if (given.has(name)) return [];
    const isSaid = without.has(name) || (decides === 'factors' && hasNoFactors);
    if (decides === undefined || isSaid)
      return missing === undefined ? [] : [{ level: 'warn', text: missing }];
    const [what, flag, example] =
      decides === 'states'
        ? ['who must not sign in', '--without-table', ` ${name} (nobody is left out)`]
        : ['who has a second factor', '--mfa', ' none (nobody has one)'];
    const lines = [
      `The table ${name} is not in the export. It says ${what}, so nobody is imported.`,
      ...(missing === undefined ? [] : [missing]),
      `If there is no such table: ${flag}${example}.`,
    ];
    return [ask('TABLE_MISSING', flag, lines, { tables: [name] })];
  });
}
