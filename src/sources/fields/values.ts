import { ExactNumber, parseExact } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { decodeBase64 } from '../../lib/text/base64.ts';
import { lowerCase, stripControlAndSpace } from '../../lib/text/characters.ts';

/** Returns the text of a cell, if the cell is a non-empty text or a number. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.text : undefined;
}

/** Returns the text of a cell, if the cell is a non-empty text, a number or a flag. */
export const wordOf = (value: unknown): string | undefined =>
  typeof value === 'boolean' ? String(value) : textOf(value);

/** Returns the value of the first of several members that is neither missing nor null. */
export function firstOf(record: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/**
 * Whether a column such as `deleted_at` has a value. MySQL's zero dates count as null; an object or list is a value.
 */
export function isSet(value: unknown): boolean {
  const text = textOf(value);
  if (text === undefined) return value === true || (typeof value === 'object' && value !== null);
  return text !== '0' && text !== 'NULL' && !text.startsWith('0000-00-00');
}

const FLAGS = new Map<unknown, boolean>([
  ...[true, 'true', 't', '1', 1, '1.0', 'yes', 'y', 'on', '\u{1}'].map((value) => [value, true] as const),
  ...[false, 'false', 'f', '0', 0, '0.0', 'no', 'n', 'off', '', '\u{0}'].map(
    (value) => [value, false] as const,
  ),
]);

/** Parses words for yes and no, ignoring case, and bits of MySQL, which are bytes. Undefined for other values. */
export const flagOf = (value: unknown): boolean | undefined =>
  FLAGS.get(
    typeof value === 'string'
      ? value.trim().toLowerCase()
      : value instanceof ExactNumber
        ? value.text
        : value,
  );

/** Whether a value says yes or cannot be read. For columns in which a wrong "no" would let somebody in. */
export const mayBeYes = (value: unknown): boolean =>
  value !== undefined && value !== null && textOf(value)?.trim() !== 'NULL' && flagOf(value) !== false;

/** Returns the cell if it is an object, or the object in its JSON text. */
export function objectOf(value: unknown): JsonObject | undefined {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return isJsonObject(parsed) ? parsed : undefined;
}

/** Returns the cell if it is a list, or the list in its JSON text. Empty for anything else. */
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

/** Maximum nesting of JSON in a cell: more than metadata may have, and little enough for recursive functions. */
const MAX_DEPTH = 512;

/** Replaces values below `levels` by null. What remains is still too deep for metadata, so that its row is an error. */
function cutBelow(value: unknown, levels: number): void {
  if (!isJsonObject(value) && !Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (levels > 1) cutBelow(member, levels - 1);
    else if (typeof member === 'object') Object.defineProperty(value, key, { value: null });
  }
}

/** Returns the members to keep as metadata, without undefined, null, empty texts and empty objects. */
export function metadataOf(members: Readonly<Record<string, unknown>>): JsonObject | undefined {
  let kept: Record<string, unknown> | undefined;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (!isWorthKeeping(value)) continue;
    kept ??= {};
    // Assigning a member named `__proto__` would call its setter.
    if (name === '__proto__') Object.defineProperty(kept, name, { value, enumerable: true });
    else kept[name] = value;
  }
  return kept;
}

function isWorthKeeping(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof ExactNumber) return true;
  for (const _ in value) return true;
  return false;
}

/** Returns the value of JSON text in a cell, or the cell itself if it is not JSON text. */
export function jsonOrText(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/** Returns the addresses that differ for the service, each in its first spelling. Undefined if fewer than two. */
export function severalOf(addresses: readonly string[]): readonly string[] | undefined {
  if (addresses.length < 2) return undefined;
  const different = addresses.filter(
    (address, index) => addresses.findIndex((one) => isSameAddress(one, address)) === index,
  );
  return different.length < 2 ? undefined : different;
}

/** Compares addresses as the service does (src/users/email.ts). */
export function isSameAddress(one: string, other: string): boolean {
  return lowerCase(stripControlAndSpace(one)) === lowerCase(stripControlAndSpace(other));
}

export type BytesEncoding = 'base64' | 'hex' | 'utf8';

const HEX = /^(?:[0-9a-f]{2})*$/i;

/**
 * Decodes a hash or salt. Base64 may be standard or URL-safe, padded or not. Returns undefined for anything else. The
 * check is strict, because a hash with a missing character would never match.
 */
export function bytesOf(value: unknown, encoding: BytesEncoding): Buffer | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (encoding === 'utf8') return Buffer.from(text, 'utf8');
  if (encoding === 'hex') return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
  return fromBase64(text);
}

/** Decodes base64 in either alphabet, padded or not. Returns undefined for other text. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = decodeBase64(text, 'lenient');
  return Buffer.isBuffer(bytes) ? bytes : undefined;
}

/** Returns the text in a column of bytes. PostgreSQL writes `\x24326124…`, other databases text. */
export function textInBytes(value: unknown): string | undefined {
  const text = textOf(value);
  const bytes = text?.startsWith('\\x') === true ? bytesOf(text.slice(2), 'hex') : undefined;
  return bytes === undefined ? text : bytes.toString();
}
