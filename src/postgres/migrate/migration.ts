/** One file of migrations/, e.g. 0001_users.sql. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** Returns whether the file runs outside a transaction, which its first line says. CONTRIBUTING.md has the rules for such files. */
export const runsOutside = ({ sql }: Migration): boolean => /^-- no transaction\b/.test(sql);

/**
 * The statements of a file that runs outside a transaction: each ends with a semicolon at the end of a line. Sent together
 * they would be one transaction again.
 */
export const statementsOf = ({ sql }: Migration): string[] =>
  sql
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
