import { CSV_WRITERS } from './csv/csv-writers.ts';
import type { Writer } from './writer.ts';

/** Every real writer, whatever it writes. */
export const WRITERS: readonly Writer[] = [...CSV_WRITERS];
