import type { Settings } from '../source.ts';
import type { UnknownState, UserState } from '../source-user.ts';
import { shownCell } from './shown-name.ts';
import { type StateColumn, stateColumnNamed } from './state-columns.ts';
import { bareWord, type StateWord, stateWordOf } from './state-words.ts';
import { timeOf } from './time.ts';
import { flagOf, textOf } from './values.ts';

/** Prefix of the option that gives a word in a state column its meaning: `--set state.gold=active`. */
export const STATE_SETTING = 'state.';
export const STATE_MEANINGS: Readonly<Record<string, StateWord>> = {
  active: 'ACTIVE',
  disabled: 'DISABLED',
  deleted: 'DELETED',
};
/** `--set state.empty`: an empty cell. `state.time`: a time in a column that should not hold times. */
const EMPTY = 'empty';
const TIME = 'time';
/** `--set state.not-shown`: all values that messages must not show (long ones, addresses, secrets). */
export const NOT_SHOWN = 'not-shown';

const shownWord = (text: string): string => (shownCell(text) === text ? text : NOT_SHOWN);

const meaningOf = (words: ReadonlyMap<string, StateWord>, text: string): StateWord | undefined =>
  words.get(bareWord(text)) ??
  (words.has(bareWord(NOT_SHOWN)) && shownWord(text) === NOT_SHOWN
    ? words.get(bareWord(NOT_SHOWN))
    : undefined);

export interface StateContext {
  settings: Settings;
  /** Time of the import in ms since the epoch. Decides whether a ban is over. */
  nowMs: number;
  /** Further words for yes and no, in lower case, which the operator has named. */
  booleans?: ReadonlyMap<string, boolean>;
}

/** State of a user by a cell. Undefined means that the user may sign in. */
export type ReadState = UserState | UnknownState | undefined;

/** Smallest number that is a time. Smaller numbers are codes of states. */
const FIRST_TIME = 1e8;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
/** State columns about bans. There, a word like "active" may describe the ban and not the user. */
const OF_BANS =
  /ban|block|suspen|lock|disab|delet|archiv|restrict|fr[eo]+z|revo|remov|trash|terminat|purg|discard|inactiv|expir|eras|clos|cancel|prohibit|spam|reject/i;
const FURTHER_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
  ['1.0', true],
  ['0.0', false],
]);

/** Reads the state of a user from a cell. A user with an unknown word must not sign in. */
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
  // The column alone decides whether a flag or a time means that the user is active. An option for words of
  // another column, such as `state.1`, must not change that.
  const flag = readFlag(text, column, context);
  if (flag !== undefined)
    return stateOf(flag === (kind === 'active') ? 'ACTIVE' : outOf(column), column, text);
  const word = meaningOf(said, text);
  if (word !== undefined) return stateOf(word, column, text);
  const timeMs = readTime(text, column);
  if (timeMs === undefined) return stateOf(wordIn(column, text), column, text);
  return stateOf(atTime(timeMs, column, context.nowMs) ?? said.get(TIME), column, TIME);
}

/**
 * Returns the gravest of several states of a user. Otherwise, --include-disabled would import disabled users
 * who are also deleted or in an unknown state.
 */
export function gravestState(states: readonly ReadState[]): ReadState {
  return (
    states.find((state) => state === 'DELETED') ??
    states.find((state) => typeof state === 'object') ??
    states.find((state) => state !== undefined)
  );
}

/**
 * Reads the state from a flag whose column the system's source knows.
 * @param disabledBy value of the flag for users who must not sign in
 */
export function stateOfFlag(
  column: string,
  value: unknown,
  disabledBy: boolean,
  settings: Settings,
): ReadState {
  // Most users are active, so their value is compared first.
  if (value === !disabledBy) return undefined;
  const kind = disabledBy ? 'disabled' : 'active';
  // Systems omit the usual value of a flag, so an empty cell of CSV means false.
  if (value === '' && !disabledBy) return 'DISABLED';
  if (isNothing(value, typeof value === 'boolean' ? String(value) : textOf(value))) return undefined;
  return readState(value, { name: column, kind }, { settings, nowMs: 0 });
}

/**
 * Reads the state from a word whose column the system's source knows.
 * @param words all words of the system, in lower case
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

/** The last second of the year 9999, by which systems mark bans without an end. */
const LAST_SECOND = 253_402_300_799;

function readTime(text: string, { time }: StateColumn): number | undefined {
  if (/^infinity$/i.test(text)) return Number.POSITIVE_INFINITY;
  // 12 to 15 digits may be the end of a ban: seconds up to the year 9999, or milliseconds. In other columns,
  // such numbers are milliseconds or microseconds in the 1970s, when no ban ended.
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
