import type { PasswordHash, StoredHash } from '../hashing/verifier.ts';
import type { Queryable } from './connection.ts';

/** Of a table that has more: enough rows for any sample, and read in a moment. */
const PAGES = 300;

/**
 * Pages at random, then rows of them: users lie in the order of their import, each with the hashes of one former system.
 * Small tables are read wholly.
 */
const SAMPLE = `
  select password_hash, hash_algorithm from password_logins
  tablesample system (least(100, 100.0 * ${PAGES} * current_setting('block_size')::int
    / greatest(1, pg_relation_size('password_logins'))))
  order by random() limit $1`;

/** Where most pages were emptied by removals, a sample of them holds next to nobody. */
const FIRST = 'select password_hash, hash_algorithm from password_logins order by email limit $1';

export async function sampleHashes(db: Queryable, limit: number): Promise<PasswordHash[]> {
  type Row = { password_hash: StoredHash; hash_algorithm: string };
  let rows = await db.query<Row>(SAMPLE, [limit]);
  if (rows.length < limit) rows = await db.query<Row>(FIRST, [limit]);
  return rows.map((row) => ({ encoded: row.password_hash, algorithm: row.hash_algorithm }));
}
