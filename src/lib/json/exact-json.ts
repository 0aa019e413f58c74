import { isJsonObject } from './json-object.ts';

/** JSON number that JavaScript would change, such as `1.0`, `-0`, `12345678901234567890` or `1e400`. */
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
 * Text that `JSON.stringify` writes in place of exact numbers, so that `toJson` notices them. If a string contains the
 * same text, that only costs time.
 */
const HINT = '\u{e000}exact';

type Parent = Record<string | number, unknown>;
/** Parsed value, and a copy in which numbers that JavaScript would change are strings. */
type Pair = [Parent, Parent];

/**
 * Parses JSON like `JSON.parse`. Within the objects that `select` returns, numbers that a JavaScript number
 * would change are kept as `ExactNumber`.
 * @param select called with the parsed value, and with a copy in which such numbers are strings; must return
 * the same objects of both, in the same order
 */
export function parseExactWithin(json: string, select: (value: unknown) => readonly object[]): unknown {
  const value: unknown = JSON.parse(json);
  const selected = select(value);
  if (selected.length === 0) return value;
  const quoted = withQuotes(json);
  if (quoted === json) return value;
  // The copy is parsed like the original, so that duplicate members and members called `__proto__` have the same
  // effect.
  const copies = select(JSON.parse(quoted));
  for (const [index, object] of selected.entries()) restore(object, copies[index]);
  return value;
}

/** Parses JSON like `JSON.parse`, but keeps numbers that a JavaScript number would change. */
export function parseExact(json: string): unknown {
  const whole = { value: JSON.parse(json) };
  const quoted = withQuotes(json);
  if (quoted !== json) restore(whole, { value: JSON.parse(quoted) });
  return whole.value;
}

/** Writes JSON with exact numbers as they were read. */
export function toJson(value: object): string {
  const json = JSON.stringify(value);
  return json.includes(HINT) ? write(value) : json;
}

/** `write` recurses, so callers must have limited the depth of the value. */
function write(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}

/** Returns JSON in which the numbers that a JavaScript number would change are strings. */
function withQuotes(json: string): string {
  const next = /"|-?\d[\d.eE+-]*/g;
  let quoted = '';
  let done = 0;
  for (let found = next.exec(json); found !== null; found = next.exec(json)) {
    const [token] = found;
    if (token === '"') next.lastIndex = endOfText(json, found.index);
    else if (String(Number(token)) !== token) {
      quoted += `${json.slice(done, found.index)}"${token}"`;
      done = next.lastIndex;
    }
  }
  return done === 0 ? json : quoted + json.slice(done);
}

function endOfText(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote + 1;
}

/** An odd number of backslashes precedes an escaped quote. */
function isEscaped(json: string, quote: number): boolean {
  let at = quote - 1;
  while (json[at] === '\\') at -= 1;
  return (quote - at) % 2 === 0;
}

/** `restore` does not recurse, because the depth of the value is not limited yet. */
function restore(value: object, quoted: object | undefined): void {
  const todo = [[value, quoted] as Pair];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [parent] = pair;
    if (Array.isArray(parent)) {
      // A loop by index, because `Object.keys` of an array would list its indexes, perhaps a million strings.
      for (let index = 0; index < parent.length; index += 1) restoreMember(pair, index, todo);
    } else {
      // `Object.keys` lists a member called `__proto__`, too, which must be set like any other member.
      for (const key of Object.keys(parent)) restoreMember(pair, key, todo);
    }
  }
}

/** @param todo receives the pairs of child objects to be searched next */
function restoreMember([parent, quoted]: Pair, key: string | number, todo: Pair[]): void {
  const member = parent[key];
  if (typeof member === 'number') {
    const text = quoted[key];
    if (typeof text === 'string') parent[key] = new ExactNumber(text);
  } else if (typeof member === 'object' && member !== null) {
    todo.push([member, quoted[key]] as Pair);
  }
}
