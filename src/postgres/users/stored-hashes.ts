import type { Strength } from '../../hashing/form.ts';
import type { PasswordHash, StoredHash } from '../../hashing/verifier.ts';
import type { HashGroup, HashPage, SecretUse } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { Queryable } from '../client/connection.ts';
import { queriesOf } from './user-rows.ts';

interface HashRow extends Record<string, unknown> {
  password_hash: StoredHash;
  hash_algorithm: string;
  hash_secret_id: string | null;
}

export const toHash = (row: HashRow): PasswordHash => ({
  encoded: row.password_hash,
  algorithm: row.hash_algorithm,
  ...(row.hash_secret_id !== null && { secretId: row.hash_secret_id }),
});

export type CredentialRow = (HashRow & { no_hash: null }) | NoHashRow;

interface NoHashRow extends Record<string, unknown> {
  password_hash: null;
  no_hash: NoHash;
}

export const hasHash = <Row extends CredentialRow>(row: Row): row is Row & HashRow => row.no_hash === null;

/** Number of database pages to read from a large table: enough rows for any sample, and few enough to be quick. */
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

interface SampledRow extends HashRow {
  /** Approximate number of hashes in the table of password logins. */
  all_hashes: number;
}

/** Returns a random sample of hashes. Each represents `standFor` hashes of the table. */
export async function sampleHashes(
  db: Queryable,
  limit: number,
): Promise<{ hashes: PasswordHash[]; standFor: number }> {
  const [size] = await db.query<{ bytes: string }>(queriesOf(db).sizeOfPasswordLogins);
  const sampled = await db.query<SampledRow>(SAMPLE, [size?.bytes ?? 0, limit]);
  const rows = sampled.length < limit ? await db.query<SampledRow>(FIRST, [limit]) : sampled;
  return {
    hashes: rows.map(toHash),
    standFor: rows.length === 0 ? 0 : Math.max(1, (sampled[0]?.all_hashes ?? 0) / rows.length),
  };
}

/**
 * Counts a page of hashes. `signed_in` is true for a hash that was upgraded at a sign-in, or moved in from the legacy
 * system. For any other hash, it is true only if a sign-in came after the hash was set.
 */
const COUNT_PAGE = `
  with page as (
    select email, hash_class, hash_set_by, no_hash,
      case when hash_algorithm = 'wrapped' then 'wrapped ' || split_part(password_hash, '$', 3) else hash_algorithm end
        as hash_algorithm,
      hash_set_by in ('rehash', 'moved-in') or coalesce(last_sign_in_at > hash_set_at, false) as signed_in
    from password_logins where email > $1 order by email limit $2
  )
  select hash_algorithm, no_hash, hash_class, hash_set_by, count(*)::int as logins,
    count(*) filter (where signed_in)::int as signed_in,
    max(max(email)) over () as last_email, sum(count(*)) over ()::int as page_logins
  from page group by hash_algorithm, no_hash, hash_class, hash_set_by`;

type GroupRow = {
  hash_algorithm: string;
  no_hash: NoHash | null;
  hash_class: Strength | null;
  hash_set_by: HashGroup['setBy'];
  logins: number;
  signed_in: number;
  last_email: string;
  page_logins: number;
};

export async function countHashes(db: Queryable, after: string, limit: number): Promise<HashPage> {
  const rows = await db.query<GroupRow>(COUNT_PAGE, [after, limit]);
  const groups = rows.map((row) => ({
    algorithm: row.no_hash === null ? row.hash_algorithm : { noHash: row.no_hash },
    strength: row.hash_class ?? undefined,
    setBy: row.hash_set_by,
    logins: row.logins,
    signedIn: row.signed_in,
  }));
  const [first] = rows;
  return { groups, last: first !== undefined && first.page_logins === limit ? first.last_email : undefined };
}

/**
 * Maximum number of secrets to count. A service has a handful of them in its life; the limit keeps the count short if
 * the table has other values.
 */
const MAX_IDS = 1000;

/** Counts the logins whose hashes need a secret that is not `configured`, for each secret up to `atMost`. */
export async function countBySecret(
  db: Queryable,
  configured: { ids: readonly string[]; hasSignerKey: boolean },
  atMost: number,
): Promise<SecretUse[]> {
  const uses: SecretUse[] = [];
  const add = async (id: string | undefined, condition: string, ...values: string[]) => {
    // `order by` makes PostgreSQL use the index. Otherwise, it might read the whole table, whose matching rows may all
    // come last.
    const [row] = await db.query<{ logins: number }>(
      `select count(*)::int as logins from (
         select 1 from password_logins where ${condition} order by hash_secret_id limit $1
       ) as counted`,
      [atMost, ...values],
    );
    if (row !== undefined && row.logins > 0) uses.push({ id, logins: row.logins });
  };
  // Ids of secrets are never empty, so '' comes before all of them.
  for (let id = '', ids = 0; ids < MAX_IDS; ids += 1) {
    const [next] = await db.query<{ id: string }>(
      'select hash_secret_id as id from password_logins where hash_secret_id > $1 order by hash_secret_id limit 1',
      [id],
    );
    if (next === undefined) break;
    id = next.id;
    if (!configured.ids.includes(id)) await add(id, 'hash_secret_id between $2 and $2', id);
  }
  // The signer key is a secret without an id. The condition on the algorithm is that of the partial index.
  if (!configured.hasSignerKey)
    await add(undefined, "hash_secret_id is null and hash_algorithm = 'external_scrypt'");
  return uses;
}
