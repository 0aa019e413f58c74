/** Facts that a reading collects about a file, apart from the shape of its rows. */
export class ReadingFacts {
  hasQuotes = false;
  /** Whether a quoted cell contains a doubled quote, which stands for one quote. */
  hasDoubled = false;
  /** Whether a quoted cell contains a line break. */
  hasLineBreaks = false;
  hasDelimiters = false;
  /** Whether a backslash was interpreted as an escape. */
  hasEscapes = false;
  /** Whether a backslash was interpreted as an escape outside quotes. `\N` for null does not count. */
  hasUnquotedEscapes = false;
  hasUnquotedBackslashes = false;
  /** Whether an escaped `"` occurs outside quotes. */
  hasEscapedQuotes = false;
  /** Number of unquoted cells that are `NULL` or `\N`, by which databases write null. */
  nullWords = 0;
  /** Possible quote characters that occur inside unquoted cells, each with the number of the first such record. */
  bareIn = new Map<string, number>();

  copy(): ReadingFacts {
    return Object.assign(new ReadingFacts(), this, { bareIn: new Map(this.bareIn) });
  }
}
