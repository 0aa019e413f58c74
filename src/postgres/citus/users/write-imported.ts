import type { Queryable } from '../../client/connection.ts';
import type { Database } from '../../client/database.ts';
import { inOrderOfKeys } from '../../imports/copy-people.ts';
import {
  ANOTHER_PERSON,
  checkOverwritten,
  type ExistingLogin,
  type KeptLogin,
  type LeftLogin,
  leftLogins,
  type NewLogin,
  type WriteOptions,
} from '../../users/write-imported.ts';
import { insertUsers } from './insert-users.ts';
import { valueRows } from './value-rows.ts';

/**
 * Creates or overwrites imported password logins, and returns those that it wrote. $1 is the time when new
 * users joined; $2 has the fingerprints of logins that may be overwritten. Citus sends each shard its rows of
 * a `values` list, one shard after the other, always in the same order. So two of these statements cannot
 * deadlock.
 */
const upsert = (logins: number) => `
  insert into password_logins as login
    (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_secret_id, hash_class, hash_set_by, hash_set_at)
  values ${valueRows(logins, { after: 2, columns: 6 }, ([email, id, ...hash]) => `(${email}, ${id}, ${id}, $1, ${hash.join(', ')}, 'import', now())`)}
  on conflict (email) do update set
    password_hash = excluded.password_hash, hash_algorithm = excluded.hash_algorithm,
    hash_secret_id = excluded.hash_secret_id, hash_class = excluded.hash_class,
    hash_set_at = excluded.hash_set_at, hash_set_by = 'import', imported_fingerprint = null, no_hash = null
  where (login.imported_fingerprint is null or encode(login.imported_fingerprint, 'hex') = any ($2))
    and not ${ANOTHER_PERSON}
  returning email, user_id, recipe_user_id, linked, disabled, time_joined_ms, hash_algorithm,
    coalesce(email = any (verified_emails), false) as verified, null as linked_user`;

// The nodes of Citus share no snapshot, so a later statement reads the user of the login.
const LEFT = leftLogins('null::json');

export const readLeftOnNodes = (db: Queryable, emails: readonly string[]): Promise<LeftLogin[]> =>
  db.query<LeftLogin>(LEFT, [emails]);

/** Returns the logins that existed before. */
export const writeImportedOnNodes = (
  db: Database,
  logins: readonly NewLogin[],
  { now, replaceable }: WriteOptions,
): Promise<KeptLogin[]> =>
  db.transaction(async (connection) => {
    const inOrder = logins.toSorted((a, b) =>
      inOrderOfKeys({ ...a.login, identity: undefined }, { ...b.login, identity: undefined }),
    );
    const written = await connection.query<ExistingLogin & { hash_algorithm: string }>(
      upsert(logins.length),
      [
        now,
        replaceable,
        ...inOrder.flatMap(({ id, login: { email, hash } }) => [
          ...[email, id, hash.encoded, hash.algorithm, hash.secretId ?? null, hash.strength],
        ]),
      ],
    );
    const offered = new Set(logins.map(({ id }) => id));
    const overwritten = written.filter(({ user_id: id }) => !offered.has(id));
    const created = written.filter(({ user_id: id }) => offered.has(id));
    await checkOverwritten(connection, overwritten, logins);
    if (overwritten.length > 0)
      await connection.query(
        `insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
         select recipe_user_id, 'import', hash_algorithm from unnest($1::uuid[], $2::text[]) as t (recipe_user_id, hash_algorithm)`,
        [
          overwritten.map(({ recipe_user_id }) => recipe_user_id),
          overwritten.map(({ hash_algorithm }) => hash_algorithm),
        ],
      );
    await insertUsers(
      connection,
      created.map(({ user_id }) => user_id),
      now,
    );
    const done = new Set(written.map(({ email }) => email));
    const left = logins.filter(({ login }) => !done.has(login.email));
    return [...overwritten, ...left.map(({ login }) => ({ email: login.email, user_id: null }))];
  });
