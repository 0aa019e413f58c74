/**
 * Begins a statement that may join any tables, and is for tests only: it reads them whole. Citus joins tables only by the columns
 * that they are distributed by.
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
