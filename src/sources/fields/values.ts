import { ExactNumber, parseExact } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { lowerCase } from '../../lib/text/lower-case.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';

/** Returns a non-empty text or a number as text, and undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.text : undefined;
}

/** Returns the first value that is neither missing nor null. */
export function firstOf(record: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/**
 * Returns whether a column that is null for most users, such as `deleted_at`, has a value. MySQL's zero
 * dates count as null.
 */
export function isSet(value: unknown): boolean {
  const text = textOf(value);
  return text !== undefined && text !== '0' && text !== 'NULL' && !text.startsWith('0000-00-00');
}

const FLAGS = new Map<unknown, boolean>([
  ...[true, 'true', 't', '1', 1, 'yes', 'y', '\u{1}'].map((value) => [value, true] as const),
  ...[false, 'false', 'f', '0', 0, 'no', 'n', '', '\u{0}'].map((value) => [value, false] as const),
]);

/** Parses words for yes and no, ignoring case. MySQL writes a bit as a byte. */
export const flagOf = (value: unknown): boolean | undefined =>
  FLAGS.get(typeof value === 'string' ? value.toLowerCase() : value);

/** Returns the value itself, or the object that a JSON text contains. */
export function objectOf(value: unknown): JsonObject | undefined {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return isJsonObject(parsed) ? parsed : undefined;
}

/** Returns the value itself, or the list in a JSON text. Empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(parsed) ? parsed : [];
}

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

/**
 * Nesting of JSON in a cell, the same as in JSON files. It is deeper than metadata may be, and shallow
 * enough for recursion later.
 */
const MAX_DEPTH = 512;

/**
 * Replaces deeper values by null. The rest is still too deep to be kept as metadata, and its row reports
 * that.
 */
function cutBelow(value: unknown, levels: number): void {
  if (!isJsonObject(value) && !Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (levels > 1) cutBelow(member, levels - 1);
    else if (typeof member === 'object') Object.defineProperty(value, key, { value: null });
  }
}

/** Leaves out undefined, null, empty texts and empty objects. Returns undefined if nothing is left. */
export function metadataOf(members: Readonly<Record<string, unknown>>): JsonObject | undefined {
  let kept: Record<string, unknown> | undefined;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (!isWorthKeeping(value)) continue;
    kept ??= {};
    // A member may be named `__proto__`. Assigning it would call its setter.
    if (name === '__proto__') Object.defineProperty(kept, name, { value, enumerable: true });
    else kept[name] = value;
  }
  return kept;
}

export function isWorthKeeping(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber) return true;
  for (const _ in value) return true;
  return false;
}

export function jsonOrText(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/**
 * Returns the addresses that are different for the service, each as it is written first. Returns undefined
 * if there are fewer than two.
 */
export function severalOf(addresses: readonly string[]): readonly string[] | undefined {
  if (addresses.length < 2) return undefined;
  const different = addresses.filter(
    (address, index) => addresses.findIndex((one) => isSameAddress(one, address)) === index,
  );
  return different.length < 2 ? undefined : different;
}

/** The service converts addresses to lower case and strips them (src/users/email.ts). */
export function isSameAddress(one: string, other: string): boolean {
  return lowerCase(stripControlAndSpace(one)) === lowerCase(stripControlAndSpace(other));
}
