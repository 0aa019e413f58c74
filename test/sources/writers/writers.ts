import { mariadbFiles } from './csv/mariadb-files.ts';
import { phpFputcsv, phpOptions } from './csv/php-fputcsv.ts';
import { psqlCopy } from './csv/psql-copy.ts';
import { pythonCsv, pythonDialects } from './csv/python-csv.ts';
import { sqliteModes } from './csv/sqlite-modes.ts';
import { postgresJson, sqliteJson } from './json/database-json.ts';
import { jq, phpJson, pythonJson } from './json/scripted-json.ts';
import { openLdap } from './ldif/slapcat.ts';
import { mariadbDump } from './sql/mariadb-dump.ts';
import { pgDump } from './sql/pg-dump.ts';
import { sqliteShell } from './sql/sqlite-shell.ts';
import type { Writer } from './writer.ts';

/** Real programs that write exports, with their defaults and with all their options. */
export const WRITERS: readonly Writer[] = [
  ...[pythonCsv, pythonDialects, phpFputcsv, phpOptions, sqliteModes, psqlCopy, mariadbFiles],
  ...[pythonJson, phpJson, jq, postgresJson, sqliteJson],
  openLdap,
  ...[pgDump, mariadbDump, sqliteShell],
];
