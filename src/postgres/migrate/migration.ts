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
