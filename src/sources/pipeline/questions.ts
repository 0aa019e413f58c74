import { nearestNames } from '../../lib/text/nearest-names.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { shownCell, shownName } from '../fields/shown-name.ts';
import { QUERY_TABLE } from '../fields/tables.ts';
import { flagOf } from '../fields/values.ts';
import type { Advice } from '../source.ts';
import { ruledColumns } from './account.ts';
import { ask, firstLines, leftOutAs, namesText } from './advice.ts';
import { type ColumnValues, MAX_VALUES, shownValues, shownWords, type ValuesOf } from './column-values.ts';
import { type Plan, usersOf } from './plan.ts';
import { adviceOnRealms } from './realms.ts';
import { NOT_BANNED } from './table-questions.ts';
import type { Absences, Contradictions, Tally } from './tally.ts';

/** Maximum number of existing columns that a message about a column that does not exist lists. */
const MAX_NAMES = 50;

/**
 * Advice about realms, account states and columns that stops an import until the operator decides.
 * @param tally complete counts over all users of the export
 */
export const questionsOf = (plan: Plan, tally: Tally): Advice[] =>
  [
    adviceOnRealms(plan, tally.realms),
    adviceOnColumns(plan, tally.columnValues),
    adviceOnStates(plan, tally.unknownStates),
    adviceOnContradictions(plan, tally.contradictions),
    unreadableAs(plan, tally.unreadableFlags, FLAGS),
    unreadableAs(plan, tally.unreadableTimes, TIMES),
    ...adviceOnAbsent(plan, tally.absent),
  ].filter((one) => one !== undefined);

