/** Facts about a CSV file under one dialect, which help to choose the dialect. */
export class ReadingFacts {
  hasQuotes = false;
  hasDoubled = false;
  /** Whether quoted CSV cells have line breaks; `hasDelimiters` likewise for delimiters. */
  hasLineBreaks = false;
  hasDelimiters = false;
  hasEscapes = false;
  /** Whether unquoted CSV cells have escapes. `\N` for null does not count. */
  hasUnquotedEscapes = false;
  hasUnquotedBackslashes = false;
  /** Whether unquoted CSV cells have an escaped `"`. */
  hasEscapedQuotes = false;
  /** Number of unquoted CSV cells that are `NULL` or `\N`, by which databases write null. */
  nullWords = 0;
  /** Possible quotes inside unquoted CSV cells, each with the number of the first record that has it. */
  bareIn = new Map<string, number>();

  copy(): ReadingFacts {
    return Object.assign(new ReadingFacts(), this, { bareIn: new Map(this.bareIn) });
  }
}
