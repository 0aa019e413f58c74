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
 * Follows the structure of one JSON object or array, byte by byte, and goes on with the bytes that come next.
 *
 * It accepts more than `JSON.parse` where the end of the value stays certain: words such as `NaN`, `01` or
 * `None` in place of values, a comma too many, and texts with raw control characters or unknown escapes. It
 * does not accept texts that begin or end where no name or value can stand: their writer does not escape
 * quotes, so nobody can tell where the value ends.
 */
export interface Grammar {
  /** `open`: every byte fits so far. `ended`: the value has ended. `broken`: a byte does not fit. */
  readonly state: 'open' | 'ended' | 'broken';
  /** Whether a text has a control character as it is, such as a tab or a line end. JSON escapes them. */
  readonly hasRawControls: boolean;
  /**
   * Takes the bytes from `from` to `to`.
   * @returns after the value if it ended, or the place of the byte that does not fit
   */
  take(bytes: Buffer, from: number, to: number): number;
}

/** Nothing that is an export is nested deeper. */
const MAX_DEPTH = 65_536;

/** What may come next, apart from spaces. */
type Next =
  | 'bracket'
  | 'value'
  /** A value, or the end of the array. */
  | 'element'
  /** A name, or the end of the object. */
  | 'name'
  | 'colon'
  /** A comma, or the end of what is open. */
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

  /** @returns whether the byte fits, outside of texts and words */
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
        // `}` and `]` come two after `{` and `[`.
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
          // The word goes on.
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

/** A letter, a digit or one of `+ - . _` */
const isOfWord = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e ||
  byte === 0x5f;

/**
 * Returns whether these bytes are one value from the first to the last, so that its end is where it seems to
 * be.
 */
export function endsForCertain(bytes: Buffer, from: number, to: number): boolean {
  const grammar = createGrammar();
  return grammar.take(bytes, from, to) === to && grammar.state === 'ended';
}
