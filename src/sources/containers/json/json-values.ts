import { ExactNumber, parseExact } from '../../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import { BadRecord, type SourceRecord } from '../table.ts';

/** The JSON value may contain a number that would lose digits as a float. */
export const EXACT_NUMBERS = 1;
/**
 * A text begins with `$o`, `$d` or `$n`, so it may be a name of MongoDB's Extended JSON. Hashes begin with other
 * letters (`$2`, `$a`, `$p`).
 */
export const EXTENDED = 2;
/** The JSON value is nested more deeply than any user, and too deeply for recursive functions. */
export const TOO_DEEP = 4;

// Shared instances, so that a file with millions of bad JSON records needs no memory for them.
export const INVALID = new BadRecord('JSON_INVALID', 'Is not JSON.');
export const TOO_LONG = new BadRecord('RECORD_TOO_LONG', 'Is longer than 16 MiB.');
const NO_OBJECT = new BadRecord('JSON_INVALID', 'Is not a JSON object.');
const TWICE = new BadRecord('JSON_INVALID', 'Has two members of the same name in one object.');
const DEEP = new BadRecord('JSON_INVALID', 'Is nested too deep.');
const MANY = new BadRecord('RECORD_TOO_LONG', 'Has more than 200,000 values.');

/**
 * Parses a record. Returns a bad record if the text is not a JSON object, or has a member twice.
 * @param scan what a `Scan` has found in the text: flags, and the number of members of all objects
 */
export function parseRecord(
  text: string,
  { marks, members }: { marks: number; members: number },
): SourceRecord | BadRecord {
  if ((marks & TOO_DEEP) !== 0) return DEEP;
  if (text.length > MAX_PLAIN_CHARS && hasMany(text)) return MANY;
  const value = parsed(text, marks);
  if (value === undefined) return INVALID;
  if (membersOf(value) !== members) return TWICE;
  const record = resolved(value, marks);
  // A single number of Extended JSON becomes an ExactNumber, which is an object but not a record.
  return isJsonObject(record) && !(record instanceof ExactNumber) ? record : NO_OBJECT;
}

/**
 * Counts the members of all objects. If fewer than in the text, an object has a name twice: the parser keeps the
 * last.
 */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const one of value) if (typeof one === 'object') count += membersOf(one);
    return count;
  }
  for (const key in value) {
    count += 1;
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object') count += membersOf(member);
  }
  return count;
}

/**
 * Length of JSON from which its values are counted, because each value of `[[],[],…` takes many times the memory of its
 * text.
 */
const MAX_PLAIN_CHARS = 1024 * 1024;
const MAX_VALUES = 200_000;

/**
 * Whether JSON has more than `MAX_VALUES` values, by its commas. Commas in texts count as well, but are rare enough.
 */
function hasMany(text: string): boolean {
  let commas = 0;
  for (let at = text.indexOf(','); at >= 0 && commas <= MAX_VALUES; at = text.indexOf(',', at + 1))
    commas += 1;
  return commas > MAX_VALUES;
}

/** Parses a JSON value. Returns undefined if the text is not JSON or is nested too deeply. */
export function parseValue(text: string, marks: number): unknown {
  const value = (marks & TOO_DEEP) === 0 ? parsed(text, marks) : undefined;
  return value === undefined ? undefined : resolved(value, marks);
}

const resolved = (value: unknown, marks: number): unknown =>
  (marks & EXTENDED) === 0 ? value : resolveExtended(value);

