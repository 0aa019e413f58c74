import type { ReadingFacts } from './reading-facts.ts';
import type { RowShape } from './row-shape.ts';

/** Enough of the previous block of the CSV file for `NULL` and a carriage return after it. */
const TAIL_CHARS = 5;

/** The CSV cell that is being read. It may have begun in an earlier block of the file. */
export class OpenCell {
  /** Offset of the cell's first character in the CSV file. */
  from = 0;
  isQuoted = false;
  #tail = '';

  begin(from: number, isQuoted: boolean): void {
    this.from = from;
    this.isQuoted = isQuoted;
  }

  copy(): OpenCell {
    const copy = new OpenCell();
    copy.begin(this.from, this.isQuoted);
    copy.#tail = this.#tail;
    return copy;
  }

  /** If the CSV cell continues in the next block, `end` needs its last characters to recognise `NULL`. */
  keepTail(text: string): void {
    this.#tail = (text.length < TAIL_CHARS ? this.#tail + text : text).slice(-TAIL_CHARS);
  }

  /**
   * Counts a CSV cell, and whether it may mean null.
   * @param at index in `text` of the character after the cell; negative if the cell ended in the previous
   * block
   * @param base offset in the file of the first character of `text`
   * @param hasEscapes whether backslashes are escapes outside quotes, so that `\N` is certainly null
   */
  end(
    text: string,
    at: number,
    base: number,
    shape: RowShape,
    facts: ReadingFacts,
    hasEscapes: boolean,
  ): void {
    const length = base + at - this.from;
    shape.addCell(this.isQuoted || length > 0);
    if (this.isQuoted || (length !== 4 && length !== 2)) return;
    const from = at - length;
    const word = length === 4 ? 'NULL' : '\\N';
    const isNull =
      from >= 0
        ? text.startsWith(word, from)
        : (this.#tail + text).startsWith(word, this.#tail.length + from);
    if (isNull && !(length === 2 && hasEscapes)) facts.nullWords++;
  }
}
