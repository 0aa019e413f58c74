import { basename } from 'node:path';
import { shellWord } from '../../lib/text/shell-word.ts';
import type { TableHead } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { baseName } from '../fields/tables.ts';
import { ALL_TABLES, isNamedTable, isSetAside, likelyTables } from '../mapping/candidate-tables.ts';
import { listedNames } from '../mapping/column.ts';
import { readMapping } from '../mapping/mapping.ts';
import type { Advice, DetectionContext, Form, Settings, Source } from '../source.ts';
import { GENERIC, SOURCES } from '../sources.ts';
import { ask } from './advice.ts';
import {
  detailsOf,
  type NoPlan,
  type Plan,
  type PlanAsk,
  type Survey,
  type SurveyedTable,
  type TableUse,
  tablesOf,
  usersOf,
} from './plan.ts';
import { withByteaRead } from './read-tables.ts';
import { withSchemasAsRealms } from './realms.ts';
import {
  adviceOnGaps,
  adviceOnLastPage,
  adviceOnMembersBeside,
  adviceOnMissingTables,
  adviceOnSeveralJoined,
  adviceOnUnreadTables,
  isListed,
} from './table-questions.ts';
import {
  differingParameters,
  isOfParameters,
  noneFits,
  noSystem,
  severalFit,
  strayFiles,
  unusedParameters,
} from './why-no-plan.ts';

/**
 * Detects the system that wrote the export files, and the use of each of their tables. Never guesses: if
 * several systems fit, or none, it returns a message for the operator.
 */
export function choosePlan(given: readonly Survey[], { from, settings, hasSecret }: PlanAsk): Plan | NoPlan {
  const surveys = given.map((survey) => ({ ...survey, tables: survey.tables.map(withByteaRead) }));
  const asked = from === undefined ? SOURCES : SOURCES.filter(({ name }) => name === from);
  if (asked.length === 0) return { noPlan: noSystem(from) };
  const parameters = surveys.filter(isOfParameters);
  const differing = differingParameters(parameters);
  if (differing !== undefined) return { noPlan: differing };
  const all = { ...Object.assign({}, ...parameters.map(settingsOf)), ...settings };
  const plansOf = (sources: readonly Source[]) =>
    sources.flatMap((one) => planFor(one, surveys, all, { isNamed: from !== undefined, hasSecret }) ?? []);
  const special = plansOf(asked.filter((source) => source !== GENERIC));
  const plans = special.length > 0 ? special : plansOf(asked.filter((source) => source === GENERIC));
  const [plan, other] = plans;
  if (plan === undefined) return { noPlan: noneFits(surveys, { from, settings }) };
  if (other !== undefined) return { noPlan: severalFit(plans) };
  const unused = parameters.find((survey) => !isUsed(survey, plan));
  if (unused !== undefined) return { noPlan: unusedParameters(unused, plan.source) };
  const stray = strays(plan);
  return stray.length === 0 ? plan : { noPlan: strayFiles(stray, plan.source) };
}

/** Returns the hash parameters in a file of Firebase, as `--set` options. */
function settingsOf({ tables }: Survey): Settings {
  const members = tables.flatMap(({ first }) => first).flatMap((record) => Object.entries(record));
  return Object.fromEntries(members.filter(([, value]) => typeof value === 'string')) as Settings;
}

/** Whether hash parameters have an effect: the source has an option for one, and `--set` does not override it. */
const isUsed = (parameters: Survey, { source, settings }: Plan): boolean =>
  Object.entries(settingsOf(parameters)).some(
    ([name, value]) => Object.hasOwn(source.settings ?? {}, name) && settings[name] === value,
  );

function planFor(
  source: Source,
  surveys: readonly Survey[],
  settings: Settings,
  { isNamed, hasSecret }: { isNamed: boolean; hasSecret: boolean | undefined },
): Plan | undefined {
  const uses = new Map<TableHead, TableUse>();
  const tables = surveys.flatMap((survey) => survey.tables);
  const forms = source.forms.filter((form) => claim(form, { surveys, uses }, settings, { tables, isNamed }));
  if (forms.length === 0) return undefined;
  const users = usersOf({ surveys, uses });
  const unread = adviceOnUnreadTables(
    {
      users: users.map(({ table }) => table),
      unread: tables.filter((table) => !uses.has(table)),
      passedOver: passedOverFor(source, settings, { tables, isNamed }),
    },
    { forms, settings },
  );
  return withSchemasAsRealms({
    ...{ source, forms, surveys, uses, settings },
    advice: [
      ...forms.flatMap((form) => form.advice?.({ tables, settings, hasSecret }) ?? []),
      ...forms.flatMap((form) => adviceOnMissingTables(form, uses, settings)),
      ...adviceOnSeveralTables(users, settings),
      ...adviceOnSeveralJoined(uses),
      ...adviceOnGaps(surveys.map(({ name }) => name)),
      ...adviceOnLastPage(users.map(({ table }) => table)),
      ...unread,
      // In JSON of known systems, members beside the list of users are known, and do not name users.
      ...(source === GENERIC ? adviceOnMembersBeside(users, settings) : []),
    ],
  });
}

