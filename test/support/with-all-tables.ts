/**
 * Beginning of a statement that may join any tables. It reads the tables whole, so it is for tests only.
 * Citus otherwise joins tables only by their distribution columns.
 */
export const WITH_ALL_TABLES = `with ${[
  'users',
  'password_logins',
  'third_party_logins',
  'user_aliases',
  'hash_changes',
]
  .map((table) => `${table} as materialized (select * from public.${table})`)
  .join(', ')}`;
