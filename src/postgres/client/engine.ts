/** What keeps the rows: one Postgres, or several nodes of one, under Citus. All that differs is in this file and in `citus-error.ts`. */
export type Engine = 'postgres' | 'citus';

/** The tables that are distributed over the nodes, and by which column; those in one list have the rows of one value on one node. */
export const DISTRIBUTED: readonly (readonly [table: string, column: string][])[] = [
  [['users', 'user_id']],
  [
    ['password_logins', 'email'],
    ['replaced_hashes', 'email'],
  ],
  [
    ['third_party_logins', 'third_party_user_id'],
    ['replaced_emails', 'third_party_user_id'],
  ],
  [['user_aliases', 'alias']],
  [['hash_changes', 'id']],
];

/**
 * What begins a transaction, one message each. Citus sends the whole text of a message that sets something on to the nodes.
 * @param begin statements with `; ` between them
 */
export const beginMessages = (engine: Engine, begin: string): string[] =>
  engine === 'citus' ? begin.split('; ') : [begin];
