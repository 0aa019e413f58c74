import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of migrations/, such as 0001_users.sql. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** CONTRIBUTING.md has the rules for migrations that must run outside a transaction. */
export const runsOutside = ({ sql }: Migration): boolean => /^-- no transaction\b/.test(sql);

/** Statements end with a semicolon at the end of a line. Sent together, they would form a transaction. */
export const statementsOf = ({ sql }: Migration): string[] =>
  sql
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

const DIRECTORY = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Returns the migrations in the directory, oldest first. */
export function readMigrations(directory = DIRECTORY): Migration[] {
  const names = readdirSync(directory).filter((name) => /^\d{4}_\w+\.sql$/.test(name));
  return names.sort().map((name) => ({
    version: Number(name.slice(0, 4)),
    name,
    sql: readFileSync(join(directory, name), 'utf8'),
  }));
}
