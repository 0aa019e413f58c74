import { CSV_WRITER_NAMES, CSV_WRITERS } from '../../../src/sources/containers/csv/csv-writers.ts';
import { code, table } from './doc-tables.ts';

const NAMES_OF_DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'bar',
};

/** Returns the table of values of `--csv`. */
export const csvWriterTable = () =>
  table(
    ['`--csv`', 'written by', 'delimiter', 'null'],
    CSV_WRITER_NAMES.map((name) => {
      const { wrote, delimiters, nulls } = CSV_WRITERS[name];
      return [
        code(name),
        wrote,
        [...delimiters].map((one) => NAMES_OF_DELIMITERS[one]).join(', '),
        nulls.map(code).join(', '),
      ];
    }),
  );
