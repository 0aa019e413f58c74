import type { SourceRecord } from '../containers/table.ts';
import type { UserState } from '../source-user.ts';
import { flagOf, isSet, textOf } from './values.ts';

/** `banned`, `is_banned`, `isBanned`; with `at` also `banned_at` and `bannedAt`. */
const spellings = (words: readonly string[], { at = false } = {}) =>
  words.flatMap((word) => {
    const capital = word.charAt(0).toUpperCase() + word.slice(1);
    return [word, `is_${word}`, `is${capital}`, ...(at ? [`${word}_at`, `${word}At`] : [])];
  });

const DELETED = spellings(['deleted'], { at: true });
const OUT = spellings(['disabled', 'deactivated', 'banned', 'blocked', 'suspended', 'archived'], {
  at: true,
});
const IN = spellings(['active', 'enabled', 'approved']);
const STATUS = ['status', 'account_status', 'accountStatus', 'user_status', 'userStatus'];
const IN_WORDS = new Set(['active', 'enabled', 'approved', 'confirmed', 'verified']);

/**
 * The state of a user whose columns are the application's own, by the names that are common. Fails closed: what stands in such a column
 * and is not understood disables the user.
 */
export function stateOfColumns(record: SourceRecord): UserState | undefined {
  if (DELETED.some((name) => says(record[name]))) return 'DELETED';
  if (OUT.some((name) => says(record[name]))) return 'DISABLED';
  if (IN.some((name) => record[name] !== undefined && flagOf(record[name]) !== true)) return 'DISABLED';
  return STATUS.some((name) => record[name] !== undefined && !isInWord(record[name]))
    ? 'DISABLED'
    : undefined;
}

/** Is it yes, a time, or anything else but no and nothing? */
const says = (value: unknown): boolean => {
  const flag = flagOf(value);
  return (
    flag ?? (isSet(value) || (typeof value === 'object' && value !== null && textOf(value) === undefined))
  );
};

const isInWord = (value: unknown) => IN_WORDS.has(textOf(value)?.trim().toLowerCase() ?? '');
