import type { PasswordHash, StoredHash } from '../../hashing/verifier.ts';
import type { Queryable } from '../client/connection.ts';

/** Of a table that has more: enough rows for any sample, and read in a moment. */
const PAGES = 300;

const SHARE = `least(1, ${PAGES}.0 * current_setting('block_size')::int
  / greatest(1, pg_relation_size('password_logins')))::float8`;

/**
 * Pages at random, then rows of them: users lie in the order of their import, each with the hashes of one former system.
 * Small tables are read wholly.
 */
const SAMPLE = `
  select password_hash, hash_algorithm, count(*) over () / ${SHARE} as all_hashes
  from password_logins tablesample system (100 * ${SHARE})
  order by random() limit $1`;

/** Where most pages were emptied by removals, a sample of them holds next to nobody. */
const FIRST = `
  select password_hash, hash_algorithm, 0::float8 as all_hashes from password_logins order by email limit $1`;

interface Row {
  password_hash: StoredHash;
  hash_algorithm: string;
  /** About how many there are in the table. */
  all_hashes: number;
}

/** Each hash of the sample stands for `standFor` of the table. */
export async function sampleHashes(
  db: Queryable,
  limit: number,
): Promise<{ hashes: PasswordHash[]; standFor: number }> {
  const sampled = await db.query<Row>(SAMPLE, [limit]);
  const rows = sampled.length < limit ? await db.query<Row>(FIRST, [limit]) : sampled;
  return {
    hashes: rows.map((row) => ({ encoded: row.password_hash, algorithm: row.hash_algorithm })),
    standFor: rows.length === 0 ? 0 : Math.max(1, (sampled[0]?.all_hashes ?? 0) / rows.length),
  };
}
