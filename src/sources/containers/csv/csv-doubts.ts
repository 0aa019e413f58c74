/** Characters that somebody might configure as quotes of CSV, besides `"`. Hashes and numbers begin with others. */
const POSSIBLE_QUOTES = "'`~^|@#%&*!";

/** Programs that escape with backslashes put one before these in quoted cells, and in others. */
const MAY_BE_ESCAPED = { quoted: '\\"\r\n0,;\t|', unquoted: '\\"\r\n0,;\t|bfnrtvNZ' };

/**
 * What is uncertain in a CSV file whose writer is not known. Cells may be in quotes other than `"`, and then contain
 * rows: a writer with this quote ends the cell with it, before a delimiter or line end, or writes it twice or after
 * a backslash. If the next one in the file stands elsewhere, the character is no quote. Backslashes may be escapes:
 * a writer that escapes doubles those of users, and never puts one before an ordinary character. So no user can
 * change either.
 */
export class CsvDoubts {
  /** Characters that are no quotes in this CSV file. */
  readonly #plain = new Set<string>();
  /** Possible quotes whose next occurrence is in a later block, with the end of the text before it. */
  readonly #open = new Map<string, string>();
  #isLast = false;
  #areEscapes: 'never' | 'maybe' | undefined;

  /**
   * Returns whether an unquoted cell at this index of the text is in quotes, as far as the text shows.
   * @param isFirst whether it is in the header or the first row, where a writer that always quotes shows itself
   */
  isQuoteAt(cell: string, text: string, at: number, isFirst: boolean): boolean {
    const char = cell.charAt(0);
    if (char === '' || !POSSIBLE_QUOTES.includes(char)) return false;
    if (this.#plain.has(char) || this.#open.has(char)) return false;
    // A cell that ends with the same character has nothing in it that needs quotes.
    if (!isFirst && cell.indexOf(char, 1) === cell.length - 1) return false;
    return this.#isQuote(char, text.slice(at + 1));
  }

  /** Returns whether a cell of an earlier block of the CSV file is in quotes, as this block shows. */
  isQuoteIn(block: string, isLast: boolean): boolean {
    this.#isLast = isLast;
    const open = [...this.#open];
    this.#open.clear();
    return open.some(([char, before]) => this.#isQuote(char, before + block));
  }

  #isQuote(char: string, text: string): boolean {
    const found = text.indexOf(char);
    if (!this.#isLast && (found === -1 || found + 1 === text.length)) {
      this.#open.set(char, text.slice(found === -1 ? -1 : Math.max(0, found - 1)));
      return false;
    }
    const isEnd = text[found - 1] === '\\' || `,;\t|\r\n${char}`.includes(text.charAt(found + 1));
    if (found !== -1 && isEnd) return true;
    this.#plain.add(char);
    return false;
  }

  noteBackslashes(cell: string, where: keyof typeof MAY_BE_ESCAPED): void {
    if (this.#areEscapes === 'never') return;
    for (const [, char = ''] of cell.matchAll(/\\([\s\S])/g))
      if (!MAY_BE_ESCAPED[where].includes(char)) this.#areEscapes = 'never';
    this.#areEscapes ??= 'maybe';
  }

  /** Whether backslashes may be escapes, as far as all cells show. */
  get mayEscape(): boolean {
    return this.#areEscapes === 'maybe';
  }
}
