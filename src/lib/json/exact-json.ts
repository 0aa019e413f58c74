import { isJsonObject } from './json-object.ts';

/**
 * A number of JSON as it was written: `1.0`, `-0`, `12345678901234567890`, `1e400`. A `Number` would change it.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return HINT;
  }
}

/**
 * Marks exact numbers in the output of `JSON.stringify`, so that `toJson` sees when there may be one. A text that happens
 * to hold the mark costs time, and nothing else.
 */
const HINT = '\u{e000}exact';

type Parent = Record<string | number, unknown>;
/** A value, and the same value with texts in place of some numbers. */
type Pair = [Parent, Parent];

/**
 * Parses JSON like `JSON.parse`, but within the objects that `select` returns, numbers that a `Number` would change are
 * kept as `ExactNumber`.
 * @param select called for the parsed value, and for a copy of it in which these numbers are texts. It returns the same
 * objects, in the same order, of both.
 * @throws as `JSON.parse`
 */
export function parseExactWithin(json: string, select: (value: unknown) => readonly object[]): unknown {
  const value: unknown = JSON.parse(json);
  const selected = select(value);
  if (selected.length === 0) return value;
  const numbers = findChanged(json);
  if (numbers.length === 0) return value;
  // The same text with quotes around these numbers, parsed the same way: members that come twice, or are called
  // `__proto__`, end up alike in both values.
  const quoted = select(JSON.parse(withQuotes(json, numbers)));
  for (const [index, object] of selected.entries()) restore(object, quoted[index]);
  return value;
}

/**
 * Parses JSON like `JSON.parse`, but numbers that a `Number` would change are kept as `ExactNumber`, wherever they stand.
 * @throws as `JSON.parse`
 */
export function parseExact(json: string): unknown {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'number') {
    const number = json.trim();
    return String(value) === number ? value : new ExactNumber(number);
  }
  if (typeof value !== 'object' || value === null) return value;
  const numbers = findChanged(json);
  if (numbers.length > 0) restore(value, JSON.parse(withQuotes(json, numbers)));
  return value;
}

/** Writes JSON like `JSON.stringify`, with exact numbers as they were written. */
export function toJson(value: object): string {
  const json = JSON.stringify(value);
  return json.includes(HINT) ? write(value) : json;
}

/** Recurses, so callers must have bounded the depth of the value. */
function write(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns the start and the end, in turn, of each number that a `Number` would change. */
function findChanged(json: string): number[] {
  const found: number[] = [];
  let at = 0;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(json, at);
    } else if (beginsNumber(code)) {
      const end = endOfNumber(json, at);
      const number = json.slice(at, end);
      if (String(Number(number)) !== number) found.push(at, end);
      at = end;
    } else {
      at += 1;
    }
  }
  return found;
}

function endOfText(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote + 1;
}

/** Does an odd number of backslashes stand before it? */
function isEscaped(json: string, quote: number): boolean {
  let at = quote - 1;
  while (json.charCodeAt(at) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}

function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  while (continuesNumber(json.charCodeAt(at))) at += 1;
  return at;
}

/** A digit or `-`. */
const beginsNumber = (code: number) => (code >= 0x30 && code <= 0x39) || code === 0x2d;
/** A digit or one of `- + . e E`. */
const continuesNumber = (code: number) =>
  beginsNumber(code) || code === 0x2b || code === 0x2e || code === 0x65 || code === 0x45;

function withQuotes(json: string, numbers: readonly number[]): string {
  let quoted = '';
  let done = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const at = numbers[index];
    quoted += `${json.slice(done, at)}"`;
    done = at ?? 0;
  }
  return quoted + json.slice(done);
}

/** Does not recurse: nobody has checked yet how deep the value is. */
function restore(value: object, quoted: object | undefined): void {
  const todo = [[value, quoted] as Pair];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [parent] = pair;
    if (Array.isArray(parent)) {
      // A list of the indexes would be a million texts.
      for (let index = 0; index < parent.length; index += 1) restoreMember(pair, index, todo);
    } else {
      // `Object.keys` lists own members only: even one called `__proto__` is set as a member.
      for (const key of Object.keys(parent)) restoreMember(pair, key, todo);
    }
  }
}

/** @param todo takes the pairs that are to be looked into next */
function restoreMember([parent, quoted]: Pair, key: string | number, todo: Pair[]): void {
  const member = parent[key];
  if (typeof member === 'number') {
    const text = quoted[key];
    if (typeof text === 'string') parent[key] = new ExactNumber(text);
  } else if (typeof member === 'object' && member !== null) {
    todo.push([member, quoted[key]] as Pair);
  }
}
