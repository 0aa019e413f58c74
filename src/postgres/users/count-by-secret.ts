import type { SecretUse } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';

/**
 * Goes from id to id through the index, and counts few entries of each. A service has a handful of secrets in its life; the bound
 * keeps the statement short whatever is in the table. The order has Postgres go by the index: where it believes that every other row
 * has a secret it would read the table, in which those rows may come last.
 */
const COUNT = `
  with recursive ids as (
    (select hash_secret_id as id from password_logins where hash_secret_id is not null order by 1 limit 1)
    union all
    select (select hash_secret_id from password_logins where hash_secret_id > ids.id order by 1 limit 1)
    from ids where ids.id is not null
  )
  select id, (select count(*) from (
    select from password_logins where hash_secret_id between ids.id and ids.id order by hash_secret_id limit $2
  ) as counted)::int as logins
  from (select id from ids limit 1000) ids where id is not null and id <> all ($1::text[])`;

/** The algorithm is the one of the index. */
const COUNT_WITHOUT_ID = `
  select count(*)::int as logins from (
    select from password_logins where hash_secret_id is null and hash_algorithm = 'external_scrypt'
    order by hash_secret_id limit $1
  ) as counted`;

/** Counts, up to a bound, the logins whose hashes were made with a secret that is not `configured`. */
export async function countBySecret(
  db: Queryable,
  configured: { ids: readonly string[]; hasSignerKey: boolean },
  atMost: number,
): Promise<SecretUse[]> {
  const rows = await db.query<{ id: string; logins: number }>(COUNT, [configured.ids, atMost]);
  if (configured.hasSignerKey) return rows;
  const [row] = await db.query<{ logins: number }>(COUNT_WITHOUT_ID, [atMost]);
  return row === undefined || row.logins === 0 ? rows : [...rows, { id: undefined, logins: row.logins }];
}
