import { textOf } from './values.ts';

/** Smallest number of seconds since the epoch. Smaller ones are counts, codes, days of Excel, or such as 20240115. */
const FIRST_SECONDS = 1e8;
/** Smallest number that is read as a time in milliseconds. Smaller numbers are seconds, which many bans have until the year 9999. */
const FIRST_MS = 253_402_300_800;
/** Largest number of seconds or milliseconds: the year 9999. Larger ones have another unit. */
const LAST_MS = 253_402_300_799_999;
const NUMBER = /^(\d{1,19})(?:\.(\d+))?$/;
/** Times of MediaWiki: `20240115103000`. */
const CALENDAR_DIGITS = 14;
/** ISO 8601 and variants of databases: a blank for the T, any fraction, `+00`, `+0000`, `Z`, no zone. */
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?)? ?(?:(Z|UTC)|([+-]\d\d):?(\d\d)?(?::?\d\d)?)?$/i;
/** LDAP's generalized time, or the basic form of ISO 8601: `20240115103000.123Z`, `20240115T1030+0100`. */
const GENERALIZED =
  /^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+)|(\d{3}))?)?(?:Z|([+-]\d\d):?(\d\d)?)$/i;
/** Basic form of ISO 8601 without a zone. Only the T distinguishes it from a number. */
const BASIC = /^\d{8}T\d{4}(?:\d\d(?:[.,]\d+)?)?$/i;
/** JSON of older .NET: `/Date(1705314600123+0100)/`. The zone does not affect the time. */
const DATE_CALL = /^\\?\/Date\((\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;
/** `2024/01/15 10:30:00`. After the year comes the month: no country writes the day there. */
const WITH_SLASHES = /^\d{4}\/\d\d\/\d\d(?=$|[T ])/;
/** Unix, C and JavaScript: `Mon Jan 15 10:30:00 UTC 2024`, `Mon Jan 15 2024 10:30:00 GMT+0100 (CET)`. */
const WITH_NAMES =
  /^(?:[A-Z][a-z]{2},? )?([A-Z][a-z]{2}) {1,2}(\d\d?),? (?:(\d{4}) )?(\d\d:\d\d:\d\d)(?: (?:GMT|UTC|Z)?([+-]\d{4})?(?: \([^()]*\))?)?(?: ?(\d{4}))?$/;
/** A day with dots, also PostgreSQL's `DateStyle = German`. The day always comes first. */
const WITH_DOTS = /^(\d\d)\.(\d\d)\.(\d{4})(?: (\d\d:\d\d:\d\d)(?:\.(\d+))?(?: (?:UTC|GMT))?)?$/;
/** PostgreSQL's `DateStyle = Postgres`: `Mon Jan 15 10:30:00.123 2024 UTC`. The day may come first. */
const POSTGRES =
  /^[A-Z][a-z]{2} (?:([A-Z][a-z]{2} \d\d)|(\d\d [A-Z][a-z]{2})) (\d\d:\d\d:\d\d)\.(\d+) (\d{4})(?: (?:UTC|GMT))?$/;
/** RFC 1123: `Mon, 15 Jan 2024 10:30:00 GMT`. */
const RFC_1123 = /^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})$/;

/**
 * Parses a time of an export to ms since the epoch, truncated. A time without a zone is UTC. Undefined for
 * values that are empty, unknown (`0000-00-00 00:00:00`, `NULL`, `infinity`), not a time, or before 1970.
 */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined) return undefined;
  const number = NUMBER.exec(text);
  const ms = number === null ? fromText(text) : fromNumber(number[1] ?? '', number[2]);
  return ms !== undefined && ms >= 0 && Number.isSafeInteger(ms) ? ms : undefined;
}

