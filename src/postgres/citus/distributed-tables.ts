/** Tables and their distribution columns. Equal values in tables of one list are on the same node. */
export const DISTRIBUTED: readonly (readonly [table: string, column: string][])[] = [
  [
    ['users', 'user_id'],
    ['replaced_states', 'user_id'],
    ['replaced_factors', 'user_id'],
  ],
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

/** Settings of the database, because a pooler does not pass on the settings of a session. */
export const CITUS_SETTINGS: Readonly<Record<string, string>> = {
  // `set local` must take effect on the nodes, too, because statements wait for locks there.
  'citus.propagate_set_commands': 'local',
  // A statement uses only one connection to each node, so that its commit prepares fewer transactions.
  'citus.multi_shard_modify_mode': 'sequential',
  // Statements that write to several shards must not lock the shards. Import chunks commit in order: a chunk
  // with such a lock would wait for the chunk before it, which would wait for the lock, until lock_timeout
  // ends both.
  'citus.enable_deadlock_prevention': 'off',
};
