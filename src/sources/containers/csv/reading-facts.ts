/**
 * Facts about a CSV file under one dialect, apart from the lengths of its rows. They help to choose the
 * dialect.
 */
export class ReadingFacts {
  hasQuotes = false;
  /** Whether a quoted CSV cell contains a doubled quote, which stands for one quote. */
  hasDoubled = false;
  /** Whether a quoted CSV cell contains a line break. */
  hasLineBreaks = false;
  hasDelimiters = false;
  /** Whether a backslash of the CSV file was interpreted as an escape. */
  hasEscapes = false;
  /**
   * Whether a backslash in an unquoted CSV cell was interpreted as an escape. `\N` for null does not count.
   */
  hasUnquotedEscapes = false;
  hasUnquotedBackslashes = false;
  /** Whether an escaped `"` occurs in an unquoted CSV cell. */
  hasEscapedQuotes = false;
  /** Number of unquoted CSV cells that are `NULL` or `\N`, by which databases write null. */
  nullWords = 0;
  /**
   * Possible quote characters inside unquoted CSV cells. Maps each to the number of the first record in which
   * it occurs.
   */
  bareIn = new Map<string, number>();

  copy(): ReadingFacts {
    return Object.assign(new ReadingFacts(), this, { bareIn: new Map(this.bareIn) });
  }
}
