import type { SourceRecord, TableHead } from '../containers/table.ts';
import type { Settings } from '../source.ts';
import { gravestState, type ReadState, readState, type StateContext } from './read-state.ts';
import { type StateColumn, stateColumnNamed, stateColumnsAmong } from './state-columns.ts';

/** Option of systems whose tables of users may have columns that an app has added. */
export const NO_STATE = {
  noState: 'columns that do not decide who may sign in, although their names suggest it: status,state',
};

/** Columns that the operator does not want to be read as user states. */
export const noStateOf = ({ noState = '' }: Settings): ReadonlySet<string> =>
  new Set(noState.split(',').map((name) => name.trim()));

/** Reads states of a user from members of a JSON record that the first records of the file lack. */
export function laterStates(
  record: SourceRecord,
  known: ReadonlySet<string>,
  { isState, ...context }: StateContext & { isState(column: StateColumn): boolean },
): ReadState[] {
  const names = Object.keys(record);
  if (!names.some((name) => !known.has(name) && stateColumnNamed(name) !== undefined)) return [];
  return stateColumnsAmong(names)
    .filter((column) => !known.has(column.name) && isState(column))
    .map((column) => readState(record[column.name], column, context));
}

const ownColumns = (table: TableHead, ignored: ReadonlySet<string>) =>
  stateColumnsAmong(table.columns).filter(({ name }) => !ignored.has(name));

/**
 * Makes a reader of the account state in columns that an app added to a table of a known system.
 * @param own columns that the system's source interprets itself
 */
export function ownStateReader(
  table: TableHead,
  own: readonly string[],
  context: StateContext,
): (record: SourceRecord) => ReadState {
  const ignored = new Set([...own, ...noStateOf(context.settings)]);
  const isState = ({ name }: StateColumn) => !ignored.has(name);
  const columns = ownColumns(table, ignored);
  const known = table.container === 'json' ? table.columns : undefined;
  return (record) => {
    const states = columns.map((column) => readState(record[column.name], column, context));
    return gravestState(
      known === undefined ? states : [...states, ...laterStates(record, known, { ...context, isState })],
    );
  };
}
