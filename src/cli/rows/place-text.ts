import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { count, printable } from '../terminal/text.ts';

export interface Place {
  file: string;
  /** Name of the table. Only set if the file has several. */
  table?: string;
  row: number;
}

export const placeOf = ({ file, table, row, isOfSeveralTables }: Verdict): Place =>
  isOfSeveralTables ? { file, table, row } : { file, row };

/** Returns `users.csv row 7`, or `dump.sql, users row 7` if the file has several tables. */
export const placeText = ({ file, table, row }: Place): string =>
  `${printable(table === undefined ? file : `${file}, ${table}`)} row ${count(row)}`;
