import { shellWord } from '../../lib/text/shell-word.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { shownCell, shownName } from '../fields/shown-name.ts';
import { flagOf } from '../fields/values.ts';
import { keptColumns } from '../mapping/keep-columns.ts';
import { readMapping } from '../mapping/read-mapping.ts';
import type { Advice, Detail, Form, KnownColumns, Settings } from '../source.ts';
import { type ColumnValues, MAX_VALUES, shownValues, shownWords } from './column-values.ts';
import type { Plan } from './plan.ts';

/** Number of columns that a question shows. */
const MAX_SHOWN = 30;

/**
 * Finds the columns that nothing accounts for. A column is used by the system's declaration, known there as unused, or
 * named by the operator; any other may say who must not sign in.
 */
export class Account {
  readonly #plan: Pick<Plan, 'source' | 'settings'>;
  readonly #counts: ColumnValues;
  /** Columns that the operator has named. */
  readonly #named: ReadonlySet<string>;
  readonly #made = new Map<TableHead, (record: SourceRecord) => void>();

  /** @param counts becomes the values of the columns that nothing accounts for */
  constructor(plan: Pick<Plan, 'source' | 'settings'>, counts: ColumnValues) {
    this.#plan = plan;
    this.#counts = counts;
    this.#named = namedColumns(plan.settings);
  }

  /** Returns a function that looks at each record of a table of users. */
  ofUsers(table: TableHead, form: Form): (record: SourceRecord) => void {
    return this.#once(table, () => this.#counter(table, knownColumns(form, table, this.#plan.settings), ''));
  }

  /** Returns a function that looks at each record that is joined to users. Its columns have the name of the join. */
  ofDetail(table: TableHead, name: string, detail: Detail): (record: SourceRecord) => void {
    return this.#once(table, () => this.#detailCounter(table, name, detail));
  }

  #once(table: TableHead, make: () => (record: SourceRecord) => void): (record: SourceRecord) => void {
    const made = this.#made.get(table) ?? make();
    this.#made.set(table, made);
    return made;
  }

  #detailCounter(table: TableHead, name: string, { known, keys }: Detail): (record: SourceRecord) => void {
    const count = this.#counter(table, known, name);
    if (keys === undefined || this.#isDone()) return count;
    return (record) => {
      count(record);
      const key = keys.keyOf(record);
      if (key === undefined || keys.isKnown(key)) return;
      const column = `${name}.${key}`;
      const value = keys.valueOf(record);
      if (!this.#named.has(column) && value !== undefined && value !== null && value !== '')
        this.#counts.count(column, value);
    };
  }

  #isDone(): boolean {
    return flagOf(this.#plan.settings.ignoreRest) === true || this.#plan.source.isOwnFormat === true;
  }

  #counter(table: TableHead, known: KnownColumns, path: string): (record: SourceRecord) => void {
    if (known === 'all' || this.#isDone()) return () => {};
    const prefix = path === '' ? '' : `${path}.`;
    const isTaken = (column: string) => this.#named.has(column) || known.has(column.slice(prefix.length));
    // Later statements of SQL may have columns that the first lacks, as records of JSON and LDIF do.
    const areFixed = !['json', 'ldif', 'sql'].includes(table.container) && table.columns.size > 0;
    if (areFixed && [...table.columns].every((column) => isTaken(prefix + column))) return () => {};
    return (record) => this.#counts.countAll(record, isTaken, path);
  }
}

/** The columns of a table of users of which the declaration says what they mean. */
export const knownColumns = ({ known }: Form, table: TableHead, settings: Settings): KnownColumns =>
  typeof known === 'function' ? known(table, settings) : known;

/** The columns for which `--active` has a rule. */
export function ruledColumns(settings: Settings): ReadonlySet<string> {
  const mapping = readMapping(settings);
  const rules = 'problem' in mapping ? [] : (mapping.active ?? []);
  return new Set(rules.map(({ column }) => column));
}

/** The columns of `--ignore`, `--keep`, `--active` and `--map`. */
function namedColumns(settings: Settings): ReadonlySet<string> {
  const mapping = readMapping(settings);
  const mapped = 'problem' in mapping ? [] : [...mapping.columns.values()].filter((name) => name !== null);
  return new Set([
    ...mapped,
    ...ruledColumns(settings),
    ...keptColumns(settings).values(),
    ...ignoredColumns(settings),
  ]);
}

