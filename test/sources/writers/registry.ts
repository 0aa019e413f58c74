import { CSV_WRITERS } from './csv/csv-writers.ts';
import { JSON_WRITERS } from './json/json-writers.ts';
import { LDIF_WRITERS } from './ldif/ldif-writers.ts';
import { SQL_WRITERS } from './sql/sql-writers.ts';
import type { Writer } from './writer.ts';

/** Every real writer, whatever it writes. */
export const WRITERS: readonly Writer[] = [...CSV_WRITERS, ...JSON_WRITERS, ...LDIF_WRITERS, ...SQL_WRITERS];
