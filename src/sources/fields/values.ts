import { ExactNumber, parseExact } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { lowerCase } from '../../lib/text/lower-case.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';

/** A text that is not empty, or a number as text. Anything else: undefined. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.text : undefined;
}

/** The first of these members that is there and is not null. */
export function firstOf(record: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Is there anything in a column that is null for most, such as `deleted_at`? MySQL's zero dates are nothing. */
export function isSet(value: unknown): boolean {
  const text = textOf(value);
  return text !== undefined && text !== '0' && text !== 'NULL' && !text.startsWith('0000-00-00');
}

const FLAGS = new Map<unknown, boolean>([
  ...[true, 'true', 't', '1', 1, 'yes', 'y', '\u{1}'].map((value) => [value, true] as const),
  ...[false, 'false', 'f', '0', 0, 'no', 'n', '', '\u{0}'].map((value) => [value, false] as const),
]);

/** What databases and exports write for yes and no, in any case (MySQL writes a bit as a byte); undefined for anything else, and for null. */
export const flagOf = (value: unknown): boolean | undefined =>
  FLAGS.get(typeof value === 'string' ? value.toLowerCase() : value);

/** An object, or the object that a text has as JSON. */
export function objectOf(value: unknown): JsonObject | undefined {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return isJsonObject(parsed) ? parsed : undefined;
}

/** A list, or the list that a text has as JSON; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(parsed) ? parsed : [];
}

/** The objects of a list, or of the list that a text has as JSON. */
export const objectsOf = (value: unknown): readonly JsonObject[] => listOf(value).filter(isJsonObject);

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    const value = parseExact(text);
    if (text.length > 2 * MAX_DEPTH) cutBelow(value, MAX_DEPTH);
    return value;
  } catch {
    return undefined;
  }
}

/** As in files of JSON: nested deeper than what may be kept of a user, and as deep as what walks through it later can go. */
const MAX_DEPTH = 512;

/** Puts null where a value is nested deeper. It still is too deep to be kept, which is then told of its row. */
function cutBelow(value: unknown, levels: number): void {
  if (!isJsonObject(value) && !Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (levels > 1) cutBelow(member, levels - 1);
    else if (typeof member === 'object') Object.defineProperty(value, key, { value: null });
  }
}

/** The members that are there: no undefined, no null, no empty text, no empty object. Undefined where none is left. */
export function metadataOf(members: Readonly<Record<string, unknown>>): JsonObject | undefined {
  let kept: Record<string, unknown> | undefined;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (!isWorthKeeping(value)) continue;
    kept ??= {};
    // Assigning would call the setter.
    if (name === '__proto__') Object.defineProperty(kept, name, { value, enumerable: true });
    else kept[name] = value;
  }
  return kept;
}

/** Is there anything: no undefined, no null, no empty text, no empty object? */
export function isWorthKeeping(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber) return true;
  for (const _ in value) return true;
  return false;
}

/** The object, list or other value that a text has as JSON; the text itself where it is none. */
export function jsonOrText(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/** A list without what comes again in it; undefined where there is one thing or none. */
export function severalOf(texts: readonly string[]): readonly string[] | undefined {
  if (texts.length < 2) return undefined;
  const different = [...new Set(texts)];
  return different.length < 2 ? undefined : different;
}

/** Returns whether two addresses are one to the service, which lower-cases and strips them (src/users/email.ts). */
export function isSameAddress(one: string, other: string): boolean {
  return lowerCase(stripControlAndSpace(one)) === lowerCase(stripControlAndSpace(other));
}
