import type { PasswordHash } from '../../hashing/verifier.ts';
import type { Queryable } from '../client/connection.ts';
import { type HashRow, toHash } from './hash-row.ts';
import { queriesOf } from './queries-of.ts';

/** Database pages to read from a large table: enough rows for any sample, and few enough to be quick. */
const PAGES = 300;

/** Share of a table that PAGES pages make up, from 0 to 1. $1 is the size of the table in bytes. */
const SHARE = `least(1, ${PAGES}.0 * current_setting('block_size')::int / greatest(1, $1::bigint))::float8`;

/**
 * Picks random database pages, and then random hashes on them. Users are stored in the order of their import,
 * so neighbours mostly have hashes of one former system. Small tables are read completely.
 */
const SAMPLE = `
  select password_hash, hash_algorithm, hash_secret_id, count(*) over () / ${SHARE} as all_hashes
  from password_logins tablesample system (100 * ${SHARE}) where no_hash is null
  order by random() limit $2`;

/** Statement for a table from which most rows were removed, where a sample of pages finds almost no users. */
const FIRST = `
  select password_hash, hash_algorithm, hash_secret_id, 0::float8 as all_hashes
  from password_logins where no_hash is null order by email limit $1`;

interface Row extends HashRow {
  /** Approximate number of hashes in the table of password logins. */
  all_hashes: number;
}

/** Each hash of the sample represents `standFor` hashes of the table. */
export async function sampleHashes(
  db: Queryable,
  limit: number,
): Promise<{ hashes: PasswordHash[]; standFor: number }> {
  const [size] = await db.query<{ bytes: string }>(queriesOf(db).sizeOfPasswordLogins);
  const sampled = await db.query<Row>(SAMPLE, [size?.bytes ?? 0, limit]);
  const rows = sampled.length < limit ? await db.query<Row>(FIRST, [limit]) : sampled;
  return {
    hashes: rows.map(toHash),
    standFor: rows.length === 0 ? 0 : Math.max(1, (sampled[0]?.all_hashes ?? 0) / rows.length),
  };
}
