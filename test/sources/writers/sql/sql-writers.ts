import type { Writer } from '../writer.ts';
import { mariadbDump } from './mariadb-dump.ts';
import { pgDump } from './pg-dump.ts';
import { sqliteShell } from './sqlite-shell.ts';

/** Real programs that write SQL dumps, with their options. */
export const SQL_WRITERS: readonly Writer[] = [pgDump, mariadbDump, sqliteShell];
