import { BACKSLASH } from './characters.ts';
import type { CsvDialect } from './csv-dialect.ts';

/** Finds the end of a CSV record that is too long to keep in memory. */
export interface RecordSkipper {
  /** Returns the index of the next CSV record, or undefined if the text directly after is needed, too. */
  skip(text: string, from: number): number | undefined;
}

export function createRecordSkipper({
  delimiter,
  newline,
  quote,
  escaping,
  escapesUnquoted,
}: CsvDialect): RecordSkipper {
  const delimiterCode = delimiter.charCodeAt(0);
  const lineEndCode = newline === '\r' ? 13 : 10;
  const quoteCode = quote?.charCodeAt(0) ?? -1;
  let isStart = true;
  let isQuoted = false;
  /** The previous character is the closing quote of a CSV cell, or the first of a doubled quote. */
  let isAfterQuote = false;
  let isEscaped = false;
  return {
    skip(text, from) {
      for (let at = from; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (isEscaped && (escaping === 'backslash' || code === quoteCode)) {
          isEscaped = false;
          continue;
        }
        isEscaped = false;
        if (isAfterQuote) {
          isAfterQuote = false;
          if (code === quoteCode) continue;
          isQuoted = false;
        }
        if (isQuoted) {
          if (code === quoteCode) isAfterQuote = true;
          else isEscaped = code === BACKSLASH && escaping !== 'doubled';
          continue;
        }
        if (code === lineEndCode) return at + 1;
        if (isStart && code === quoteCode) isQuoted = true;
        else isEscaped = code === BACKSLASH && escapesUnquoted;
        isStart = code === delimiterCode;
      }
      return undefined;
    },
  };
}
