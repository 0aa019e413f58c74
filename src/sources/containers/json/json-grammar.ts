import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './bytes.ts';

/**
 * Checks the structure of a JSON object or array, byte by byte, across several blocks. Used to detect JSON,
 * and for values that are not valid or too long to be parsed, to find out whether their end is certain.
 * - Accepts more than `JSON.parse` if the end of the value remains certain: words such as `NaN`, `01` or
 *   `None` in place of values, trailing commas, and texts with raw control characters or unknown escapes.
 * - Rejects texts that begin or end where no name or value is allowed: the writer did not escape quotes, so
 *   the end of the value is unknown.
 */
export interface Grammar {
  /**
   * State of the checked JSON value. `open`: every byte fits so far. `ended`: the value is complete.
   * `broken`: a byte does not fit.
   */
  readonly state: 'open' | 'ended' | 'broken';
  /**
   * Whether a JSON text contains a raw control character, such as a tab or a line end. Valid JSON escapes
   * them.
   */
  readonly hasRawControls: boolean;
  /**
   * Checks the bytes of the JSON value from index `from` to `to`.
   * @returns the index after the value if it ended, or the index of the byte that does not fit
   */
  take(bytes: Buffer, from: number, to: number): number;
}

/** Maximum depth of arrays and objects in a JSON file. No real export is nested as deeply. */
const MAX_DEPTH = 65_536;

/** Token that the checker of a JSON value must find next, apart from white space. */
type Next =
  | 'bracket'
  | 'value'
  /** A value or the end of the JSON array must follow. */
  | 'element'
  /** The name of a member or the end of the JSON object must follow. */
  | 'name'
  | 'colon'
  /** A comma or the end of the innermost JSON object or array must follow. */
  | 'separator';

export function createGrammar(): Grammar {
  let state: Grammar['state'] = 'open';
  let next: Next = 'bracket';
  let within: 'text' | 'escape' | 'word' | undefined;
  let hasRawControls = false;
  const open: number[] = [];

  function endValue(): void {
    if (open.length === 0) state = 'ended';
    else next = 'separator';
  }

  /** Checks a byte outside the texts and words of a JSON value. @returns whether JSON permits the byte */
  function takeMark(byte: number): boolean {
    switch (byte) {
      case QUOTE:
        if (next !== 'name' && next !== 'value' && next !== 'element') return false;
        within = 'text';
        return true;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if ((next !== 'bracket' && next !== 'value' && next !== 'element') || open.length >= MAX_DEPTH)
          return false;
        open.push(byte);
        next = byte === OPEN_OBJECT ? 'name' : 'element';
        return true;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (next !== 'separator' && next !== (byte === CLOSE_OBJECT ? 'name' : 'element')) return false;
        // A closing bracket must match the innermost open one. In ASCII, the codes of `}` and `]` are those
        // of `{` and `[` plus two.
        if (open.pop() !== byte - 2) return false;
        endValue();
        return true;
      case COLON:
        if (next !== 'colon') return false;
        next = 'value';
        return true;
      case COMMA:
        if (next !== 'separator') return false;
        next = open.at(-1) === OPEN_OBJECT ? 'name' : 'element';
        return true;
      default:
        if ((next !== 'value' && next !== 'element') || !isOfWord(byte)) return false;
        within = 'word';
        return true;
    }
  }

  return {
    get state() {
      return state;
    },
    get hasRawControls() {
      return hasRawControls;
    },
    take(bytes, from, to) {
      for (let at = from; at < to && state === 'open'; at += 1) {
        const byte = bytes[at] ?? 0;
        if (within === 'escape') within = 'text';
        else if (within === 'text') {
          hasRawControls ||= byte < 0x20;
          if (byte === BACKSLASH) within = 'escape';
          else if (byte === QUOTE) {
            within = undefined;
            if (next === 'name') next = 'colon';
            else endValue();
          }
        } else if (within === 'word' && isOfWord(byte)) {
          // The byte belongs to a JSON number, `true`, `false` or `null` that has begun.
        } else {
          if (within === 'word') endValue();
          within = undefined;
          if (!isSpace(byte) && !takeMark(byte)) {
            state = 'broken';
            return at;
          }
        }
        if (state !== 'open') return at + 1;
      }
      return to;
    },
  };
}

/** Returns whether the byte may belong to a JSON number or word: a letter, a digit or one of `+ - . _`. */
const isOfWord = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e ||
  byte === 0x5f;

/** Returns whether the bytes are exactly one JSON value, so that its end is certain. */
export function endsForCertain(bytes: Buffer, from: number, to: number): boolean {
  const grammar = createGrammar();
  return grammar.take(bytes, from, to) === to && grammar.state === 'ended';
}
