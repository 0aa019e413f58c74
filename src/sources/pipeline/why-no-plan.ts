import { nearestNames } from '../../lib/text/nearest-names.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { normalizeEmail } from '../../users/email.ts';
import { EXPORT_FORMATS, type TableHead } from '../containers/table.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { shownName } from '../fields/shown-name.ts';
import { isOfDatabase } from '../fields/tables.ts';
import { objectOf, textOf } from '../fields/values.ts';
import { ALL_TABLES, isNamedTable, likelyTables } from '../mapping/candidate-tables.ts';
import { columnOf, lacksColumn } from '../mapping/column.ts';
import { guessColumns } from '../mapping/fields.ts';
import { readMapping } from '../mapping/mapping.ts';
import type { Settings, Source } from '../source.ts';
import { GENERIC, SOURCES } from '../sources.ts';
import { namesText } from './advice.ts';
import type { Plan, PlanAsk, Survey } from './plan.ts';
import { NOT_BANNED } from './table-questions.ts';

export function noSystem(from: string | undefined): string {
  const [nearest] = nearestNames(
    SOURCES.map(({ name }) => name),
    0.5,
  )(from ?? '');
  const hint = nearest === undefined ? 'docs/imports.md lists them' : `Did you mean ${nearest}?`;
  return `--from ${from}: there is no such system. ${hint}`;
}

export const isOfParameters = ({ container }: Survey) =>
  container === 'hash-config' || container === 'signer-key';

/** Returns a message if files with Firebase's hash parameters differ, because then they are of different projects. */
export function differingParameters(files: readonly Survey[]): string | undefined {
  const all = files.flatMap(({ name, tables }) =>
    tables.flatMap(({ first }) =>
      first.flatMap(Object.entries).map(([key, value]) => ({ name, key, value })),
    ),
  );
  for (const { name, key, value } of all) {
    const before = all.find((one) => one.key === key);
    if (before !== undefined && before.value !== value)
      return `${before.name} and ${name} differ in ${key}: they hold hash parameters of different projects. Name only the file of the exported project.`;
  }
  return undefined;
}

export const unusedParameters = ({ name }: Survey, { title, name: system }: Source): string =>
  `${name} holds hash parameters that have no use here: an export of ${title} (--from ${system}) needs none, or --set says otherwise. Leave the file out. If it holds users, name its kind: --format ${EXPORT_FORMATS.join('|')}.`;

export function noneFits(surveys: readonly Survey[], { from, settings }: PlanAsk): string {
  const found = surveys.map(({ name, tables }) => `${name} (${describeAll(tables)})`).join(', ');
  if (surveys.every(isOfParameters))
    return `These files hold hash parameters, but no users: ${found}. Name the export as well.`;
  if (surveys.every(({ container }) => container === 'passwd'))
    return `${namesOf(surveys)}: /etc/passwd without hashes, which are in /etc/shadow. Name both files.`;
  const isMapped = settings.map !== undefined || settings.hash !== undefined;
  if (!isMapped && surveys.every(namesNoColumns))
    return `${namesOf(surveys)}: the INSERT statements name no columns, and there is no CREATE TABLE that does. Export again: with --column-inserts, or without --inserts (pg_dump); with --complete-insert, or without --no-create-info (mysqldump, mariadb-dump); with .dump (sqlite3). Or name the table and its columns, counted from 0: --table NAME --map id=0,email=1,hash=2.`;
  const tableProblem = from === undefined || from === GENERIC.name ? noTable(surveys, settings) : undefined;
  if (tableProblem !== undefined) return tableProblem;
  if (from === GENERIC.name || (from === undefined && isMapped)) return noColumns(surveys, settings, found);
  const [listPath, otherPath] = surveys.flatMap(({ tables }) => tables.flatMap(pathsOfLists));
  const inLists = surveys.flatMap(({ name, tables }) => tables.flatMap((table) => commandOf(table, name)));
  if (from === undefined && inLists[0] !== undefined)
    return `No known system writes files like these: ${found}. If each of these records has a list of users, write the users one a line: ${inLists[0]} > users.ndjson.`;
  if (from === undefined && listPath !== undefined) {
    const ofTables = `If each list is a table, leave out the other members: jq 'map_values(select(type == "array"))'. `;
    return `No known system writes files like these: ${found}. ${otherPath === undefined ? '' : ofTables}If the users are in the list ${listPath}, name it: --json-path ${shellWord(listPath)}.`;
  }
  return from === undefined
    ? `No known system writes files like these: ${found}. If they are tables of your own, name the columns: --map ${suggestedMap(surveys)}.${idHint(surveys)}${joinHint(surveys)} If a CSV file has no header: --columns id,email,hash. Or name the system with --from (docs/imports.md).`
    : `These files are not an export of ${from}: ${found}. Without --from, the system is detected.`;
}

