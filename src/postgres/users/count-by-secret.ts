import type { SecretUse } from '../../passwords/hash-store.ts';
import type { Queryable } from '../client/connection.ts';

const NEXT = `
  select hash_secret_id as id from password_logins where hash_secret_id > $1 order by hash_secret_id limit 1`;

/** `order by` makes PostgreSQL use the index, and not read a table whose matching rows may all come last. */
const COUNT = `
  select count(*)::int as logins from (
    select 1 from password_logins where hash_secret_id between $1 and $1 order by hash_secret_id limit $2
  ) as counted`;

/** A service has a handful of secrets in its life. Keeps the count short if the table has other values. */
const MAX_IDS = 1000;

/** The signer key is a secret without an id. The condition on the algorithm is that of the partial index. */
const COUNT_WITHOUT_ID = `
  select count(*)::int as logins from (
    select 1 from password_logins where hash_secret_id is null and hash_algorithm = 'external_scrypt'
    order by hash_secret_id limit $1
  ) as counted`;

/** Counts the logins whose hashes need a secret that is not `configured`, for each secret up to `atMost`. */
export async function countBySecret(
  db: Queryable,
  configured: { ids: readonly string[]; hasSignerKey: boolean },
  atMost: number,
): Promise<SecretUse[]> {
  const rows: SecretUse[] = [];
  // Ids of secrets are never empty, so '' comes before all of them.
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
