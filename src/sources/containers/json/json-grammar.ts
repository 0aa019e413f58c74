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
 * Checks the structure of a JSON object or array across blocks, to detect JSON, and to find out whether the
 * end of a value that is invalid or too long to be parsed is certain.
 * - Accepts more than `JSON.parse` if the end remains certain: words such as `NaN`, `01` or `None`, trailing
 * commas, and texts with raw control characters or unknown escapes.
 * - Rejects texts that begin or end where no name or value is allowed: the writer did not escape quotes.
 */
export interface Grammar {
  /** `open`: all bytes of the JSON value fit so far. `broken`: a byte does not fit. */
  readonly state: 'open' | 'ended' | 'broken';
  /** A JSON text has a raw control character, such as a tab or a line end. Valid JSON escapes them. */
  readonly hasRawControls: boolean;
  /** Returns the index after the JSON value if it ended, or the index of the byte that does not fit. */
  take(bytes: Buffer, from: number, to: number): number;
}

/** No real JSON export is nested as deeply. */
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
        // In ASCII, the codes of `}` and `]` are those of `{` and `[` plus two.
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
          // The byte continues a JSON number, `true`, `false` or `null`.
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

/** A letter, a digit or one of `+ - . _` in a JSON number or word. */
const isOfWord = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e ||
  byte === 0x5f;

export function endsForCertain(bytes: Buffer, from: number, to: number): boolean {
  const grammar = createGrammar();
  return grammar.take(bytes, from, to) === to && grammar.state === 'ended';
}
