/** Why a file is not consistent under a reading. */
export interface ReadingProblem {
  /** The number of the record, from 1, the header included. */
  record: number;
  /** Completes "Row 7 …". Shows nothing of the row. */
  what: string;
}

/** Counts the cells of records, and compares them with those of the first one. */
export class RowShape {
  /** The number of the record that is read, from 1. */
  record = 1;
  /** Cells of the first record; -1 before it ends. */
  columns = -1;
  /** The first record with too few or too many cells, or with a blank line before it. */
  ragged: ReadingProblem | undefined;
  /** The first record with fewer or more cells than the first one, empty cells at the end included. */
  uneven: ReadingProblem | undefined;
  /** Cells of the first record, all but empty ones at the end. */
  #minCells = 0;
  #cells = 0;
  /** Cells of this record, all but empty ones at the end. */
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
    copy.uneven = this.uneven;
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
      this.ragged ??= { record: this.record, what: 'has a blank line before it' };
    }
    this.#blankLines = 0;
    if (cells !== this.columns) {
      const what = `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, not ${this.columns}`;
      const problem = { record: this.record, what };
      this.uneven ??= problem;
      if (cells < this.#minCells || filled > this.columns) this.ragged ??= problem;
    }
    this.record++;
  }
}
