import type { Queryable, Transaction } from '../../client/connection.ts';
import type { Database } from '../../client/database.ts';
import {
  type ExistingLogin,
  type KeptLogin,
  type LeftLogin,
  leftLogins,
  type NewLogin,
  newLoginRows,
  type WriteOptions,
} from '../../users/write-imported.ts';
import { groupByShard } from '../group-by-shard.ts';
import { copyNewUsers, retryWhereCreated } from './copy-new-logins.ts';

/**
 * Overwrites logins of one shard, and returns the overwritten logins. One statement for known and new users would bring its rows to
 * each node three times.
 */
const OVERWRITE = `
  update password_logins login set
    password_hash = incoming.password_hash, hash_algorithm = incoming.hash_algorithm,
    hash_secret_id = incoming.hash_secret_id, hash_class = incoming.hash_class,
    hash_set_at = now(), hash_set_by = 'import', imported_fingerprint = null, no_hash = null
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    as incoming (email, password_hash, hash_algorithm, hash_secret_id, hash_class)
  where login.email = incoming.email and login.email = any ($1)
    and (login.imported_fingerprint is null or encode(login.imported_fingerprint, 'hex') = any ($6))
  returning login.email, login.user_id, login.recipe_user_id, login.linked, login.disabled, login.time_joined_ms,
    login.hash_algorithm,
    coalesce(login.email = any (login.verified_emails), false) as verified, null as linked_user`;

/**
 * Finds logins that were left as they are. It changes nothing, but as an update it makes their nodes prepare the transaction, as
 * `prepareAllNodes` makes all nodes do. These users can be imported while another node is away.
 */
const FIND_LEFT =
  'update password_logins set linked = linked where email = any ($1) returning email, null as user_id';

// Nodes share no snapshot, so the user is read afterwards.
const LEFT = leftLogins('null::json');

export const readLeftOnNodes = (db: Queryable, emails: readonly string[]): Promise<LeftLogin[]> =>
  db.query<LeftLogin>(LEFT, [emails]);

/** Writes logins, and returns those that were there already. */
export const writeImportedOnNodes = (
  db: Database,
  logins: readonly NewLogin[],
  options: WriteOptions,
): Promise<KeptLogin[]> =>
  retryWhereCreated(() => db.transaction((client) => writeByShard(client, logins, options)));

/**
 * Locks rows in the order of their shards, so that two transactions that share logins cannot deadlock.
 * @throws a unique violation if another transaction creates one of the new users meanwhile
 */
async function writeByShard(
  connection: Transaction,
  logins: readonly NewLogin[],
  { now, replaceable }: WriteOptions,
): Promise<KeptLogin[]> {
  const overwritten: (ExistingLogin & { hash_algorithm: string })[] = [];
  for (const group of await groupByShard(connection, 'password_logins', logins, ({ login }) => login.email)) {
    const hashes = group.map(({ login }) => login.hash);
    const rows = await connection.query<(typeof overwritten)[number]>(OVERWRITE, [
      group.map(({ login }) => login.email),
      hashes.map(({ encoded }) => encoded),
      hashes.map(({ algorithm }) => algorithm),
      hashes.map(({ secretId }) => secretId ?? null),
      hashes.map(({ strength }) => strength),
      replaceable,
    ]);
    overwritten.push(...rows);
  }
  if (overwritten.length > 0)
    await connection.query(
      `insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
       select recipe_user_id, 'import', hash_algorithm from unnest($1::uuid[], $2::text[]) as t (recipe_user_id, hash_algorithm)`,
      [
        overwritten.map(({ recipe_user_id }) => recipe_user_id),
        overwritten.map(({ hash_algorithm }) => hash_algorithm),
      ],
    );
  const done = new Set(overwritten.map(({ email }) => email));
  const others = logins.filter(({ login }) => !done.has(login.email));
  if (others.length === 0) return overwritten;
  const left = await connection.query<{ email: string; user_id: null }>(FIND_LEFT, [
    others.map(({ login }) => login.email),
  ]);
  for (const { email } of left) done.add(email);
  const created = others.filter(({ login }) => !done.has(login.email));
  await copyNewUsers(connection, { passwordLogins: created.map((one) => newLoginRows(one, now)) });
  return [...overwritten, ...left];
}
