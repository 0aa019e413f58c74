import type { SourceRecord } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { timeOf } from '../fields/time.ts';
import { countIn } from './judge.ts';

/**
 * Times in a form that `timeOf` may not know: `01/15/2024 10:30:00`, `15-Jan-24`, `Mon Jan 15 10:30:00 2024
 * EST`, `2024-01-15 10:30:00 Europe/Berlin`.
 */
const LOOKS_LIKE_TIME = new RegExp(
  [
    /^\d\d?[/.-]\d\d?[/.-]\d{4}(?=$|[ T,])/,
    /^\d\d?[/.-]\d\d?[/.-]\d\d,? \d\d?:\d\d/,
    /^\d\d?[ -][A-Z][a-z]{2}[ -]\d{2,4}(?=$|[ T,])/,
    /^[A-Z][a-z]{2},? (?:[A-Z][a-z]{2} \d\d?|\d\d? [A-Z][a-z]{2}) .*\d\d:\d\d/,
    /^\d{4}-\d\d-\d\d[T ][\d:.,]{4,20} ?[A-Z][A-Za-z/_]{1,40}$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const MAX_CHARACTERS = 80;
/** Columns whose dates are metadata at most. */
const NOT_OF_ACCOUNT = /birth|dob/i;
/** Maximum number of columns to count. JSON objects may have any members. */
const MAX_NAMES = 20;

/**
 * Counts, by column, times in an unknown form, of users whose time of joining is unknown. The day and the
 * month of `01/02/2024` cannot be told apart, for example.
 */
export function countUnreadTimes(record: SourceRecord, counts: Map<string, number>): void {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'string' || value.length > MAX_CHARACTERS || NOT_OF_ACCOUNT.test(name)) continue;
    if (!LOOKS_LIKE_TIME.test(value) || timeOf(value) !== undefined) continue;
    const shown = shownName(name);
    if (counts.has(shown) || counts.size < MAX_NAMES) countIn(counts, shown);
  }
}