/** Maximum number of members between the top of a JSON object and a list in it. */
const MAX_LIST_DEPTH = 3;
const PLAIN_NAME = /^[\w-]{1,40}$/;

/** Returns paths, for `--json-path`, of lists in all of the first JSON objects. None if the objects look like users. */
function pathsOfLists(table: TableHead): string[] {
  const search = (value: unknown, path: readonly string[]): string[] => {
    if (Array.isArray(value)) return objectOf(value[0]) === undefined ? [] : [path.join('.')];
    const members = path.length < MAX_LIST_DEPTH ? objectOf(value) : undefined;
    return Object.entries(members ?? {}).flatMap(([name, member]) =>
      PLAIN_NAME.test(name) ? search(member, [...path, name]) : [],
    );
  };
  if (table.container !== 'json' || likenessOf(table) > 0) return [];
  const [paths = [], ...more] = table.first.map((record) => search(record, []));
  return paths.filter((path) => more.every((others) => others.includes(path)));
}

/** Returns a jq command for records that each contain a list of users. `--json-path` would read only one list. */
function commandOf(table: TableHead, file: string): string[] {
  if (table.name === '') return [];
  const [path] = pathsOfLists(table);
  if (path === undefined) return [];
  const inJq = (names: string) =>
    names
      .split('.')
      .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${/\W/.test(name) ? `"${name}"` : name}`));
  return [`jq -c ${shellWord(`${inJq(table.name).join('')}[]${inJq(path).join('')}[]`)} ${shellWord(file)}`];
}

/** Whether a CSV file has no header. Only the number of its cells is known. */
const hasNoHeader = ({ tables }: Survey) =>
  tables.length > 0 && tables.every(({ columns, cells = 0 }) => columns.size === 0 && cells > 0);

const namesNoColumns = ({ container, tables }: Survey) =>
  container === 'sql' && tables.length > 0 && tables.every(({ cells }) => cells !== undefined);

/** Returns a message if several tables may hold the users, or if the table of `--table` does not exist. */
function noTable(surveys: readonly Survey[], settings: Settings): string | undefined {
  const tables = surveys.flatMap((survey) => survey.tables).filter(isOfDatabase);
  const mapping = readMapping(settings);
  if ('problem' in mapping || tables.length === 0) return undefined;
  const likely = likelyTables(tables, mapping);
  const names = likely.slice(0, MAX_TABLES).map(describe).join('; ');
  const files = namesOf(surveys);
  if (
    settings.table !== undefined &&
    settings.table !== ALL_TABLES &&
    !tables.some((table) => isNamedTable(table, settings))
  )
    return `--table ${settings.table}: ${files} has no such table. ${likely.length > 0 ? `Addresses and hashes stand in ${names}` : `Found: ${describeAll(tables)}`}.`;
  const [first] = likely;
  if (settings.table !== undefined || first === undefined) return undefined;
  return `Several tables of ${files} may hold the users, because they have addresses and hashes: ${names}. Name the table: --table ${shellWord(shownName(first.name))}.`;
}

function noColumns(surveys: readonly Survey[], settings: Settings, found: string): string {
  const mapping = readMapping(settings);
  if ('problem' in mapping) return mapping.problem;
  const tables = surveys.flatMap((survey) => survey.tables);
  const told = [...mapping.columns.values()].filter((name) => name !== null);
  const missing = told.filter((name) => tables.every((table) => lacksColumn(table, columnOf(table, name))));
  if (missing.length > 0)
    return `--map names columns that do not exist: ${missing.join(', ')}. Found: ${found}.`;
  return mapping.columns.has('email')
    ? `No table has all the columns that --map and --hash name.${joinHint(surveys)} Found: ${found}.`
    : `The columns of addresses and hashes were not found. Name them: --map ${suggestedMap(surveys)}.${joinHint(surveys)} Found: ${found}.`;
}

const JOIN = `If users and their hashes are in different tables or files, join them: --query 'select u.id, u.email, h.hash from users u join hashes h on h.user_id = u.id'. If one says who must not sign in: --query "select u.*, ${NOT_BANNED} as active from users u".`;

const joinHint = (surveys: readonly Survey[]): string =>
  surveys.flatMap(({ tables }) => tables).length > 1 ? ` ${JOIN}` : '';

/** Returns an example of `--map`, with the columns whose first values are addresses and hashes. */
function suggestedMap(surveys: readonly Survey[]): string {
  const tables = surveys.flatMap((survey) => survey.tables);
  const found = tables
    .map((table) => ({
      email: addressesOf(table),
      hash: columnWith(table, looksLikeHash),
    }))
    .find(({ email }) => email !== undefined);
  return shellWord(`email=${found?.email ?? 'COLUMN'},hash=${found?.hash ?? 'COLUMN'}`);
}

/** Returns a hint with the first column, which mostly has the ids. Ids cannot be recognised by their form. */
function idHint(surveys: readonly Survey[]): string {
  const [name] = surveys.flatMap(({ tables }) => tables).find((table) => addressesOf(table))?.columns ?? [];
  return name === undefined ? '' : ` Add that of the ids, such as ${shellWord(`id=${shownName(name)}`)}.`;
}

const addressesOf = (table: TableHead) => columnWith(table, (text) => normalizeEmail(text) !== undefined);

/** Returns the column in which at least half of the first values are of a kind. Undefined if there are several. */
function columnWith({ columns, first }: TableHead, isKind: (text: string) => boolean): string | undefined {
  const share = (name: string) => first.filter((record) => isKind(textOf(record[name]) ?? '')).length;
  const [found, other] = [...columns].filter((name) => share(name) * 2 >= first.length && first.length > 0);
  if (found === undefined || other !== undefined || shownName(found) !== found) return undefined;
  return found.replace(/[\\,="]/g, '\\$&');
}

export function strayFiles(stray: readonly Survey[], source: Source): string {
  const hasNoColumns = ({ tables }: Survey) => tables.every(({ columns }) => columns.size === 0);
  const others =
    source === GENERIC
      ? `not read, because the users are in another file. ${JOIN} Otherwise leave it out.`
      : `not part of an export of ${source.title}, as the other files are. Leave out what holds no users (sessions, groups, logs), and import users of another system by themselves. What says who must not sign in is joined by --query.`;
  const kinds: [isOne: (survey: Survey) => boolean, text: string][] = [
    [(survey) => !hasNoColumns(survey), others],
    [
      hasNoHeader,
      'without a header, its columns are unknown. Export the table with a header, or as SQL; leave the file out if it holds no users.',
    ],
    [(survey) => hasNoColumns(survey) && !hasNoHeader(survey), 'there are no rows. Leave the file out.'],
  ];
  return kinds
    .map(([isOne, text]) => ({ names: namesOf(stray.filter(isOne)), text }))
    .flatMap(({ names, text }) => (names === '' ? [] : `${names}: ${text}`))
    .join(' ');
}

const namesOf = (surveys: readonly Survey[]) => surveys.map(({ name }) => name).join(', ');

export function severalFit(plans: readonly Plan[]): string {
  const files = plans.map(({ surveys, uses }) =>
    surveys.flatMap(({ name, tables }) => (tables.some((table) => uses.has(table)) ? name : [])),
  );
  const all = files.flat();
  if (new Set(all).size === all.length) {
    const parts = plans.map(({ source }, index) => `${files[index]?.join(', ')} of ${source.title}`);
    return `These files are from several systems: ${parts.join('; ')}. Import the files of each system separately.`;
  }
  const names = plans.map(({ source }) => `--from ${source.name}`).join(', ');
  return `These files may be from several systems. Name the system: ${names}.`;
}

const MAX_NAMES = 12;
const MAX_TABLES = 20;

/** Describes the tables that are most like users. A dump may have thousands. */
function describeAll(tables: readonly TableHead[]): string {
  const more = tables.length > MAX_TABLES ? [`and ${tables.length - MAX_TABLES} more tables`] : [];
  // Beside tables, a JSON file may have settings, which appear as a table without a name.
  const named = tables.filter(({ name, columns }) => name !== '' || columns.size > 0);
  const byLikeness = [...(named.length > 0 ? named : tables)].sort(
    (one, other) => likenessOf(other) - likenessOf(one),
  );
  return [...byLikeness.slice(0, MAX_TABLES).map(describe), ...more].join('; ') || 'no tables';
}

/** Returns a score for column names that suggest users: 2 each for an e-mail and a hash, 1 for an id. */
const likenessOf = ({ columns }: TableHead): number => {
  const guess = guessColumns(columns);
  return Number(guess.has('email')) * 2 + Number(guess.has('hash')) * 2 + Number(guess.has('id'));
};

function describe({ container, name, columns, cells }: TableHead): string {
  const shape = cells === undefined ? namesText(columns, MAX_NAMES) : `no header, ${cells} cells`;
  return `${container}${name === '' ? '' : ` ${shownName(name)}`}: ${shape || 'no columns'}`;
}