/** A name as an item of `--keep` and `--ignore`. */
const listItem = (name: string) => (/[,="]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

/** The columns that the operator does not need (`--ignore`). */
export const ignoredColumns = ({ ignore }: Settings): readonly string[] => [
  ...keptColumns({ keep: ignore ?? '' }).values(),
];

/** Whether the operator must say who may sign in before the import. */
export const asksWhoMaySignIn = ({ forms, settings }: Pick<Plan, 'forms' | 'settings'>): boolean =>
  settings.active === undefined && forms.some((form) => form.asksWhoMaySignIn);

/** Stops until the operator has said who may sign in, and has named each column that nothing accounts for. */
export function adviceOnColumns(plan: Plan, counts: ColumnValues): Advice | undefined {
  const asks = asksWhoMaySignIn(plan);
  if (!asks && counts.size === 0) return undefined;
  const columns = counts.entries();
  const lines = columns
    .slice(0, MAX_SHOWN)
    .map(
      ([column, values]) =>
        `  ${shownName(column)}: ${shownWords(column, values)}, in ${values.records} records`,
    );
  const more = columns.length > MAX_SHOWN ? [`  and ${columns.length - MAX_SHOWN} more`] : [];
  const first = shellWord(listItem(shownName(columns[0]?.[0] ?? 'COLUMN')));
  const text = [
    ...(asks ? ACTIVE : []),
    ...(columns.length === 0
      ? []
      : [
          asks
            ? 'Columns without a use, of which one may say it:'
            : 'Nothing uses these columns, and one of them may say who must not sign in, so nobody is imported:',
          ...lines,
          ...more,
          ...(asks
            ? ['Name each of the others, too:']
            : [
                'Name each:',
                "  --active 'COLUMN=WORD,WORD' if it says who may sign in; with a comma at the end, also those who have none; or 'COLUMN is null', 'COLUMN < now'",
              ]),
          `  --keep ${first} to make it metadata, --ignore ${first} if it has no use`,
          '  --ignore-rest if all that are left have no use, after reading this list',
        ]),
  ].join('\n');
  return {
    level: 'stop',
    text,
    question: {
      code: asks ? 'WHO_MAY_SIGN_IN' : 'COLUMNS_UNUSED',
      flag: '--active',
      columns: columns.map(([column, { records, values }]) => ({
        column: shownName(column),
        records,
        values: shownWords(column, { records, values }),
      })),
    },
  };
}

const ACTIVE = [
  'Nothing shows who may sign in with this table, so nobody is imported. Say it:',
  "  --active 'status=active,trial' (the column has one of these words)",
  "  --active 'deleted_at is null', --active 'banned_until < now' (of several rules, all must hold)",
  '  --active everybody (if all of these users may sign in)',
];

/** Number of values that a question shows as examples. */
const MAX_EXAMPLES = 3;

/** Stops at values of flags and times that cannot be read: they would be lost, or count as no. */
export const adviceOnUnreadable = (
  plan: Plan,
  { unreadableFlags, unreadableTimes }: { unreadableFlags: ColumnValues; unreadableTimes: ColumnValues },
): readonly Advice[] => [
  ...unreadableAs(plan, unreadableFlags, {
    code: 'FLAGS_UNREADABLE',
    flag: '--true',
    what: 'yes or no',
    how: 'Name the words for yes, after which all others mean no: --true ja,oui',
    field: 'verified',
  }),
  ...unreadableAs(plan, unreadableTimes, {
    code: 'TIMES_UNREADABLE',
    flag: '--date-format',
    what: 'times',
    how: "Name their form: --date-format 'DD.MM.YYYY HH:mm', ms, s or excel",
    field: 'createdAt',
  }),
];

function unreadableAs(
  { source }: Plan,
  counts: ColumnValues,
  { code, flag, what, how, field }: Record<'code' | 'flag' | 'what' | 'how' | 'field', string>,
): Advice[] {
  if (counts.size === 0) return [];
  const isOwnTable = source.settings?.map !== undefined;
  const columns = counts.entries().map(([column, found]) => {
    const [first = column] = column.split('|');
    const values = found.values.size > MAX_VALUES ? examples(found.values) : shownValues(found.values);
    return { column: shownName(first), records: found.records, values };
  });
  const names = columns.map(({ column }) => listItem(column)).join(',');
  return [
    {
      level: 'stop',
      text: [
        `Values of these columns cannot be read as ${what}, so nobody is imported:`,
        ...columns.map(({ column, records, values }) => `  ${column}: ${values}, in ${records} records`),
        isOwnTable
          ? `${how}. Or do without the column: --map ${field}=`
          : `Export them in ISO 8601, or do without: --ignore ${shellWord(names)}`,
      ].join('\n'),
      question: { code, flag: isOwnTable ? flag : '--ignore', columns },
    },
  ];
}

const examples = (values: ReadonlyMap<string, number>) =>
  `${[...values.keys()].slice(0, MAX_EXAMPLES).map(shownCell).join(', ')}, …`;
