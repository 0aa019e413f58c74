import { ExactNumber } from '../../../lib/json/exact-json.ts';
import { isJsonObject } from '../../../lib/json/json-object.ts';

type Members = Record<string, unknown>;

/**
 * Converts MongoDB's Extended JSON, relaxed or canonical, to plain values: `{"$oid"}` to text, `{"$date"}` to
 * an ISO 8601 text, and `{"$numberInt"}` and similar to numbers. Other wrappers, such as `{"$binary"}`,
 * remain. Modifies the value in place, and recurses, so the depth must be bounded.
 * Source: the specification "MongoDB Extended JSON (v2)".
 */
export function resolveExtended(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (typeof value[index] === 'object') value[index] = resolveExtended(value[index]);
    }
    return value;
  }
  if (!isJsonObject(value) || value instanceof ExactNumber) return value;
  return resolvedWrapper(value) ?? resolveMembers(value as Members);
}

function resolveMembers(object: Members): Members {
  // Objects parsed from JSON inherit nothing enumerable, and `__proto__` is parsed as a normal member.
  for (const key in object) {
    const member = object[key];
    if (typeof member !== 'object' || member === null) continue;
    const resolved = resolveExtended(member);
    if (resolved !== member) object[key] = resolved;
  }
  return object;
}

/**
 * Returns undefined unless the object is a wrapper of Extended JSON, with a single member (`{"$oid": …}`).
 */
function resolvedWrapper(object: Readonly<Members>): unknown {
  let only: string | undefined;
  for (const key in object) {
    if (only !== undefined || key.charCodeAt(0) !== 0x24) return undefined;
    only = key;
  }
  if (only === undefined) return undefined;
  const inner = object[only];
  if (only === '$oid') return typeof inner === 'string' ? inner : undefined;
  if (only === '$date') return isoOf(isJsonObject(inner) ? resolvedWrapper(inner) : inner);
  return NUMBERS.has(only) ? numberOf(inner) : undefined;
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
