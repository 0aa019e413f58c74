/** Facts about a CSV file under one dialect, which help to choose the dialect. */
export class ReadingFacts {
  hasQuotes = false;
  hasDoubled = false;
  /** Inside quoted CSV cells, like `hasDelimiters`. */
  hasLineBreaks = false;
  hasDelimiters = false;
  hasEscapes = false;
  /** In unquoted CSV cells. `\N` for null does not count. */
  hasUnquotedEscapes = false;
  hasUnquotedBackslashes = false;
  /** In unquoted CSV cells: an escaped `"`. */
  hasEscapedQuotes = false;
  /** Number of unquoted CSV cells that are `NULL` or `\N`, by which databases write null. */
  nullWords = 0;
  /** Possible quotes inside unquoted CSV cells, each with the number of the first record that has it. */
  bareIn = new Map<string, number>();

  copy(): ReadingFacts {
    return Object.assign(new ReadingFacts(), this, { bareIn: new Map(this.bareIn) });
  }
}
