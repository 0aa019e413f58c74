import type { Settings } from '../source.ts';
import type { UnknownState, UserState } from '../source-user.ts';
import { shownCell } from './shown-name.ts';
import { type StateColumn, stateColumnNamed } from './state-columns.ts';
import { bareWord, type StateWord, stateWordOf } from './state-words.ts';
import { timeOf } from './time.ts';
import { flagOf, textOf } from './values.ts';

/** Before a word in `--set`: what it says of an account, `state.gold=active`. */
export const STATE_SETTING = 'state.';
/** What `--set state.WORD=` takes. */
export const STATE_MEANINGS: Readonly<Record<string, StateWord>> = {
  active: 'ACTIVE',
  disabled: 'DISABLED',
  deleted: 'DELETED',
};
/** How `--set` names a cell with nothing in it, and a time where none is expected. */
const EMPTY = 'empty';
const TIME = 'time';
/** Stands for words that must not be shown: long ones, addresses and secrets. The operator can type it. */
export const NOT_SHOWN = 'not-shown';

const shownWord = (text: string): string => (shownCell(text) === text ? text : NOT_SHOWN);

/** Returns what the operator says that a word means. */
const meaningOf = (words: ReadonlyMap<string, StateWord>, text: string): StateWord | undefined =>
  words.get(bareWord(text)) ??
  (words.has(bareWord(NOT_SHOWN)) && shownWord(text) === NOT_SHOWN
    ? words.get(bareWord(NOT_SHOWN))
    : undefined);

export interface StateContext {
  settings: Settings;
  /** ms since the epoch: for bans that are over. */
  nowMs: number;
  /** Words for yes and no besides the usual ones, lower case. */
  booleans?: ReadonlyMap<string, boolean>;
}

/** What a cell says of an account. Undefined: the user may sign in. */
export type ReadState = UserState | UnknownState | undefined;

/** Numbers below are no times, but those of some state. */
const FIRST_TIME = 1e8;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
/** A word for yes in such a column may be of the ban, not of the user. */
const OF_BANS =
  /ban|block|suspen|lock|disab|delet|archiv|restrict|fr[eo]+z|revo|remov|trash|terminat|purg|discard|inactiv|expir|eras|clos|cancel|prohibit|spam|reject/i;
const FURTHER_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
  ['1.0', true],
  ['0.0', false],
]);

/** What a cell of a column of states says. A word that is not understood lets nobody in. */
export function readState(value: unknown, column: StateColumn, context: StateContext): ReadState {
  const { kind } = column;
  const said = wordsOf(context.settings);
  const text = typeof value === 'boolean' ? String(value) : textOf(value)?.trim();
  if (isNothing(value, text)) {
    if (kind !== 'active') return undefined;
    return stateOf(column.time === 'since' ? 'DISABLED' : said.get(EMPTY), column, EMPTY);
  }
  if (text === undefined) {
    const shape = Array.isArray(value) ? 'a-list' : 'an-object';
    return stateOf(said.get(bareWord(shape)), column, shape);
  }
  // A flag and a time mean what the column says: the operator's word for another column, such as state.1, must not change it.
  const flag = readFlag(text, column, context);
  if (flag !== undefined)
    return stateOf(flag === (kind === 'active') ? 'ACTIVE' : outOf(column), column, text);
  const word = meaningOf(said, text);
  if (word !== undefined) return stateOf(word, column, text);
  const timeMs = readTime(text, column);
  if (timeMs === undefined) return stateOf(wordIn(column, text), column, text);
  return stateOf(atTime(timeMs, column, context.nowMs) ?? said.get(TIME), column, TIME);
}

/** The gravest of what several columns say: whoever is deleted is not let in by --include-disabled, nor is one of unknown state. */
export function gravestState(states: readonly ReadState[]): ReadState {
  return (
    states.find((state) => state === 'DELETED') ??
    states.find((state) => typeof state === 'object') ??
    states.find((state) => state !== undefined)
  );
}

/**
 * What a flag of a known system says.
 * @param disabledBy the value by which a user must not sign in
 */
