import { ExactNumber } from '../../../imports/input/exact-json.ts';
import { isJsonObject } from '../../../imports/input/json-object.ts';

type Members = Record<string, unknown>;

/**
 * MongoDB's Extended JSON, relaxed or canonical, as plain values: `{"$oid"}` becomes a text, `{"$date"}` a text of ISO 8601,
 * `{"$numberInt"}` and the like numbers. What is none of these, `{"$binary"}` for one, stays as it is.
 * Changes the value in place. It recurses: the depth must be bounded.
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
  // Own members only: objects of JSON inherit none that could be listed, and even one called `__proto__` is set as a member.
  for (const key in object) {
    const member = object[key];
    if (typeof member !== 'object' || member === null) continue;
    const resolved = resolveExtended(member);
    if (resolved !== member) object[key] = resolved;
  }
  return object;
}

/** The value that an object with one member stands for. */
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
/** What JSON takes for a number. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d{0,399})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/;

/** Infinity and NaN stay texts: JSON has no numbers for them. */
function numberOf(inner: unknown): unknown {
  if (typeof inner === 'number' || inner instanceof ExactNumber) return inner;
  if (typeof inner !== 'string') return undefined;
  if (!JSON_NUMBER.test(inner)) return inner;
  const number = Number(inner);
  // The shell and the tools write a double that is whole as `5.0`: it is 5.
  return String(number) === inner.replace(/\.0$/, '') ? number : new ExactNumber(inner);
}

function isoOf(inner: unknown): string | undefined {
  if (typeof inner === 'string') return inner;
  if (typeof inner !== 'number') return undefined;
  const date = new Date(inner);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