/** @param fraction digits after the point, as text: in floating point, 1.005 × 1000 is below 1005 */
function fromNumber(digits: string, fraction = ''): number | undefined {
  if (digits.length === CALENDAR_DIGITS) return fromOther(`${digits}Z`);
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

function fromText(text: string): number | undefined {
  return fromUtc(text) ?? fromOther(text);
}

const ZERO = 0x30;

/** Number of two digits of a time, or NaN if one of the characters is not a digit. */
function digitsAt(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/**
 * Parses `2024-01-15T10:30:00.123Z` and `2024-01-15 10:30:00.123456+00`, which nearly all exports have, four
 * times as fast as the general code. Leaves other forms to it, and the days 29 to 31, which some months lack.
 */
function fromUtc(text: string): number | undefined {
  if (text.length < 19) return undefined;
  const separator = text.charCodeAt(10);
  if (separator !== 0x54 && separator !== 0x20) return undefined;
  if (text[4] !== '-' || text[7] !== '-' || text[13] !== ':' || text[16] !== ':') return undefined;
  const year = digitsAt(text, 0) * 100 + digitsAt(text, 2);
  const [month, day] = [digitsAt(text, 5), digitsAt(text, 8)];
  const [hour, minute, second] = [digitsAt(text, 11), digitsAt(text, 14), digitsAt(text, 17)];
  const isDay = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28;
  if (!isDay || !(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const fraction = text.charCodeAt(19) === DOT ? digitsUntil(text, 20) : 19;
  if (fraction === 20 || !UTC.has(text.slice(fraction))) return undefined;
  const ms = fraction === 19 ? 0 : Number(milliseconds(text.slice(20, fraction)));
  return Date.UTC(year, month - 1, day, hour, minute, second) + ms;
}

const DOT = 0x2e;
const UTC: ReadonlySet<string> = new Set(['', 'Z', '+00', '+00:00', '+0000']);

function digitsUntil(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= ZERO + 9) at += 1;
  return at;
}

function fromOther(text: string): number | undefined {
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, day, minutes = '00:00', seconds = '00', fraction = '', , hours = '+00', rest = '00'] = iso;
    return parsed(`${day}T${minutes}:${seconds}.${milliseconds(fraction)}${hours}:${rest}`);
  }
  const ldap = GENERALIZED.exec(text);
  if (ldap !== null) {
    const [, year, month, day, hour, minute, second = '00', fraction, digits = ''] = ldap;
    const [hours = '+00', rest = '00'] = ldap.slice(9);
    const date = `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds(fraction ?? digits)}`;
    return parsed(`${date}${hours}:${rest}`);
  }
  const call = DATE_CALL.exec(text)?.[1];
  if (call !== undefined) return Number(call);
  if (BASIC.test(text)) return fromOther(`${text}Z`);
  if (WITH_SLASHES.test(text)) return fromText(text.replaceAll('/', '-'));
  return RFC_1123.test(text) ? parsed(text) : (fromNames(text) ?? fromPostgres(text));
}

/** A time with names of months has the year once, before or after the time of day. */
function fromNames(text: string): number | undefined {
  const [, month, day, before, time, zone = '+0000', after] = WITH_NAMES.exec(text) ?? [];
  const year = before ?? after;
  if (month === undefined || year === undefined || (before !== undefined && after !== undefined))
    return undefined;
  return parsed(`${day} ${month} ${year} ${time} ${zone}`);
}

/** Parses PostgreSQL's styles other than ISO. A time in another zone than UTC is not read. */
function fromPostgres(text: string): number | undefined {
  const dots = WITH_DOTS.exec(text);
  if (dots !== null) {
    const [, day, month, year, time = '00:00:00', fraction = ''] = dots;
    return parsed(`${year}-${month}-${day}T${time}.${milliseconds(fraction)}Z`);
  }
  const [, monthFirst, dayFirst = monthFirst, time, fraction = '', year] = POSTGRES.exec(text) ?? [];
  const ms = time === undefined ? undefined : parsed(`${dayFirst} ${year} ${time} +0000`);
  return ms === undefined ? undefined : ms + Number(milliseconds(fraction));
}

const milliseconds = (fraction: string) => fraction.slice(0, 3).padEnd(3, '0');

function parsed(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns the time in a MongoDB ObjectId, in ms. Its first four bytes are seconds. */
export function timeOfObjectId(id: string): number | undefined {
  return /^[0-9a-f]{24}$/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1000 : undefined;
}

/** Days from the first day of Excel's calendar to 1970. */
const EXCEL_EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;
/** Parts of a format, with their digits. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '\\d{4}',
  MM: '\\d\\d?',
  DD: '\\d\\d?',
  HH: '\\d\\d?',
  mm: '\\d\\d',
  ss: '\\d\\d',
};

/**
 * Makes a reader of times in a format that the operator names: `ms`, `s` (since 1970), `excel` (days), or such as
 * `DD.MM.YYYY HH:mm`, in UTC. It returns ms since the epoch, or undefined if a value has another form.
 * @returns undefined if the format is unknown
 */
export function dateReader(format: string): ((value: unknown) => number | undefined) | undefined {
  if (format === 'ms') return (value) => numberIn(value, 1);
  if (format === 's') return (value) => numberIn(value, 1000);
  if (format === 'excel') return (value) => numberIn(value, DAY_MS, EXCEL_EPOCH_DAYS);
  const names: readonly string[] = format.match(/YYYY|MM|DD|HH|mm|ss/g) ?? [];
  const isWhole = ['YYYY', 'MM', 'DD'].every((part) => names.includes(part));
  if (
    !isWhole ||
    new Set(names).size < names.length ||
    /[A-Za-z]/.test(format.replace(/YYYY|MM|DD|HH|mm|ss|T|Z/g, ''))
  )
    return undefined;
  const source = format
    .split(/(YYYY|MM|DD|HH|mm|ss)/)
    .map((part) =>
      part in PARTS ? `(?<${part}>${PARTS[part]})` : part.replace(/[.*+?^$()|{}[\]\\/]/g, '\\$&'),
    );
  const shape = new RegExp(`^${source.join('')}$`);
  return (value) => {
    const found = shape.exec(textOf(value)?.trim() ?? '')?.groups;
    if (found === undefined) return undefined;
    const [year, month, day, hours, minutes, seconds] = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'].map((part) =>
      Number(found[part] ?? 0),
    ) as [number, number, number, number, number, number];
    const ms = Date.UTC(year, month - 1, day, hours, minutes, seconds);
    const date = new Date(ms);
    // Date.UTC takes the 31st of February for a day in March.
    const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
    return isDay && hours < 24 && minutes < 60 && seconds < 60 ? ms : undefined;
  };
}

function numberIn(value: unknown, unitMs: number, epoch = 0): number | undefined {
  const text = textOf(value)?.trim().replace(',', '.') ?? '';
  return /^\d{1,16}(?:\.\d+)?$/.test(text) ? Math.round((Number(text) - epoch) * unitMs) : undefined;
}
