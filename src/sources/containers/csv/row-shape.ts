/** Reason why a CSV file cannot have been written in a dialect. */
export interface ReadingProblem {
  /** Number of the CSV record with the problem. The header is record 1. */
  record: number;
  /** Completes the message "Row 7 …" about a CSV file. Must not quote the row, which may contain secrets. */
  what: string;
}

/** Counts the cells of each CSV record, and compares them with the first record. */
export class RowShape {
  record = 1;
  /** Number of cells of the first CSV record, or -1 while that record is being read. */
  columns = -1;
  /** First CSV record of another length, or after a blank line. Empty cells at the end do not count. */
  ragged: ReadingProblem | undefined;
  /** Number of CSV records to which `ragged` applies. */
  raggedCount = 0;
  /** First CSV record of another length, where empty cells at the end count. */
  uneven: ReadingProblem | undefined;
  /**
   * First CSV record of one cell or after a blank line, like most if a user's cell is taken for the header.
   */
  foreign: ReadingProblem | undefined;
  /** Number of cells of the first CSV record, without empty cells at its end. */
  #minCells = 0;
  #cells = 0;
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
