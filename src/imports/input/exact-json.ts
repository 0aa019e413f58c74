import { isJsonObject } from './json-object.ts';

/** A number of user metadata as it was written: `1.0`, `-0`, `12345678901234567890`, `1e400`. No `Number` says it so. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return HINT;
  }
}

/** By which `toJson` sees that there may be an exact number. Any text may hold it, too, which only costs time. */
const HINT = '\u{e000}exact';

type Holder = { userMetadata: object };
type Parent = Record<string | number, unknown>;
/** A value, and the same with texts in place of some numbers. */
type Pair = [Parent, Parent];

/**
 * As `JSON.parse`, but in the `userMetadata` of a user form, or of those in the `users` of a body, numbers that a `Number`
 * would change are kept as `ExactNumber`. Nothing else costs more than `JSON.parse`.
 * @throws as `JSON.parse`
 */
export function parseUserPayloads(json: string): unknown {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value) || (value.userMetadata === undefined && value.users === undefined)) return value;
  const holders = holdersIn(value);
  if (holders.length === 0) return value;
  const numbers = findChanged(json);
  if (numbers.length === 0) return value;
  // The same but for these numbers, which are texts: whatever becomes of members that come twice, or are called
  // `__proto__`, becomes of both.
  const quoted = holdersIn(JSON.parse(withQuotes(json, numbers)));
  for (const [index, holder] of holders.entries()) restore(holder.userMetadata, quoted[index]?.userMetadata);
  return value;
}

/** As `JSON.stringify`, with exact numbers as they were written. */
export function toJson(value: object): string {
  const json = JSON.stringify(value);
  return json.includes(HINT) ? write(value) : json;
}

/** Recurses: only for what `metadataProblem` has taken. */
function write(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}

/** The objects that have metadata. */
function holdersIn(value: unknown): Holder[] {
  const users: unknown[] = isJsonObject(value) && Array.isArray(value.users) ? value.users : [];
  return [value, ...users].filter((one) => isJsonObject(one) && isJsonObject(one.userMetadata)) as Holder[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where the numbers begin and end, in pairs, that a `Number` would change. */
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

/** Not by recursion: nobody has looked yet how deep it is. */
function restore(metadata: object, quoted: object | undefined): void {
  const todo = [[metadata, quoted] as Pair];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [parent] = pair;
    if (Array.isArray(parent)) {
      // A list of its indexes would be a million texts.
      for (let index = 0; index < parent.length; index += 1) restoreMember(pair, index, todo);
    } else {
      // Own members all, so that even `__proto__` is set as one.
      for (const key of Object.keys(parent)) restoreMember(pair, key, todo);
    }
  }
}

/** `todo`: takes what must be looked into next. */
function restoreMember([parent, quoted]: Pair, key: string | number, todo: Pair[]): void {
  const member = parent[key];
  if (typeof member === 'number') {
    const text = quoted[key];
    if (typeof text === 'string') parent[key] = new ExactNumber(text);
  } else if (typeof member === 'object' && member !== null) {
    todo.push([member, quoted[key]] as Pair);
  }
}
