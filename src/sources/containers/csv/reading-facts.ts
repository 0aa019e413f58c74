/** What a reading met in a file, besides the shape of its rows. */
export class ReadingFacts {
  hasQuotes = false;
  /** Whether a quoted cell has a quote that is doubled. */
  hasDoubled = false;
  /** Whether a quoted cell has a line break in it; or a delimiter. */
  hasLineBreaks = false;
  hasDelimiters = false;
  /** Whether a backslash was read otherwise than as a character of the text. */
  hasEscapes = false;
  /** Whether a backslash outside quotes was read so; `\N` for null does not count. */
  hasUnquotedEscapes = false;
  hasUnquotedBackslashes = false;
  /** Whether a `"` outside quotes is escaped. */
  hasEscapedQuotes = false;
  /** Unquoted cells that are `NULL` or `\N`. */
  nullWords = 0;
  /** Of readings without quotes: characters that stand within cells, though they may be quotes, and the first record of each. */
  bareIn = new Map<string, number>();

  copy(): ReadingFacts {
    return Object.assign(new ReadingFacts(), this, { bareIn: new Map(this.bareIn) });
  }
}