/** Returns a name as an item of `--keep` and `--ignore`, in double quotes if it would be split otherwise. */
const listItem = (name: string) => (/[,="]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

/** Returns the counted columns as data of a question. */
const columnsOf = (counts: ColumnValues, shown: (column: string, values: ValuesOf) => string) =>
  counts.entries().map(([column, found]) => ({
    ...{ column: shownName(column), records: found.records, values: shown(column, found) },
  }));

const lineOf = ({ column, records, values }: { column: string; records: number; values: string }) =>
  `${column}: ${values}, in ${records} records`;

const ACTIVE = [
  'Nothing shows who may sign in with this table, so nobody is imported. Say it:',
  "  --active 'status=active,trial' (the column has one of these words), or 'status!=closed' (it has none of these)",
  "  --active 'deleted_at is null', --active 'banned_until < now' (of several rules, all must hold)",
  '  --active everybody (if all of these users may sign in)',
];
const ONE_MAY_SAY_IT = 'Columns without a use, of which one may say it:';
const NOTHING_USES =
  'Nothing uses these columns, and one of them may say who must not sign in, so nobody is imported:';
const NAME_EACH = [
  'Name each:',
  "  --active 'COLUMN=WORD,WORD' if it says who may sign in; with a comma at the end, also those who have none; or 'COLUMN!=WORD', 'COLUMN is null', 'COLUMN < now'",
];

/** Stops until the operator has said who may sign in, and what to do with each column without a known use. */
function adviceOnColumns({ forms, settings }: Plan, counts: ColumnValues): Advice | undefined {
  const asks = settings.active === undefined && forms.some((form) => form.asksWhoMaySignIn);
  if (!asks && counts.size === 0) return undefined;
  if (flagOf(settings.ignoreRest) === true)
    return asks
      ? ask('WHO_MAY_SIGN_IN', '--active', ACTIVE, { columns: [] })
      : leftOutAs(
          'columns',
          counts.entries().map(([column]) => shownName(column)),
        );
  const columns = columnsOf(counts, shownWords);
  const first = shellWord(listItem(columns[0]?.column ?? ''));
  const list = [
    asks ? ONE_MAY_SAY_IT : NOTHING_USES,
    ...firstLines(columns.map(lineOf)),
    ...(asks ? ['Name each of the others, too:'] : NAME_EACH),
    `  --keep ${first} to make it metadata, --ignore ${first} if it has no use`,
    '  --ignore-rest if all that are left have no use, after reading this list',
  ];
  const lines = [...(asks ? ACTIVE : []), ...(columns.length > 0 ? list : [])];
  return ask(asks ? 'WHO_MAY_SIGN_IN' : 'COLUMNS_UNUSED', '--active', lines, { columns });
}

/** Stops if users have states whose meaning is not known, or values that a rule of `--active` cannot read. */
function adviceOnStates({ settings }: Plan, counts: ColumnValues): Advice | undefined {
  if (counts.size === 0) return undefined;
  const names = counts.entries().map(([column]) => column);
  const columns = columnsOf(counts, (_, { values }) => shownValues(values));
  const lines = columns.map(({ column, values }) => `  ${column}: ${values}`);
  const ruled = ruledColumns(settings);
  if (names.every((column) => ruled.has(column)))
    return ask('STATES_UNREADABLE', '--active', [
      'The rules of --active cannot read these values, so nobody is imported:',
      ...lines,
      "Name the form of times: --date-format 'DD.MM.YYYY HH:mm', ms, s or excel (for a table of your own); or give a rule with words.",
    ]);
  const text = [
    'The meaning of these states is unknown, so nobody is imported:',
    ...lines,
    `Say with which words users may sign in: --active ${shellWord(`${names[0]}=WORD,WORD`)}. Those with other words are left out as disabled. Words that the system knows keep their meaning.`,
  ];
  return ask('STATES_UNKNOWN', '--active', text, { columns });
}

/** Stops if a query returns people in rows that differ in whether they may sign in. In files, such rows are errors. */
function adviceOnContradictions(
  { surveys }: Plan,
  { people, rows: [disabled, active] }: Contradictions,
): Advice | undefined {
  const isQuery = surveys.some(({ tables }) => tables.some(({ name }) => name === QUERY_TABLE));
  if (people === 0 || !isQuery) return undefined;
  return ask('PEOPLE_CONTRADICTED', '--query', [
    `${people === 1 ? 'Somebody' : `Each of ${people} people`} may sign in by one row and must not by another one, so nobody is imported. Row ${disabled} has somebody who must not, and who may by row ${active}.`,
    'A join returns a user once for each ban. Return everybody once, and say who is not banned in a subquery:',
    `  --query "select u.*, ${NOT_BANNED} as active from users u"`,
    'If they are different people: --map id=COLUMN, with ids that differ.',
  ]);
}

const FLAGS = {
  code: 'FLAGS_UNREADABLE',
  flag: '--true',
  what: 'yes or no',
  how: 'Name the words for yes, after which all others mean no: --true ja,oui',
  field: 'verified',
};
const TIMES = {
  code: 'TIMES_UNREADABLE',
  flag: '--date-format',
  what: 'times',
  how: "Name their form: --date-format 'DD.MM.YYYY HH:mm', ms, s or excel (several times if they have several)",
  field: 'createdAt',
};

/** Number of values that a question shows as examples. */
const MAX_EXAMPLES = 3;

/** Stops if values cannot be read as flags or times. Otherwise they would be lost, or count as no. */
function unreadableAs(
  { source, settings }: Plan,
  counts: ColumnValues,
  as: typeof FLAGS,
): Advice | undefined {
  if (counts.size === 0) return undefined;
  const isOwnTable = source.settings?.map !== undefined;
  const columns = columnsOf(counts, (_, { values }) =>
    values.size <= MAX_VALUES
      ? shownValues(values)
      : `${[...values.keys()].slice(0, MAX_EXAMPLES).map(shownCell).join(', ')}, …`,
  ).map(({ column, ...found }) => ({ column: column.split('|', 1)[0] ?? column, ...found }));
  const names = columns.map(({ column }) => listItem(column)).join(',');
  const isNamed = as === TIMES && settings.dateFormat !== undefined;
  const how = isNamed
    ? 'They have no form of --date-format, or are no time: name a further form, or mend them'
    : as.how;
  const text = [
    `Values of these columns cannot be read as ${as.what}, so nobody is imported:`,
    ...columns.map((one) => `  ${lineOf(one)}`),
    isOwnTable
      ? `${how}. Or do without the column: --map ${as.field}=`
      : `Export them in ISO 8601, or do without: --ignore ${shellWord(names)}`,
  ];
  return ask(as.code, isOwnTable ? as.flag : '--ignore', text, { columns });
}

/** Stops if no user has a column or word that the operator has named, or if a table lacks state columns. */
function adviceOnAbsent(plan: Plan, { columns, words, values, states }: Absences): Advice[] {
  const advice: Advice[] = [];
  const absent = new Set([...states.values()].flatMap((left) => [...left]));
  if (absent.size > 0) advice.push(absentStates(plan, absent));
  if (columns.size > 0) advice.push(absentColumns(plan, columns));
  for (const [column, left] of words) {
    if (left.size === 0 || columns.has(column)) continue;
    const found = values.entries().find(([name]) => name === column)?.[1].values;
    const few = found !== undefined && found.size <= MAX_VALUES ? ` It has ${shownValues(found)}.` : '';
    const missing = [...left].map(shownName).join(', ');
    advice.push(
      ask('WORDS_ABSENT', '--active', `--active ${shownName(column)}: no user has ${missing} there.${few}`),
    );
  }
  return advice;
}

function absentStates({ source }: Plan, absent: ReadonlySet<string>): Advice {
  const names = [...absent].map((column) => column.split('|', 1)[0] ?? column);
  const text = [
    `${source.title} says in these columns who must not sign in, and the export lacks them, so nobody is imported: ${names.map(shownName).join(', ')}.`,
    `Export them, too. If they would leave nobody out: --ignore ${shellWord(names.join(','))}`,
  ];
  const columns = names.map((column) => ({ column, records: 0, values: '' }));
  return ask('STATE_COLUMNS_ABSENT', '--ignore', text, { columns });
}

function absentColumns(plan: Plan, absent: ReadonlySet<string>): Advice {
  const names = new Set(usersOf(plan).flatMap(({ table }) => [...table.columns]));
  const near = nearestNames([...names], 0.5);
  const listed = [...absent].map((name) => {
    const [nearest] = near(name);
    return `${shownName(name)}${nearest === undefined ? '' : ` (did you mean ${shownName(nearest)}?)`}`;
  });
  const text = `--active or --keep names columns that no user has: ${listed.join(', ')}. The users have ${namesText(names, MAX_NAMES)}.`;
  return ask('COLUMNS_ABSENT', '--active, --keep', text);
}
