import type { SourceRecord } from '../containers/table.ts';
import type { UnknownState, UserState } from '../source-user.ts';
import { MAX_CELL, shownCell } from './shown-name.ts';
import { endOf } from './time.ts';
import { flagOf, wordOf } from './values.ts';

/** State of a user as read from one or more cells. Undefined means that the user may sign in. */
export type ReadState = UserState | UnknownState | undefined;

/**
 * What a column says about who may sign in.
 * - `active`: a flag. An empty cell means no; a time means yes.
 * - `disabled`, `deleted`, `anonymous`: a flag, or a time since when. An empty cell means no.
 * - `disabled until`: the end of a ban, or a flag. An end in the past means no.
 * - `banned until`: the end of a ban. An empty cell or 0 means that it has no end.
 * - `active until`: the day on which the account ends. An empty cell or 0 means never.
 * - an object: the state for each word of the column, in lower case; `''` stands for an empty cell.
 */
export type Meaning = keyof typeof STATES | Readonly<Record<string, UserState | 'ACTIVE'>>;

const WORD_STATES = ['ACTIVE', 'ANONYMOUS', 'DELETED', 'DISABLED', 'SERVICE_ACCOUNT'] as const;

/** Makes a meaning from the words for each state: `{ ACTIVE: 'active trial', DISABLED: 'banned' }`. */
export const byWord = (words: Partial<Record<(typeof WORD_STATES)[number], string>>) =>
  Object.fromEntries(
    WORD_STATES.flatMap((state) => (words[state]?.split(/\s+/) ?? []).map((word) => [word, state] as const)),
  );

/** Meanings of the columns that say who may sign in, by column name. */
export type StateColumns = Readonly<Record<string, Meaning>>;

export interface StateContext {
  /** Time of the import in ms since the epoch, which decides whether a ban is over. */
  nowMs: number;
  /** Columns for which the operator has given a rule (`--active`). The rule decides about words that are not known. */
  ruled: ReadonlySet<string>;
}

const STATES = {
  active: 'DISABLED',
  disabled: 'DISABLED',
  deleted: 'DELETED',
  anonymous: 'ANONYMOUS',
  'disabled until': 'DISABLED',
  'banned until': 'DISABLED',
  'active until': 'DISABLED',
} as const;

/** Dates that mean "none": MySQL's zero date, and the zero value of .NET and Go. */
const NO_DATE = /^(?:0000-00-00|0001-01-01)/;

/** Returns the state that a column says a user has. */
export function stateOf(column: string, value: unknown, meaning: Meaning, context: StateContext): ReadState {
  const state = stateBy(column, value, meaning, context.nowMs);
  return typeof state === 'object' && context.ruled.has(column) ? undefined : state;
}

function stateBy(column: string, value: unknown, meaning: Meaning, nowMs: number): ReadState {
  // A missing column is not an error: records of JSON leave out members, and older versions of a system lack columns.
  if (value === undefined) return meaning === 'banned until' ? 'DISABLED' : undefined;
  const text = wordOf(value)?.trim();
  if (typeof meaning === 'object') return stateOfWord(column, isNothing(value, text) ? '' : text, meaning);
  if (isNothing(value, text))
    return meaning === 'active' || meaning === 'banned until' ? 'DISABLED' : undefined;
  if (text === undefined) return unknown(column, text);
  const out = STATES[meaning];
  const flag = flagOf(text);
  if (meaning === 'active until' && flag !== undefined) return flag ? unknown(column, text) : undefined;
  if (flag !== undefined)
    return meaning !== 'banned until' && flag === (meaning === 'active') ? undefined : out;
  const timeMs = endOf(text);
  if (timeMs === undefined) return unknown(column, text);
  if (meaning === 'active until') return timeMs <= nowMs ? 'DISABLED' : undefined;
  const isEnd = meaning === 'disabled until' || meaning === 'banned until';
  if (meaning === 'active' || (isEnd && timeMs <= nowMs)) return undefined;
  return out;
}

/** A state column of a table. */
export interface StateColumn {
  name: string;
  /** Name in messages: `userban.liftdate`. */
  label: string;
  meaning: Meaning;
  /** A record that lacks the column is read as if its cell were empty. */
  isRequired: boolean;
}

/** Returns the gravest state that a state column of a record says. */
export function stateIn(
  record: SourceRecord,
  columns: readonly StateColumn[],
  context: StateContext,
): ReadState {
  return gravestState(
    columns.map(({ name, label, meaning, isRequired }) => {
      const value = record[name];
      return stateOf(label, value === undefined && isRequired ? null : value, meaning, context);
    }),
  );
}

/**
 * Returns the gravest of several states of a user. Otherwise, `--disabled include` would import disabled users who
 * are also deleted, guests or service accounts, or in a state that is not known.
 */
export function gravestState(states: readonly ReadState[]): ReadState {
  return (
    states.find((state) => state === 'DELETED') ??
    states.find((state) => typeof state === 'object') ??
    states.find((state) => state !== undefined && state !== 'DISABLED') ??
    states.find((state) => state !== undefined)
  );
}

function stateOfWord(
  column: string,
  text: string | undefined,
  words: Readonly<Record<string, UserState | 'ACTIVE'>>,
): ReadState {
  const word = text?.toLowerCase();
  const state = word !== undefined && Object.hasOwn(words, word) ? words[word] : undefined;
  if (state === undefined) return unknown(column, word === '' ? '(empty)' : text);
  return state === 'ACTIVE' ? undefined : state;
}

/** Returns an unknown state. Its word is hidden if it is long, or may be an address or a secret. */
const unknown = (column: string, text: string | undefined): UnknownState => ({
  column,
  word: text === undefined ? 'an object or a list' : shownCell(text.slice(0, MAX_CELL + 1)),
});

function isNothing(value: unknown, text: string | undefined): boolean {
  if (value === null || value === '') return true;
  return text !== undefined && (text === '' || text === 'NULL' || NO_DATE.test(text));
}