export function stateOfFlag(
  column: string,
  value: unknown,
  disabledBy: boolean,
  settings: Settings,
): ReadState {
  // Most users.
  if (value === !disabledBy) return undefined;
  const kind = disabledBy ? 'disabled' : 'active';
  // Systems leave out what is as usual. An empty cell of CSV is no for them.
  if (value === '' && !disabledBy) return 'DISABLED';
  if (isNothing(value, typeof value === 'boolean' ? String(value) : textOf(value))) return undefined;
  return readState(value, { name: column, kind }, { settings, nowMs: 0 });
}

/**
 * What a word of a known system says.
 * @param words all that the system writes, lower case
 */
export function stateOfWord(
  column: string,
  value: unknown,
  words: Readonly<Record<string, UserState | 'ACTIVE'>>,
  settings: Settings,
): ReadState {
  const text = value === '' ? EMPTY : textOf(value);
  if (text === undefined) return undefined;
  const word = text.toLowerCase();
  const state = meaningOf(wordsOf(settings), text) ?? (Object.hasOwn(words, word) ? words[word] : undefined);
  if (state === undefined) return { column, word: shownWord(text) };
  return state === 'ACTIVE' ? undefined : state;
}

const stateOf = (
  state: StateWord | undefined,
  { name, mayBeAddress }: StateColumn,
  text: string,
): ReadState => {
  if (state === undefined) return mayBeAddress ? undefined : { column: name, word: shownWord(text) };
  return state === 'ACTIVE' ? undefined : state;
};

const outOf = ({ kind }: StateColumn): StateWord => (kind === 'deleted' ? 'DELETED' : 'DISABLED');

function isNothing(value: unknown, text: string | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return (
    text !== undefined && (text === '' || text.toUpperCase() === 'NULL' || text.startsWith('0000-00-00'))
  );
}

function readFlag(text: string, column: StateColumn, { booleans }: StateContext): boolean | undefined {
  const word = text.toLowerCase();
  const own = booleans?.get(word);
  if (own !== undefined) return own;
  if (column.isGuessedStatus && NUMBER.test(text)) return undefined;
  return flagOf(word) ?? FURTHER_FLAGS.get(word);
}

/** The last second of the year 9999, which means for ever. */
const LAST_SECOND = 253_402_300_799;

function readTime(text: string, { time }: StateColumn): number | undefined {
  if (/^infinity$/i.test(text)) return Number.POSITIVE_INFINITY;
  // Elsewhere such numbers are milliseconds or microseconds of the 1970s, in which no ban ends.
  if (time === 'until' && /^\d{12,15}$/.test(text)) {
    const count = Number(text);
    if (count <= LAST_SECOND) return count * 1000;
    if (count >= LAST_SECOND * 10) return count;
  }
  return NUMBER.test(text) && Number(text) < FIRST_TIME ? undefined : timeOf(text);
}

function atTime(timeMs: number, column: StateColumn, nowMs: number): StateWord | undefined {
  const { kind, time } = column;
  if (kind !== 'active') return time === 'until' && timeMs <= nowMs ? 'ACTIVE' : outOf(column);
  if (time === undefined) return undefined;
  return timeMs > nowMs === (time === 'until') ? 'ACTIVE' : 'DISABLED';
}

function wordIn(column: StateColumn, text: string): StateWord | undefined {
  const word = stateWordOf(text);
  return word === 'ACTIVE' && column.kind !== 'active' && isOfBan(column.name) ? undefined : word;
}

const isOfBan = (name: string) =>
  OF_BANS.test(name) || (stateColumnNamed(name)?.kind ?? 'active') !== 'active';

const saidBy = new WeakMap<Settings, ReadonlyMap<string, StateWord>>();

/** What the operator says that words mean. */
function wordsOf(settings: Settings): ReadonlyMap<string, StateWord> {
  const found = saidBy.get(settings);
  if (found !== undefined) return found;
  const words = new Map<string, StateWord>();
  for (const [name, meaning] of Object.entries(settings)) {
    const state = STATE_MEANINGS[meaning];
    if (name.startsWith(STATE_SETTING) && state !== undefined)
      words.set(bareWord(name.slice(STATE_SETTING.length)), state);
  }
  saidBy.set(settings, words);
  return words;
}
