import type { SourceRecord, TableHead } from '../containers/table.ts';
import { timeOfDigits } from '../fields/digits-time.ts';
import type { ReadState } from '../fields/read-state.ts';
import { shownCell } from '../fields/shown-name.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, textOf } from '../fields/values.ts';
import { type Column, columnOf } from './column.ts';
import type { ActiveRule, MappingProblem } from './mapping.ts';

/** Value of `--active` for tables in which everybody may sign in. */
const EVERYBODY = 'everybody';

const RULES: readonly [RegExp, (...parts: string[]) => ActiveRule['holds']][] = [
  [/^(.+?)\s+is\s+null$/i, () => (value) => isEmpty(value)],
  [/^(.+?)\s+is\s+not\s+null$/i, () => (value) => !isEmpty(value)],
  // An empty time is earlier than all others: without an end, nobody is banned, and nobody is permitted.
  [/^(.+?)\s*([<>])\s*now$/i, (sign) => (value, nowMs) => compare(value, sign === '<', nowMs)],
  [/^([^=]+)=(.*)$/, (words = '') => isOneOf(words.split(',').map((word) => word.trim()))],
];

/**
 * Parses values of `--active`, all of which must hold: `status=active,trial`, `deleted_at is null`,
 * `banned_until < now`, or `everybody` alone.
 */
export function parseActive(texts: readonly string[]): readonly ActiveRule[] | MappingProblem {
  if (texts.length === 1 && texts[0]?.trim().toLowerCase() === EVERYBODY) return [];
  const rules: ActiveRule[] = [];
  for (const text of texts) {
    const found = RULES.map(([shape, make]) => ({ match: shape.exec(text.trim()), make })).find(
      ({ match }) => match !== null,
    );
    const [, column = '', ...parts] = found?.match ?? [];
    if (found === undefined || column.trim() === '')
      return {
        problem: `--active ${text}: expected ${EVERYBODY}, or rules such as 'status=active,trial', 'deleted_at is null', 'banned_until < now'`,
      };
    rules.push({ column: column.trim().replace(/^"(.*)"$/s, '$1'), holds: found.make(...parts) });
  }
  return rules;
}

/** Reads whether a user may sign in. */
export function activeReader(
  table: TableHead,
  rules: readonly ActiveRule[],
): (record: SourceRecord, nowMs: number) => ReadState {
  const columns = rules.map((rule): [ActiveRule, Column] => [rule, columnOf(table, rule.column)]);
  return (record, nowMs) => {
    let state: ReadState;
    for (const [{ column, holds }, place] of columns) {
      const value = place.valueOf(record);
      const isActive = holds(value, nowMs);
      if (isActive === undefined)
        return { column, word: shownCell(textOf(value) ?? 'an object or a list'), isOfRule: true };
      if (!isActive) state = 'DISABLED';
    }
    return state;
  };
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && /^(?:NULL)?$/i.test(value.trim()));

/** `true`, `1`, `yes` and `t` are the same word, as databases write flags in several ways. */
function isOneOf(words: readonly string[]): ActiveRule['holds'] {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  const flags = new Set(words.flatMap((word) => (word === '' ? [] : (flagOf(word.toLowerCase()) ?? []))));
  return (value) => {
    if (isEmpty(value)) return wanted.has('');
    const text = typeof value === 'boolean' ? String(value) : textOf(value)?.trim().toLowerCase();
    if (text === undefined) return undefined;
    const flag = flagOf(text);
    return wanted.has(text) || (flag !== undefined && flags.has(flag));
  };
}

/** The last second of the year 9999, in seconds: the end of time for some systems. */
const END_OF_TIME_S = '253402300799';
/** Smaller numbers are no times since the epoch, but counts, flags, or days such as 20240115. */
const FIRST_SECONDS = 1e8;

function compare(value: unknown, isBefore: boolean, nowMs: number): boolean | undefined {
  const text = textOf(value)?.trim();
  if (isEmpty(value) || /^0000-00-00(?:[T ]00:00:00(?:\.0+)?Z?)?$/.test(text ?? '')) return isBefore;
  if (text === undefined) return undefined;
  const endless = /^(-?)infinity$/i.exec(text);
  if (endless !== null) return isBefore === (endless[1] === '-');
  if (text === END_OF_TIME_S) return !isBefore;
  const isSmall = /^[+-]?\d+(?:\.\d+)?$/.test(text) && Number(text) < FIRST_SECONDS;
  if (isSmall && (text.length !== 8 || timeOfDigits(text) === undefined)) return undefined;
  const timeMs = timeOf(text);
  return timeMs === undefined ? undefined : timeMs < nowMs === isBefore;
}
