import type { SecretUse } from '../../passwords/hash-store.ts';
import type { Queryable } from '../client/connection.ts';

/** Goes from id to id through the index. */
const NEXT = `
  select hash_secret_id as id from password_logins where hash_secret_id > $1 order by hash_secret_id limit 1`;

/**
 * The order has Postgres go by the index: where it believes that every other row has this secret it would read the table, in which
 * those rows may come last.
 */
const COUNT = `
  select count(*)::int as logins from (
    select 1 from password_logins where hash_secret_id between $1 and $1 order by hash_secret_id limit $2
  ) as counted`;

/** A service has a handful of secrets in its life. The bound keeps this short whatever is in the table. */
const MAX_IDS = 1000;

/** The algorithm is the one of the index. */
const COUNT_WITHOUT_ID = `
  select count(*)::int as logins from (
    select 1 from password_logins where hash_secret_id is null and hash_algorithm = 'external_scrypt'
    order by hash_secret_id limit $1
  ) as counted`;

/** Counts, up to a bound, the logins whose hashes were made with a secret that is not `configured`. */
export async function countBySecret(
  db: Queryable,
  configured: { ids: readonly string[]; hasSignerKey: boolean },
  atMost: number,
): Promise<SecretUse[]> {
  const rows: SecretUse[] = [];
  // No id is the empty text.
  for (let id = '', ids = 0; ids < MAX_IDS; ids += 1) {
    const [next] = await db.query<{ id: string }>(NEXT, [id]);
    if (next === undefined) break;
    id = next.id;
    if (configured.ids.includes(id)) continue;
    const [row] = await db.query<{ logins: number }>(COUNT, [id, atMost]);
    if (row !== undefined && row.logins > 0) rows.push({ id, logins: row.logins });
  }
  if (configured.hasSignerKey) return rows;
  const [row] = await db.query<{ logins: number }>(COUNT_WITHOUT_ID, [atMost]);
  return row === undefined || row.logins === 0 ? rows : [...rows, { id: undefined, logins: row.logins }];
}
