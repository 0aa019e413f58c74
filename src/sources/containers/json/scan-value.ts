import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';

/** State of scanning a JSON value for its end. The scan can continue with the next bytes. */
export interface Scan {
  depth: number;
  inText: boolean;
  isDone: boolean;
  /** A closing bracket of the JSON value is of another kind than the open one. */
  isBroken: boolean;
  /** Sum of the flags EXACT_NUMBERS, EXTENDED and TOO_DEEP that were found so far. */
  marks: number;
  /** Stack of the open brackets of the JSON value. */
  readonly open: Uint8Array;
}

/** The JSON value may contain a number that would lose digits as a float. */
export const EXACT_NUMBERS = 1;
/**
 * A text begins with `$o`, `$d` or `$n`, as in MongoDB's Extended JSON, but not in hashes (`$2`, `$a`, `$p`).
 */
export const EXTENDED = 2;
/** The JSON value is nested more deeply than any user, and too deeply for recursive functions. */
export const TOO_DEEP = 4;

const MAX_DEPTH = 512;
/** A whole number of this many digits in JSON is always exact as a float. */
const SAFE_DIGITS = 15;

export const createScan = (): Scan => ({
  depth: 0,
  inText: false,
  isDone: false,
  isBroken: false,
  marks: 0,
  open: new Uint8Array(MAX_DEPTH),
});

/** With `inside`, the open bracket of a JSON array or object, the scan looks for the end of that value. */
export function startScan(scan: Scan, inside?: number): Scan {
  scan.depth = 0;
  scan.inText = false;
  scan.isDone = false;
  scan.isBroken = false;
  scan.marks = 0;
  if (inside !== undefined) {
    scan.open[0] = inside;
    scan.depth = 1;
  }
  return scan;
}

// Lookup tables by byte. They halve the time of scanning JSON, compared with comparisons of each byte.
const PLAIN = 0;
const QUOTES = 1;
const OPENS = 2;
const CLOSES = 3;
const DIGIT = 4;
const MINUS = 5;
const OUTSIDE = tableOf([
  [[QUOTE], QUOTES],
  [[OPEN_OBJECT, OPEN_ARRAY], OPENS],
  [[CLOSE_OBJECT, CLOSE_ARRAY], CLOSES],
  [[0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39], DIGIT],
  [[0x2d], MINUS],
]);
const INSIDE = tableOf([[[QUOTE, BACKSLASH], 1]]);
/** Bytes that end a JSON number, `true`, `false` or `null`. */
const ENDS_SHORT = tableOf([
  [[QUOTE, OPEN_OBJECT, OPEN_ARRAY, CLOSE_OBJECT, CLOSE_ARRAY, COMMA, 0x20, 0x0a, 0x0d, 0x09], 1],
]);

function tableOf(kinds: readonly (readonly [readonly number[], number])[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const [bytes, kind] of kinds) for (const byte of bytes) table[byte] = kind;
  return table;
}

/**
 * Finds the end of a JSON value. It only follows texts and brackets; `JSON.parse` checks everything else.
 * @param from index of the first byte of the value, or the index returned by an earlier call
 * @returns the index after the value if `scan.isDone`, the index after the bracket if `scan.isBroken`, or
 * else the index to continue at: `to`, or the index of a backslash just before `to`
 */
export function scanValue(scan: Scan, bytes: Buffer, from: number, to: number): number {
  const { open } = scan;
  let { depth, inText, marks } = scan;
  let at = from;
  if (depth === 0 && !inText && at < to && !beginsLong(bytes[at])) return scanShort(scan, bytes, at, to);
  while (true) {
    if (inText) {
      while (at < to && INSIDE[bytes[at] ?? 0] === 0) at += 1;
      if (at >= to) break;
      if (bytes[at] === BACKSLASH) {
        if (at + 1 >= to) break;
        at += 2;
        continue;
      }
      at += 1;
      inText = false;
      scan.isDone = depth === 0;
      if (scan.isDone) break;
    }
    while (at < to && OUTSIDE[bytes[at] ?? 0] === PLAIN) at += 1;
    if (at >= to) break;
    const byte = bytes[at] ?? 0;
    const kind = OUTSIDE[byte];
    at += 1;
    if (kind === QUOTES) {
      inText = true;
      if (at + 1 >= to || (bytes[at] === 0x24 && beginsExtended(bytes[at + 1]))) marks |= EXTENDED;
    } else if (kind === OPENS) {
      if (depth < MAX_DEPTH) open[depth] = byte;
      else marks |= TOO_DEEP;
      depth += 1;
    } else if (kind === CLOSES) {
      depth -= 1;
      // In ASCII, the codes of `}` and `]` are those of `{` and `[` plus two.
      scan.isBroken = depth < MAX_DEPTH && open[depth] !== byte - 2;
      scan.isDone = depth === 0 && !scan.isBroken;
      if (scan.isDone || scan.isBroken) break;
    } else if (kind === MINUS) {
      // Every negative number in JSON is parsed exactly. They are rare, and a float changes `-0`.
      marks |= EXACT_NUMBERS;
    } else {
      const start = at - 1;
      while (at < to && OUTSIDE[bytes[at] ?? 0] === DIGIT) at += 1;
      if (at - start > SAFE_DIGITS || at >= to || goesOn(bytes[at])) marks |= EXACT_NUMBERS;
    }
  }
  scan.depth = depth;
  scan.inText = inText;
  scan.marks = marks;
  return at;
}

function scanShort(scan: Scan, bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && ENDS_SHORT[bytes[at] ?? 0] === 0) at += 1;
  scan.isDone = at < to;
  scan.marks |= EXACT_NUMBERS;
  return at;
}

const beginsLong = (byte: number | undefined) =>
  byte === QUOTE || byte === OPEN_OBJECT || byte === OPEN_ARRAY;
/** `.`, `e` or `E` in a JSON number, which is then not whole. */
const goesOn = (byte: number | undefined) => byte === 0x2e || byte === 0x65 || byte === 0x45;
/** The `o`, `d` or `n` of `$oid`, `$date` or `$number…` in Extended JSON. */
const beginsExtended = (byte: number | undefined) => byte === 0x6f || byte === 0x64 || byte === 0x6e;
