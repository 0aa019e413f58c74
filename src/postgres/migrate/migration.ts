/** One file of migrations/, e.g. 0001_users.sql. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}
