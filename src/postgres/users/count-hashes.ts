import type { Strength } from '../../hashing/form.ts';
import type { HashGroup, HashPage } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { Queryable } from '../client/connection.ts';

/**
 * A hash that was upgraded at a sign-in, or moved in from the legacy system, counts as signed in with; any
 * other hash only if a sign-in came after it was set.
 */
const COUNT = `
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

type Row = GroupRow & ({ hash_algorithm: string; no_hash: null } | { hash_algorithm: null; no_hash: NoHash });

interface GroupRow {
  hash_class: Strength | null;
  hash_set_by: HashGroup['setBy'];
  logins: number;
  signed_in: number;
  last_email: string;
  page_logins: number;
}

export async function countHashes(db: Queryable, after: string, limit: number): Promise<HashPage> {
  const rows = await db.query<Row>(COUNT, [after, limit]);
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
