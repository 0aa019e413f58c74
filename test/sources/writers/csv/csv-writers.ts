import type { Writer } from '../writer.ts';
import { pythonCsv } from './python-csv.ts';

/** Real programs that write CSV, and what their options make of it. */
export const CSV_WRITERS: readonly Writer[] = [pythonCsv];
