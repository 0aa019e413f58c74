/** Program that wrote a CSV file, as the operator names it by `--csv`. It decides how cells are read. */
export interface CsvWriter {
  /** Delimiters that the program may use. The first line of the file shows which one it is. */
  delimiters: string;
  /** Undefined if cells are never in quotes: delimiters and line breaks in a cell then follow a backslash. */
  quote: '"' | "'" | undefined;
  /**
   * How a quote within a quoted cell is written:
   * - `doubled`: twice (RFC 4180).
   * - `backslash`: after a backslash, which is removed. Other characters can be escaped as well.
   * - `php`: twice, unless it follows a backslash, which remains text.
   */
  escaping: 'doubled' | 'backslash' | 'php';
  /** Texts of unquoted cells that mean null. */
  nulls: readonly string[];
  /** Programs and options, for documents and messages. */
  wrote: string;
}

const NULLS = ['NULL', '\\N'];
const RFC = { delimiters: ',', quote: '"', escaping: 'doubled', nulls: NULLS } as const;
const UNQUOTED = { delimiters: '\t', quote: undefined, escaping: 'backslash' } as const;

export const CSV_WRITERS = {
  rfc4180: { ...RFC, wrote: 'most programs, with commas' },
  semicolons: { ...RFC, delimiters: ';', wrote: 'most programs, with semicolons' },
  tabs: { ...RFC, delimiters: '\t', wrote: 'most programs, with tabs and cells in quotes' },
  bars: { ...RFC, delimiters: '|', wrote: 'most programs, with `|` and cells in quotes' },
  excel: { ...RFC, delimiters: ',;\t', nulls: [], wrote: 'Excel and LibreOffice' },
  psql: { ...RFC, nulls: [], wrote: '`\\copy … csv` and `--csv` of psql' },
  php: { ...RFC, delimiters: ',;', escaping: 'php', wrote: '`fputcsv` of PHP, WP-CLI' },
  backslash: {
    ...RFC,
    ...{ delimiters: ',;\t', escaping: 'backslash' },
    wrote: "`INTO OUTFILE … ENCLOSED BY '\"'` of MySQL, Python with `escapechar`, `\\copy … escape '\\'`",
  },
  'mysql-batch': { ...UNQUOTED, nulls: ['NULL'], wrote: '`mysql --batch`, without `--raw`' },
  'mysql-outfile': { ...UNQUOTED, nulls: ['\\N'], wrote: '`INTO OUTFILE` and `mysqldump --tab`' },
  'copy-text': { ...UNQUOTED, nulls: ['\\N'], wrote: '`COPY … TO` of PostgreSQL in text format' },
  'sqlite-quote': { ...RFC, quote: "'", nulls: ['NULL'], wrote: '`.mode quote` of sqlite3' },
} as const satisfies Record<string, CsvWriter>;

export type CsvWriterName = keyof typeof CSV_WRITERS;

export const CSV_WRITER_NAMES = Object.keys(CSV_WRITERS) as CsvWriterName[];

/** Writer that is assumed if the operator names none. `read-csv.ts` then stops at everything that is not certain. */
export const UNNAMED: CsvWriter = { ...RFC, delimiters: ',;', wrote: '' };

/** Patterns of escapes in a quoted cell. PHP does not double a quote that follows a backslash. */
const ESCAPES = { doubled: '""', backslash: String.raw`""|\\[^]`, php: String.raw`""|\\+(?:"|(?!["\\]))` };

/**
 * Returns an expression for a cell of a writer. It captures a quoted cell without its quotes. An unquoted cell ends
 * before a delimiter, a line end or a quote. If nothing matches, the cell has no end. The parts of the pattern
 * exclude one another, so that it never backtracks far.
 */
export function cellPattern({ quote, escaping }: CsvWriter, delimiter: string): RegExp {
  const plain = String.raw`[^${quote ?? '\\\\'}${delimiter}\r\n]*`;
  if (quote === undefined) return new RegExp(String.raw`${plain}(?:\\[^]${plain})*`, 'y');
  const text = escaping === 'doubled' ? '[^"]*' : String.raw`[^"\\]*`;
  const quoted = `"(${text}(?:(?:${ESCAPES[escaping]})${text})*)"(?!")`.replaceAll('"', quote);
  return new RegExp(`${quoted}|(?!${quote})${plain}`, 'y');
}
