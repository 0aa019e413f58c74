/** One file of migrations/, such as 0001_users.sql. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/**
 * Returns whether a migration must run outside a transaction, which the first line of its file says.
 * CONTRIBUTING.md has the rules for such files.
 */
export const runsOutside = ({ sql }: Migration): boolean => /^-- no transaction\b/.test(sql);

/**
 * Returns the statements of a migration that runs outside a transaction. Each ends with a semicolon at the
 * end of a line. They must be sent one by one, because together they would form a transaction.
 */
export const statementsOf = ({ sql }: Migration): string[] =>
  sql
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
