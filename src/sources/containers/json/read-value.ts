import { ExactNumber, parseExact } from '../../../lib/json/exact-json.ts';
import { isJsonObject } from '../../../lib/json/json-object.ts';
import { BadRecord, type SourceRecord } from '../table.ts';
import { resolveExtended } from './extended-json.ts';
import { EXACT_NUMBERS, EXTENDED, TOO_DEEP } from './scan-value.ts';

// Shared instances, so that a file with millions of bad JSON records needs no memory for them.
export const INVALID = new BadRecord('JSON_INVALID', 'Is not JSON.');
const NO_OBJECT = new BadRecord('JSON_INVALID', 'Is not a JSON object.');
const DEEP = new BadRecord('JSON_INVALID', 'Is nested too deep.');
const MANY = new BadRecord('RECORD_TOO_LONG', 'Has more than 200,000 values.');
export const TOO_LONG = new BadRecord('RECORD_TOO_LONG', 'Is longer than 16 MiB.');
export const NO_FIXTURE = new BadRecord(
  'JSON_INVALID',
  'Is not an object with model and fields, like the others.',
);

/** @param marks flags that `scanValue` has set for the JSON record */
export function readRecord(text: string, marks: number): SourceRecord | BadRecord {
  if ((marks & TOO_DEEP) !== 0) return DEEP;
  if (text.length > MAX_PLAIN_CHARS && hasMany(text)) return MANY;
  const value = readValue(text, marks);
  if (value === undefined) return INVALID;
  // A single number of Extended JSON becomes an ExactNumber, which is an object but not a record.
  return isJsonObject(value) && !(value instanceof ExactNumber) ? value : NO_OBJECT;
}

/**
 * In longer JSON the values are counted. Each value of `[[],[],…` takes many times the memory of its text.
 */
const MAX_PLAIN_CHARS = 1024 * 1024;
const MAX_VALUES = 200_000;

/** Counts commas, including those inside JSON texts, which are rare enough. */
function hasMany(text: string): boolean {
  let commas = 0;
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) {
    commas += 1;
    if (commas > MAX_VALUES) return true;
  }
  return false;
}

/** Returns undefined if the text is not JSON or is nested too deeply. */
export function readValue(text: string, marks: number): unknown {
  if ((marks & TOO_DEEP) !== 0) return undefined;
  try {
    const value: unknown = (marks & EXACT_NUMBERS) === 0 ? JSON.parse(text) : parseExact(text);
    return (marks & EXTENDED) === 0 ? value : resolveExtended(value);
  } catch (error) {
    // The JSON parser's message is dropped, because it quotes the text, which may contain secrets.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
