import { nearestNames } from '../../lib/text/nearest-names.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { onlyValue, spellingsOf } from '../mapping/active.ts';
import { columnOf } from '../mapping/column.ts';
import { keptColumns } from '../mapping/keep-columns.ts';
import type { ActiveRule } from '../mapping/mapping.ts';
import { readMapping } from '../mapping/read-mapping.ts';
import type { Advice, Form, Settings } from '../source.ts';
import { ignoredColumns } from './account.ts';
import { ColumnValues, MAX_VALUES, shownValues } from './column-values.ts';
import type { Plan } from './plan.ts';

const MAX_SHOWN = 50;

/** Columns and words that the operator or the system's declaration names, and that no user has. */
export class Absences {
  /** Columns of `--active` and `--keep`. */
  readonly columns = new Set<string>();
  /** Words of the rules of `--active`, by column. */
  readonly words = new Map<string, Set<string>>();
  /** Values of the columns of these rules. */
  readonly values = new ColumnValues();
  /** Columns by which the system says who may sign in, by the table that lacks them. */
  readonly states = new Map<TableHead, Set<string>>();

  clear(): void {
    for (const one of [this.columns, this.words, this.values, this.states]) one.clear();
  }
}

/**
 * Finds columns and words that the operator has named and that no user has. A rule about such a column would hold for
 * everybody, or for nobody, and one with a mistyped word would shut out everybody whom it should let in. The first
 * records of JSON do not show it.
 */
export class AbsentColumns {
  readonly #names: readonly string[];
  readonly #rules: readonly ActiveRule[];
  readonly #ignored: ReadonlySet<string>;
  readonly #found: Absences;
  #hasRecords = false;

  /** @param found becomes what no record has had so far */
  constructor(settings: Settings, found: Absences) {
    const mapping = readMapping(settings);
    const rules = 'problem' in mapping ? [] : (mapping.active ?? []);
    // Of a flag, all users may have the other value.
    this.#rules = rules.filter(({ words }) => words?.every((word) => flagOf(word) === undefined));
    this.#names = [...rules.map(({ column }) => column), ...keptColumns(settings).values()];
    this.#ignored = new Set(ignoredColumns(settings));
    this.#found = found;
  }

  /** Looks for the columns by which the system says who may sign in. */
  noteStates(table: TableHead, form: Form, record: SourceRecord): void {
    const { states } = this.#found;
    let left = states.get(table);
    if (left === undefined) {
      const columns = form.stateColumns?.(table) ?? [];
      left = new Set(columns.filter((one) => !one.split('|').some((name) => this.#ignored.has(name))));
      states.set(table, left);
    }
    for (const column of left)
      if (column.split('|').some((name) => Object.hasOwn(record, name))) left.delete(column);
  }

  note(table: TableHead, record: SourceRecord): void {
    const { columns, words } = this.#found;
    if (!this.#hasRecords) {
      for (const name of this.#names) columns.add(name);
      for (const rule of this.#rules)
        words.set(rule.column, new Set(rule.words?.filter((word) => word !== '')));
    }
    this.#hasRecords = true;
    for (const name of columns) if (columnOf(table, name).valueOf(record) !== undefined) columns.delete(name);
    for (const { column } of this.#rules)
      this.#noteWord(column, onlyValue(columnOf(table, column).valueOf(record)));
  }

  #noteWord(column: string, value: unknown): void {
    const left = this.#found.words.get(column);
    if (left === undefined || left.size === 0 || value === undefined || value === null || value === '')
      return;
    this.#found.values.count(column, value);
    const text = (typeof value === 'boolean' ? String(value) : (textOf(value) ?? '')).trim().toLowerCase();
    // Not every word must occur in each export, but one of them.
    if ([...left].some((word) => spellingsOf(word).includes(text))) left.clear();
  }
}

/** Stops at columns and words that the operator has named and no user has, and at state columns that a table lacks. */
export function adviceOnAbsent(plan: Plan, { columns, words, values, states }: Absences): Advice[] {
  const advice: Advice[] = [];
  const absent = new Set([...states.values()].flatMap((left) => [...left]));
  if (absent.size > 0) advice.push(absentStates(plan, absent));
  if (columns.size > 0) advice.push(absentColumns(plan, columns));
  for (const [column, left] of words) {
    if (left.size === 0 || columns.has(column)) continue;
    const found = values.entries().find(([name]) => name === column)?.[1];
    const few =
      found !== undefined && found.values.size <= MAX_VALUES ? ` It has ${shownValues(found.values)}.` : '';
    advice.push({
      level: 'stop',
      text: `--active ${shownName(column)}: no user has ${[...left].map(shownName).join(', ')} there.${few}`,
      question: { code: 'WORDS_ABSENT', flag: '--active' },
    });
  }
  return advice;
}

function absentStates({ source }: Plan, absent: ReadonlySet<string>): Advice {
  const names = [...absent].map((column) => column.split('|', 1)[0] ?? column);
  return {
    level: 'stop',
    text: [
      `${source.title} says in these columns who must not sign in, and the export lacks them, so nobody is imported: ${names.map(shownName).join(', ')}.`,
      `Export them, too. If they would leave nobody out: --ignore ${shellWord(names.join(','))}`,
    ].join('\n'),
    question: {
      code: 'STATE_COLUMNS_ABSENT',
      flag: '--ignore',
      columns: names.map((column) => ({ column, records: 0, values: '' })),
    },
  };
}

function absentColumns({ surveys, uses }: Plan, absent: ReadonlySet<string>): Advice {
  const tables = surveys.flatMap((survey, index) =>
    survey.tables.filter(({ name }) => uses[index]?.get(name)?.as === 'users'),
  );
  const names = [...new Set(tables.flatMap((table) => [...table.columns]))];
  const near = nearestNames(names, 0.5);
  const listed = [...absent].map((name) => {
    const [nearest] = near(name);
    return `${shownName(name)}${nearest === undefined ? '' : ` (did you mean ${shownName(nearest)}?)`}`;
  });
  const shown = names.slice(0, MAX_SHOWN).map(shownName).join(', ');
  return {
    level: 'stop',
    text: `--active or --keep names columns that no user has: ${listed.join(', ')}. The users have ${shown}${names.length > MAX_SHOWN ? ', …' : ''}.`,
    question: { code: 'COLUMNS_ABSENT', flag: '--active, --keep' },
  };
}
