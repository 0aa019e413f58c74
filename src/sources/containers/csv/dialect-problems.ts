import { FileProblem } from '../table.ts';
import type { ReadingProblem } from './row-shape.ts';

/** Creates the errors that ask the operator to name the dialect of a CSV file. */
export class DialectProblems {
  readonly #delimiter: string;
  readonly #headerRows: number;

  constructor(delimiter: string, headerRows: number) {
    this.#delimiter = delimiter;
    this.#headerRows = headerRows;
  }

  #invalid(message: string): FileProblem {
    return new FileProblem('FILE_INVALID', message);
  }

  #row({ record, what }: ReadingProblem): string {
    const row = record - this.#headerRows;
    return `${row < 1 ? 'The header' : `Row ${row}`} ${what}`;
  }

  inconsistent(problem: ReadingProblem): FileProblem {
    return this.#invalid(
      `${this.#row(problem)}, so the end of its rows is uncertain. Nothing of the file is imported. If it was cut off, or can be ` +
        'written as CSV with quotes doubled, export it again. If not, describe how it was written: --csv-quote, --csv-escape, ' +
        '--csv-delimiter; or correct these flags, if you gave them.',
    );
  }

  otherQuotes(problem: ReadingProblem, quote: string | undefined): FileProblem {
    return this.#invalid(
      `${this.#row(problem)}. The file may have another quote: if so, add --csv-quote ${shown(quote)}.`,
    );
  }

  severalQuotes(quote: string | undefined): FileProblem {
    return this.#invalid(
      `The file can be read with quotes ${shown('"')}, and ${quote === 'none' ? 'without any' : `with ${shown(quote)}`}, ` +
        `with different results. Add --csv-quote ${shown('"')} or --csv-quote ${shown(quote)}.`,
    );
  }

  severalEscapes(): FileProblem {
    return this.#invalid(
      'Backslashes in the file may be text or escapes, with different results. Name the escaping: --csv-escape ' +
        'doubled (CSV of most programs), backslash (MySQL, COPY in text format, Python with an escapechar, psql with ESCAPE) or php (fputcsv, Firebase).',
    );
  }

  severalDelimiters(other: string): FileProblem {
    return this.#invalid(
      `Cells of the file may be separated by ${shown(this.#delimiter)} or by ${shown(other)}. Name the delimiter: ` +
        `--csv-delimiter ${shown(this.#delimiter)} or --csv-delimiter ${shown(other)}.`,
    );
  }

  unquotedOrNone(): FileProblem {
    return this.#invalid(
      'No cell of the file is in quotes, so its backslashes may be escapes (mysql --batch, COPY in text format, INTO OUTFILE) or text ' +
        '(CSV of psql). If they are escapes: --csv-quote none. If not: --csv-escape doubled.',
    );
  }

  unquotedBackslashes(): FileProblem {
    return this.#invalid(
      'Backslashes outside quotes may be escapes (Python, MySQL) or text (psql), which is not certain here. Export it again with all cells ' +
        'in quotes: force_quote * (psql), QUOTE_ALL (Python).',
    );
  }

  unknownWriter(): FileProblem {
    const name = this.#delimiter === '\t' ? 'tabs' : `${shown(this.#delimiter)}`;
    return this.#invalid(
      `Files with ${name} between cells can be escaped in several ways. Name the one of this file: --csv-escape backslash (mysql ` +
        '--batch, COPY, INTO OUTFILE) or --csv-escape doubled (quotes as in CSV: Excel, Python, psql). Files of mysql --raw and of .mode ' +
        'tabs or list of sqlite3 escape nothing: a cell may hold a line that looks like a row. Export them again: without --raw, with .mode csv.',
    );
  }

  ragged(problem: ReadingProblem): FileProblem {
    return this.#invalid(
      `${this.#row(problem)}. A line break in a cell without quotes looks like that, and the rows around it may be forged. Export the ` +
        'file again with quotes, or remove the row. If the writer does put cells with line breaks in quotes: --csv-escape doubled.',
    );
  }

  oneNull(): FileProblem {
    return this.#invalid(
      'The file has one unquoted NULL, which may be an empty cell or a text. Decide: --csv-null NULL, or --csv-null with a text that ' +
        'stands for empty cells here.',
    );
  }
}

/** Formats a delimiter or quote so that the operator can paste it into a shell command. */
function shown(char: string | undefined): string {
  if (char === '\t') return 'tab';
  if (char === undefined || char === 'none') return 'none';
  return char === "'" ? `"'"` : `'${char}'`;
}
