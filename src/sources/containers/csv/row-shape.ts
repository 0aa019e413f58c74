/** Reason why a file is not consistent under a reading. */
export interface ReadingProblem {
  /** Number of the record. The header is record 1. */
  record: number;
  /** Completes the sentence "Row 7 …". Contains nothing of the row. */
  what: string;
}

/** Counts the cells of each record, and compares them with the first record. */
export class RowShape {
  /** Number of the record that is being read, from 1. */
  record = 1;
  /** Number of cells of the first record, or -1 while that record is being read. */
  columns = -1;
  /** The first record with too few or too many cells, or after a blank line. */
  ragged: ReadingProblem | undefined;
  /** Number of records that have more or fewer cells than the first record. */
  raggedCount = 0;
  /** The first record whose number of cells differs from the first record, counting empty cells at the end. */
  uneven: ReadingProblem | undefined;
  /**
   * The first record without any delimiter, or after a blank line. If a user's cell is mistaken for the header, most rows
   * of other users look like this.
   */
  foreign: ReadingProblem | undefined;
  /** Number of cells of the first record, without empty cells at its end. */
  #minCells = 0;
  #cells = 0;
  /** Number of cells of the current record, without empty cells at its end. */
  #filled = 0;
  #blankLines = 0;

  get isEmpty(): boolean {
    return this.#cells === 0;
  }

  copy(): RowShape {
    const copy = new RowShape();
    copy.record = this.record;
    copy.columns = this.columns;
    copy.ragged = this.ragged;
    copy.raggedCount = this.raggedCount;
    copy.uneven = this.uneven;
    copy.foreign = this.foreign;
    copy.#minCells = this.#minCells;
    copy.#cells = this.#cells;
    copy.#filled = this.#filled;
    copy.#blankLines = this.#blankLines;
    return copy;
  }

  addCell(isFilled: boolean): void {
    this.#cells++;
    if (isFilled) this.#filled = this.#cells;
  }

  endRecord(): void {
    const [cells, filled] = [this.#cells, this.#filled];
    this.#cells = 0;
    this.#filled = 0;
    if (cells === 1 && filled === 0) {
      this.#blankLines++;
      return;
    }
    if (this.columns < 0) {
      this.columns = cells;
      this.#minCells = filled;
    } else if (this.#blankLines > 0 && this.columns > 1) {
      const problem = { record: this.record, what: 'has a blank line before it' };
      this.foreign ??= problem;
      this.#addRagged(problem);
    }
    this.#blankLines = 0;
    if (cells !== this.columns) {
      const what = `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, not ${this.columns}`;
      const problem = { record: this.record, what };
      this.uneven ??= problem;
      if (cells === 1) this.foreign ??= problem;
      if (cells < this.#minCells || filled > this.columns) this.#addRagged(problem);
    }
    this.record++;
  }

  #addRagged(problem: ReadingProblem): void {
    this.ragged ??= problem;
    this.raggedCount++;
  }
}
