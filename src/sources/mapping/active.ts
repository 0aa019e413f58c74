import type { SourceRecord, TableHead } from '../containers/table.ts';
import { shownCell } from '../fields/shown-name.ts';
import type { ReadState } from '../fields/states.ts';
import { endOf } from '../fields/time.ts';
import { textOf, wordOf } from '../fields/values.ts';
import { type Column, columnOf } from './column.ts';

/** Rule of `--active` that says which users of a table may sign in. */
export interface ActiveRule {
  column: string;
  /** Words in the column of users who may sign in, or must not, as the operator wrote them. An empty word means an empty cell. */
  words?: readonly string[];
  /** Returns whether a user with this value may sign in. Undefined if the value cannot be read. */
  holds(value: unknown, nowMs: number): boolean | undefined;
}

/** Value of `--active` for tables in which everybody may sign in. */
const EVERYBODY = 'everybody';

/** One word of a list. A word with commas must be in double quotes: `nsroledn="cn=staff,dc=example",`. */
const WORD = /\s*"[^"]*"\s*(?=,|$)|[^,]+|(?<=^|,)(?=,|$)/g;

type ReadTime = (value: unknown) => number | undefined;

const RULES: readonly [
  RegExp,
  (parts: readonly string[], readTime: ReadTime) => Omit<ActiveRule, 'column'>,
][] = [
  [/^(.+?)\s+is\s+null$/i, () => ({ holds: (value) => isEmpty(value) })],
  [/^(.+?)\s+is\s+not\s+null$/i, () => ({ holds: (value) => !isEmpty(value) })],
  // An empty time counts as earlier than now: an empty end of a ban is no ban, and of a permission, no permission.
  [
    /^(.+?)\s*([<>])\s*now$/i,
    ([sign], readTime) => ({ holds: (value, nowMs) => compare(value, sign === '<', { nowMs, readTime }) }),
  ],
  [
    /^("[^"]*"|[^=]+?)\s*!=(.*)$/,
    ([text]) => {
      const words = wordsIn(text);
      const isListed = isOneOf(words);
      const holds = (value: unknown) => {
        const found = isListed(value);
        return found === undefined ? undefined : !found;
      };
      return { holds, words };
    },
  ],
  [
    /^([^=]+)=(.*)$/,
    ([text]) => {
      const words = wordsIn(text);
      return { holds: isOneOf(words), words };
    },
  ],
];

const wordsIn = (text = '') =>
  [...text.matchAll(WORD)].map(([word]) => word.trim().replace(/^"(.*)"$/s, '$1'));

/**
 * Parses values of `--active`, all of which must hold: `status=active,trial`, `status!=closed`, `deleted_at is null`,
 * `banned_until < now`, or `everybody` alone.
 * @param readTime reads a time in ms since the epoch
 */
export function parseActive(
  texts: readonly string[],
  readTime: ReadTime,
): readonly ActiveRule[] | { problem: string } {
  if (texts.length === 1 && texts.every(isEverybody)) return [];
  const rules: ActiveRule[] = [];
  for (const text of texts) {
    const found = shapeOf(text);
    if (found === undefined)
      return {
        problem: `--active ${text}: expected ${EVERYBODY}, or rules such as 'status=active,trial', 'status!=closed', 'deleted_at is null', 'banned_until < now'`,
      };
    rules.push({ column: found.column, ...found.make(found.parts, readTime) });
  }
  return rules;
}

function shapeOf(text: string) {
  const found = RULES.map(([shape, make]) => ({ match: shape.exec(text.trim()), make })).find(
    ({ match }) => match !== null,
  );
  const [, name = '', ...parts] = found?.match ?? [];
  const column = name.trim().replace(/^"(.*)"$/s, '$1');
  return found === undefined || name.trim() === '' ? undefined : { column, parts, make: found.make };
}

const isEverybody = (text: string) => text.trim().toLowerCase() === EVERYBODY;

/**
 * Adds rules of `--active` to other rules, and replaces the other rules about the same columns. `everybody` is not a
 * rule, so it replaces none.
 */
export function withRules(others: readonly string[], added: readonly string[]): readonly string[] {
  const replaced = new Set(added.flatMap((text): (string | undefined)[] => [shapeOf(text)?.column]));
  replaced.delete(undefined);
  const all = [...others.filter((text) => !replaced.has(shapeOf(text)?.column)), ...added];
  const rules = all.filter((text) => !isEverybody(text));
  return rules.length > 0 ? rules : all.slice(-1);
}

/** Makes a function that reads from a record whether the user may sign in. All rules must hold. */
export function activeReader(
  table: TableHead,
  rules: readonly ActiveRule[],
): (record: SourceRecord, nowMs: number) => ReadState {
  const columns = rules.map((rule): [ActiveRule, Column] => [rule, columnOf(table, rule.column)]);
  return (record, nowMs) => {
    let state: ReadState;
    for (const [{ column, holds }, place] of columns) {
      const value = onlyValue(place.valueOf(record));
      const isActive = holds(value, nowMs);
      if (isActive === undefined)
        return { column, word: shownCell(textOf(value) ?? 'an object or a list'), isOfRule: true };
      if (!isActive) state = 'DISABLED';
    }
    return state;
  };
}

/** Returns the only value of a list with one value, as attributes of Keycloak and LDAP are. */
export const onlyValue = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? value[0] : value;

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && /^(?:NULL)?$/i.test(value.trim()));

/** Spellings of one flag in databases and languages. `N` and `F` are not one flag: they may be words for two states. */
const SPELLINGS = [
  ['true', 't', '1'],
  ['false', 'f', '0'],
  ['yes', 'y'],
  ['no', 'n'],
];

export const spellingsOf = (word: string): readonly string[] =>
  SPELLINGS.find((one) => one.includes(word.toLowerCase())) ?? [word.toLowerCase()];

/** Returns whether a value is one of the words. `true`, `t` and `1` are the same word, because databases write flags in several ways. */
function isOneOf(words: readonly string[]): (value: unknown) => boolean | undefined {
  const wanted = new Set(words.flatMap(spellingsOf));
  return (value) => {
    if (isEmpty(value)) return wanted.has('');
    const text = wordOf(value)?.trim().toLowerCase();
    if (text === undefined) return undefined;
    return wanted.has(text);
  };
}

function compare(
  value: unknown,
  isBefore: boolean,
  { nowMs, readTime }: { nowMs: number; readTime: ReadTime },
): boolean | undefined {
  const text = textOf(value)?.trim();
  if (isEmpty(value) || /^0000-00-00(?:[T ]00:00:00(?:\.0+)?Z?)?$/.test(text ?? '')) return isBefore;
  if (text === undefined) return undefined;
  const timeMs = endOf(text, readTime);
  return timeMs === undefined ? undefined : timeMs < nowMs === isBefore;
}