function parsed(text: string, marks: number): unknown {
  try {
    return (marks & EXACT_NUMBERS) === 0 ? JSON.parse(text) : parseExact(text);
  } catch (error) {
    // The JSON parser's message is dropped, because it quotes the text, which may contain secrets.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Converts MongoDB's Extended JSON, relaxed or canonical, to plain values: `{"$oid"}` to text, `{"$date"}` to
 * an ISO 8601 text, and `{"$numberInt"}` and similar to numbers. Other wrappers, such as `{"$binary"}`,
 * remain. Modifies the value in place, and recurses, so the depth must be bounded.
 * Source: the specification "MongoDB Extended JSON (v2)".
 */
function resolveExtended(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) {
    // A loop over the keys of an array (`for … in`) would be slow, because the keys are texts.
    for (let index = 0; index < value.length; index += 1) value[index] = resolveExtended(value[index]);
    return value;
  }
  const members = value as Record<string, unknown>;
  const resolved = resolvedWrapper(members);
  if (resolved !== undefined) return resolved;
  // Objects parsed from JSON inherit nothing enumerable, and `__proto__` is parsed as a normal member.
  for (const key in members) {
    const member = members[key];
    if (typeof member !== 'object' || member === null) continue;
    const plain = resolveExtended(member);
    if (plain !== member) members[key] = plain;
  }
  return value;
}

/** Returns the plain value in a wrapper of Extended JSON. Undefined for all other objects. */
function resolvedWrapper(object: JsonObject): unknown {
  const only = onlyMember(object);
  if (only?.charCodeAt(0) !== 0x24) return undefined;
  const inner = object[only];
  if (only === '$oid') return typeof inner === 'string' ? inner : undefined;
  if (only === '$date') return isoOf(isJsonObject(inner) ? resolvedWrapper(inner) : inner);
  return NUMBERS.has(only) ? numberOf(inner) : undefined;
}

/** Returns the name of the member of an object that has no others. */
function onlyMember(object: JsonObject): string | undefined {
  let only: string | undefined;
  for (const key in object) {
    if (only !== undefined) return undefined;
    only = key;
  }
  return only;
}

const NUMBERS = new Set(['$numberInt', '$numberLong', '$numberDouble', '$numberDecimal']);
const JSON_NUMBER = /^-?(?:0|[1-9]\d{0,399})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/;

/** Infinity and NaN in Extended JSON remain texts, because JSON cannot express them as numbers. */
function numberOf(inner: unknown): unknown {
  if (typeof inner === 'number' || inner instanceof ExactNumber) return inner;
  if (typeof inner !== 'string') return undefined;
  if (!JSON_NUMBER.test(inner)) return inner;
  const number = Number(inner);
  // MongoDB's tools write whole doubles as `5.0`, which becomes 5.
  return String(number) === inner.replace(/\.0$/, '') ? number : new ExactNumber(inner);
}

function isoOf(inner: unknown): string | undefined {
  if (typeof inner === 'string') return inner;
  if (typeof inner !== 'number') return undefined;
  const date = new Date(inner);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const ofText = (inner: unknown) => (typeof inner === 'string' ? inner : undefined);
/** Makes a converter of sets: `{"SS": ["a"]}` is a set of `{"S": "a"}`. */
const ofSet = (type: string) => (inner: unknown) =>
  Array.isArray(inner) ? ofList(inner.map((one) => ({ [type]: one }))) : undefined;

/**
 * Functions that convert a value of a DynamoDB type to a plain value, or return undefined if it does not have this
 * type. Sets become lists, and binary values remain base64.
 * Source: AttributeValue in the DynamoDB API reference.
 */
const DYNAMO_TYPES: ReadonlyMap<string | undefined, (inner: unknown) => unknown> = new Map([
  ['S', ofText],
  ['B', ofText],
  ['N', (inner: unknown) => (typeof inner === 'string' ? numberOf(inner) : undefined)],
  ['BOOL', (inner: unknown) => (typeof inner === 'boolean' ? inner : undefined)],
  ['NULL', (inner: unknown) => (inner === true ? null : undefined)],
  ['M', (inner: unknown) => (isJsonObject(inner) ? untypedMembers(inner) : undefined)],
  ['L', ofList],
  ['SS', ofSet('S')],
  ['NS', ofSet('N')],
  ['BS', ofSet('B')],
]);

/** Returns the plain value of `{"S": …}`, or undefined if it is not typed. */
function untyped(value: unknown): unknown {
  if (!isJsonObject(value)) return undefined;
  const type = onlyMember(value) ?? '';
  return DYNAMO_TYPES.get(type)?.(value[type]);
}

function ofList(list: unknown): unknown[] | undefined {
  const values = Array.isArray(list) ? list.map(untyped) : undefined;
  return values?.includes(undefined) ? undefined : values;
}

function untypedMembers(object: JsonObject): SourceRecord | undefined {
  const entries = Object.entries(object).map(([name, value]) => [name, untyped(value)] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}

/**
 * Returns the plain values of a record of DynamoDB, which an export to S3 wraps: `{"Item": {"email": {"S": …}}}`.
 * Undefined if the record has no types.
 */
export function untypedRecord(record: SourceRecord): SourceRecord | undefined {
  const item = onlyMember(record) === 'Item' ? record.Item : record;
  return isJsonObject(item) && Object.keys(item).length > 0 ? untypedMembers(item) : undefined;
}
