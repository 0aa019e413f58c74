import { textOf } from './values.ts';

/** A number below is seconds, else ms. */
const FIRST_MS = 1e11;
const NUMBER = /^(\d{1,16})(?:\.(\d+))?$/;
/** ISO 8601, and what databases make of it: a blank in place of the T, a fraction of any length, `+00`, `+0000`, `Z`, no zone. */
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?)? ?(?:(Z|UTC)|([+-]\d\d):?(\d\d)?(?::?\d\d)?)?$/i;
/** LDAP's generalized time: `20240115103000Z`, `20240115103000.123Z`. */
const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,](\d+))?(?:Z|\+0000)$/;
/** RFC 1123: `Mon, 15 Jan 2024 10:30:00 GMT`. */
const RFC_1123 = /^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})$/;

/**
 * A time as exports write it, in ms since the epoch, truncated. A time without zone is UTC. Undefined for what is empty, unknown
 * (`0000-00-00 00:00:00`, `NULL`, `infinity`), no time, or before 1970.
 */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined) return undefined;
  const number = NUMBER.exec(text);
  const ms = number === null ? fromText(text) : fromNumber(Number(number[1]), number[2]);
  return ms !== undefined && ms >= 0 && Number.isSafeInteger(ms) ? ms : undefined;
}

/** @param fraction the digits: 1.005 × 1000 is less than 1005 in floating point */
function fromNumber(number: number, fraction = ''): number | undefined {
  if (number >= FIRST_MS) return number;
  const ms = number * 1000 + Number(milliseconds(fraction));
  return ms === 0 ? undefined : ms;
}

function fromText(text: string): number | undefined {
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, day, minutes = '00:00', seconds = '00', fraction = '', , hours = '+00', rest = '00'] = iso;
    return parsed(`${day}T${minutes}:${seconds}.${milliseconds(fraction)}${hours}:${rest}`);
  }
  const ldap = GENERALIZED.exec(text);
  if (ldap !== null) {
    const [, year, month, day, hour, minute, second, fraction = ''] = ldap;
    return parsed(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds(fraction)}Z`);
  }
  return RFC_1123.test(text) ? parsed(text) : undefined;
}

const milliseconds = (fraction: string) => fraction.slice(0, 3).padEnd(3, '0');

function parsed(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The seconds that a MongoDB ObjectId begins with, in ms. */
export function timeOfObjectId(id: string): number | undefined {
  return /^[0-9a-f]{24}$/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1000 : undefined;
}
