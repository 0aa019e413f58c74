import { BACKSLASH, CR, LF } from './characters.ts';
import type { CsvDialect } from './csv-dialect.ts';

/** A CSV dialect that is tried, without the texts for null, which affect only values. */
export type ReadingRules = Pick<
  CsvDialect,
  'delimiter' | 'newline' | 'quote' | 'escaping' | 'escapesUnquoted'
>;

// Meanings of bytes of a CSV file. Bytes without a meaning are 0, which the inner loops skip quickly.
export const DELIMITER = 1;
export const LINE_FEED = 2;
export const CARRIAGE_RETURN = 3;
export const QUOTE = 4;
export const ESCAPE = 5;
/** A backslash that is text in the current CSV dialect, and an escape in another one that is tried. */
export const MAYBE_ESCAPE = 6;
/** A character that is text in the current CSV dialect, and a quote in another one that is tried. */
export const MAYBE_QUOTE = 7;

/** Characters that CSV writers can be configured to use as quotes. */
const MAYBE_QUOTES = '"\'`~^|@#%&*!$/:;=+';

/** Python, psql and MySQL escape these, too, with a backslash inside CSV quotes. */
const MAY_BE_ESCAPED = '\\\n\r0';
/** Escaped in unquoted CSV cells, including the letters used by COPY and `mysql --batch`. */
const MAY_BE_ESCAPED_UNQUOTED = '\\\n\r0"bfnrtv';

export function unquotedMeanings(rules: ReadingRules): Uint8Array {
  const meanings = new Uint8Array(256);
  if (rules.quote === undefined) for (const char of MAYBE_QUOTES) meanings[char.charCodeAt(0)] = MAYBE_QUOTE;
  setEnds(meanings, rules);
  meanings[BACKSLASH] = rules.escapesUnquoted ? ESCAPE : MAYBE_ESCAPE;
  return meanings;
}

export function quotedMeanings(rules: ReadingRules): Uint8Array {
  const meanings = new Uint8Array(256);
  setEnds(meanings, rules);
  meanings[BACKSLASH] = rules.escaping === 'doubled' ? MAYBE_ESCAPE : ESCAPE;
  return meanings;
}

function setEnds(meanings: Uint8Array, { delimiter, quote }: ReadingRules): void {
  meanings[delimiter.charCodeAt(0)] = DELIMITER;
  meanings[LF] = LINE_FEED;
  meanings[CR] = CARRIAGE_RETURN;
  if (quote !== undefined) meanings[quote.charCodeAt(0)] = QUOTE;
}

/** Characters with a meaning in unquoted CSV cells, other than the delimiter and the line end. */
export function specialChars(meanings: Uint8Array, { delimiter, newline }: ReadingRules): string[] {
  const lineEnd = newline === '\r' ? '\r' : '\n';
  return Array.from(meanings, (meaning, code) => (meaning === 0 ? '' : String.fromCharCode(code))).filter(
    (char) => char !== '' && char !== delimiter && char !== lineEnd,
  );
}

/** Returns whether programs that escape with backslashes put one before this character of a CSV cell. */
export function isEscaped(char: string, { delimiter, quote }: ReadingRules, isQuoted: boolean): boolean {
  if (char === delimiter || char === quote) return true;
  if (isQuoted) return MAY_BE_ESCAPED.includes(char);
  return MAY_BE_ESCAPED_UNQUOTED.includes(char) || (quote === undefined && MAYBE_QUOTES.includes(char));
}