/**
 * Stops if several tables or files may hold the users. Customers and staff may have the same ids, and an identity of a
 * customer must not become a login of the employee with the same id.
 */
function adviceOnSeveralTables(users: readonly SurveyedTable[], settings: Settings): Advice[] {
  const arePages = users.every(({ use, table }) => use?.form.hasPages && !table.isOneOfSeveral);
  // The same table in several schemas of a dump counts once: realms.ts asks which schema to import.
  const names = new Map(
    users.map(({ survey, table }) => [
      `${survey.name}\0${table.container === 'sql' ? baseName(table) : table.name}`,
      shownName(survey.tables.length > 1 ? table.name : fileTable(survey.name)),
    ]),
  );
  if (names.size < 2 || settings.table === ALL_TABLES || arePages) return [];
  const [first = '', ...others] = names.values();
  const text =
    `Several tables or files fit as users: ${[first, ...others].join(', ')}. Their ids may be the same, and belong to different people. ` +
    `Name the one to import: --table ${shellWord(first)}. If all are parts of one table: --table '${ALL_TABLES}'.`;
  return [ask('SEVERAL_TABLES', '--table', text)];
}

/** Returns the name of the table in a file without table names: `users` for `exports/users.csv.gz`. */
export const fileTable = (path: string) => basename(path).replace(/\.[a-z0-9]+(?:\.gz)?$/i, '');

/** Whether the operator named another table or file by `--table`. */
const isOther = (survey: Survey, table: TableHead, settings: Settings) =>
  settings.table !== undefined &&
  settings.table !== ALL_TABLES &&
  !isNamedTable(table, settings) &&
  !(survey.tables.length === 1 && [survey.name, fileTable(survey.name)].includes(settings.table));

/** Returns all tables that may hold users, if the operator chose one by `--table` or `--set collection`. Else none. */
function passedOverFor(source: Source, settings: Settings, around: DetectionContext): Set<TableHead> {
  const { collection, table: named = collection, ...others } = settings;
  const mapping = readMapping(settings);
  if (named === undefined || named === ALL_TABLES || 'problem' in mapping) return new Set();
  const fitting =
    source === GENERIC
      ? likelyTables(around.tables, mapping)
      : around.tables.filter((table) =>
          source.forms.some((form) => form.isUsers(table, { ...others, table: table.name }, around)),
        );
  return new Set(fitting.filter((table) => !isSetAside(table, settings)));
}

/** Assigns to a form its tables of users and details, if they have no use yet. Returns whether it has users. */
function claim(
  form: Form,
  { surveys, uses }: { surveys: readonly Survey[]; uses: Map<TableHead, TableUse> },
  settings: Settings,
  around: DetectionContext,
): boolean {
  const free = tablesOf({ surveys, uses }).filter(({ use }) => use === undefined);
  const users = free.filter(
    ({ survey, table }) =>
      !isOther(survey, table, settings) &&
      !isSetAside(table, settings) &&
      form.isUsers(table, settings, around),
  );
  if (users.length === 0) return false;
  const isOfUsers = new Set(users.map(({ table }) => table));
  const ignored = listedNames(settings.ignoreTable);
  for (const { table } of free) {
    const isUsers = isOfUsers.has(table);
    const details = isUsers ? (form.details ?? {}) : detailsOf(form);
    const [detail, { names } = {}] = Object.entries(details).find(([, { fits }]) => fits(table)) ?? [];
    if (isUsers) uses.set(table, { form, as: 'users', detail });
    else if (detail !== undefined && !isListed(table, ignored) && !isSetAside(table, settings, names))
      uses.set(table, { form, as: 'detail', detail });
  }
  return true;
}

const strays = ({ surveys, uses, forms, settings }: Plan): Survey[] =>
  surveys.filter(
    (survey) =>
      !survey.tables.some((table) => uses.has(table)) &&
      !isOfParameters(survey) &&
      !isLeftOut(survey, forms, settings),
  );

/** Whether a file has a table of users that the operator left out by naming another one with `--table`. */
const isLeftOut = (survey: Survey, forms: readonly Form[], settings: Settings) =>
  survey.tables.some(
    (table) =>
      isOther(survey, table, settings) &&
      forms.some((form) => form.isUsers(table, { ...settings, table: table.name })),
  );
