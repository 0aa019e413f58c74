import type { Writer } from '../writer.ts';
import { mariadbFiles } from './mariadb-files.ts';
import { phpFputcsv, phpOptions } from './php-fputcsv.ts';
import { psqlCopy } from './psql-copy.ts';
import { pythonCsv, pythonDialects } from './python-csv.ts';
import { sqliteModes } from './sqlite-modes.ts';

/** Real programs that write CSV, with their defaults and with all their options. */
export const CSV_WRITERS: readonly Writer[] = [
  pythonCsv,
  pythonDialects,
  phpFputcsv,
  phpOptions,
  sqliteModes,
  psqlCopy,
  mariadbFiles,
];
