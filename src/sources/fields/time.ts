import { textOf } from './values.ts';

/** Smallest number that is read as a time in seconds. Smaller ones are counts, codes, Excel's days, or 20240115. */
const FIRST_SECONDS = 1e8;
/** Smallest number that is read as a time in ms. Smaller ones are seconds: many bans end in the year 9999. */
const FIRST_MS = 253_402_300_800;
/** Largest number that is read as a time in ms: the end of the year 9999. Larger ones have another unit. */
const LAST_MS = 253_402_300_799_999;
const NUMBER = /^(\d{1,19})(?:\.(\d+))?$/;
/** Times of MediaWiki: `20240115103000`. */
const CALENDAR_DIGITS = 14;
/** JSON of older .NET: `/Date(1705314600123+0100)/`. The zone does not affect the time. */
const DATE_CALL = /^\\?\/Date\((\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;

const CLOCK = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.(?<fraction>\d+))?`;
const OFFSET = String.raw`(?<hours>[+-]\d\d):?(?<minutes>\d\d)?`;
/** Text after the day and the name of the month. The year is either before or after the time of day. */
const AFTER_NAME = String.raw`(?:(?<year>\d{4}) )?${CLOCK}(?: (?:GMT|UTC|Z)?(?:${OFFSET})?(?: \([^()]*\))?)?(?: ?(?<after>\d{4}))?(?: (?:UTC|GMT))?`;

/** Formats of times, the most frequent first. */
const FORMS = [
  // ISO 8601 and variants of databases: a blank for the T, any fraction, `+00`, `+0000`, `Z`, no zone. With slashes
  // (`2024/01/15`), the month comes second, too, because no country writes year, day, month.
  String.raw`(?<year>\d{4})(?<sign>[-/])(?<month>\d\d)\k<sign>(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)? ?(?:Z|UTC|${OFFSET}(?::?\d\d)?)?`,
  // LDAP's generalized time, or the basic form of ISO 8601: `20240115103000.123Z`, `20240115T1030+0100`.
  String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T?(?<hour>\d\d)(?<minute>\d\d)(?:(?<second>\d\d)(?:(?:[.,]|(?=\d{3}\D))(?<fraction>\d+))?)?(?:Z|${OFFSET})`,
  // The basic form of ISO 8601 without a zone. Only its T distinguishes it from a number.
  String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?:(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?`,
  // A day with dots, also PostgreSQL's `DateStyle = German`. The day always comes first.
  String.raw`(?<day>\d\d)\.(?<month>\d\d)\.(?<year>\d{4})(?: ${CLOCK}(?: (?:UTC|GMT))?)?`,
  // Unix, C, JavaScript and PostgreSQL: `Mon Jan 15 10:30:00 UTC 2024`, `Mon Jan 15 2024 10:30:00 GMT+0100 (CET)`.
  String.raw`(?:[A-Z][a-z]{2},? )?(?<name>[A-Z][a-z]{2}) {1,2}(?<day>\d\d?),? ${AFTER_NAME}`,
  // RFC 1123, and PostgreSQL: `Mon, 15 Jan 2024 10:30:00 GMT`, `Mon 15 Jan 10:30:00.123 2024 UTC`.
  String.raw`(?:[A-Z][a-z]{2},? )?(?<day>\d\d?) (?<name>[A-Z][a-z]{2}) ${AFTER_NAME}`,
].map((form) => new RegExp(`^${form}$`, 'i'));

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Parses a time of an export to ms since the epoch, truncated. A time without a zone is UTC. Returns undefined for
 * values that are empty, without a date (`0000-00-00 00:00:00`, `NULL`, `infinity`), not a time, or before 1970.
 */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined) return undefined;
  const number = NUMBER.exec(text);
  const ms = number === null ? fromText(text) : fromNumber(number[1] ?? '', number[2]);
  return ms !== undefined && ms >= 0 && Number.isSafeInteger(ms) ? ms : undefined;
}

/** @param fraction digits after the point, as text, because in floating point 1.005 × 1000 is below 1005 */
function fromNumber(digits: string, fraction = ''): number | undefined {
  if (digits.length === CALENDAR_DIGITS) return fromText(`${digits}Z`);
  const number = Number(digits);
  if (number < FIRST_SECONDS || number > LAST_MS) return undefined;
  return number >= FIRST_MS ? number : number * 1000 + Number(milliseconds(fraction));
}

/** Parses the end of a ban or of a permission to ms since the epoch. `infinity` means that it never ends. */
export function endOf(text: string, readTime = timeOf): number | undefined {
  const [, sign] = /^([+-]?)infinity$/i.exec(text) ?? [];
  if (sign === undefined) return readTime(text);
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Formats of nearly all exports: `2024-01-15T10:30:00.123Z` and `2024-01-15 10:30:00.123456+00`. */
const IN_UTC = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.(\d+))?(?:Z|\+00(?::?00)?)?$/;

function fromText(text: string): number | undefined {
  const frequent = IN_UTC.exec(text);
  // Parsing this format by position is three times as fast as by the expressions of FORMS.
  if (frequent !== null) {
    const at = (index: number) => Number(text.slice(index, index + 2));
    const [year, month, day] = [at(0) * 100 + at(2), at(5), at(8)];
    const ms = momentOf({ year, month, day, hour: at(11), minute: at(14), second: at(17) });
    return ms === undefined ? undefined : ms + Number(milliseconds(frequent[1] ?? ''));
  }
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return fromParts(parts);
  }
  const call = DATE_CALL.exec(text)?.[1];
  return call === undefined ? undefined : Number(call);
}

type Parts = Readonly<Record<string, string | undefined>>;

function fromParts({
  year,
  after,
  month,
  name,
  fraction = '',
  hours = '+00',
  minutes = '00',
  ...parts
}: Parts) {
  if ((year === undefined) === (after === undefined)) return undefined;
  const ms = momentOf({
    year: Number(year ?? after),
    month: name === undefined ? Number(month) : MONTHS.indexOf(name.toLowerCase()) + 1,
    day: Number(parts.day),
    hour: Number(parts.hour ?? 0),
    minute: Number(parts.minute ?? 0),
    second: Number(parts.second ?? 0),
  });
  const offset = Number(hours.slice(1)) * 60 + Number(minutes);
  if (ms === undefined || offset >= 24 * 60 || Number(minutes) >= 60) return undefined;
  return ms + Number(milliseconds(fraction)) - (hours.startsWith('-') ? -offset : offset) * 60_000;
}

/** Returns ms since the epoch, or undefined if there is no such time, for example on the 31st of February. */
function momentOf(time: Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>) {
  const { year, month, day, hour, minute, second } = time;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  const date = new Date(ms);
  // Date.UTC takes the 31st of February for a day in March, and the year 70 for 1970.
  const isDay =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && hour < 24 && minute < 60 && second < 60 ? ms : undefined;
}

const milliseconds = (fraction: string) => fraction.slice(0, 3).padEnd(3, '0');

/** Returns the time in a MongoDB ObjectId, in ms. Its first four bytes are seconds. */
export function timeOfObjectId(id: string): number | undefined {
  return /^[0-9a-f]{24}$/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1000 : undefined;
}

/** Number that Excel has for the first day of 1970. */
const EXCEL_EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;
/** Parts of a format for `--date-format`, with expressions for their digits. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  MM: String.raw`(?<month>\d\d?)`,
  DD: String.raw`(?<day>\d\d?)`,
  HH: String.raw`(?<hour>\d\d?)`,
  mm: String.raw`(?<minute>\d\d)`,
  ss: String.raw`(?<second>\d\d)`,
};
const PART = /(YYYY|MM|DD|HH|mm|ss)/;

/**
 * Makes a reader of times in a format of `--date-format`: `ms`, `s` (since 1970), `excel` (days), or a pattern such as
 * `DD.MM.YYYY HH:mm`, in UTC. The reader returns ms since the epoch, or undefined if a value has another format.
 * @returns undefined if the format is unknown
 */
export function dateReader(format: string): ((value: unknown) => number | undefined) | undefined {
  if (format === 'ms') return (value) => numberIn(value, 1);
  if (format === 's') return (value) => numberIn(value, 1000);
  if (format === 'excel') return (value) => numberIn(value, DAY_MS, EXCEL_EPOCH_DAYS);
  const pieces = format.split(PART);
  const names = pieces.filter((piece) => piece in PARTS);
  const isWhole = ['YYYY', 'MM', 'DD'].every((part) => names.includes(part));
  const hasStray = pieces.some((piece) => !(piece in PARTS) && /[A-Za-z]/.test(piece.replace(/[TZ]/g, '')));
  if (!isWhole || hasStray || new Set(names).size < names.length) return undefined;
  const source = pieces.map((piece) => PARTS[piece] ?? piece.replace(/[.*+?^$()|{}[\]\\/]/g, '\\$&'));
  const shape = new RegExp(`^${source.join('')}$`);
  return (value) => {
    const parts = shape.exec(textOf(value)?.trim() ?? '')?.groups;
    return parts && fromParts(parts);
  };
}

function numberIn(value: unknown, unitMs: number, epoch = 0): number | undefined {
  const text = textOf(value)?.trim().replace(',', '.') ?? '';
  return /^\d{1,16}(?:\.\d+)?$/.test(text) ? Math.round((Number(text) - epoch) * unitMs) : undefined;
}
