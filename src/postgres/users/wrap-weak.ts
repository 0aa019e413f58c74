import type { StoredHash } from '../../hashing/verifier.ts';
import type { Rehash } from '../../passwords/hash-store.ts';
import type { BrokenHash, HashKey, HashPlace, WeakHashStore } from '../../passwords/wrap-weak-hashes.ts';
import type { Queryable } from '../client/connection.ts';
import { COMMIT_LATER } from './replace-hash.ts';

/** Rows in which one statement looks for broken hashes: read quickly even if none has one. */
const PAGE = 5000;
const BATCH = 50;

const TABLES: Record<HashPlace, { table: string; key: readonly string[] }> = {
  logins: { table: 'password_logins', key: ['email'] },
  replaced: { table: 'replaced_hashes', key: ['import_id', 'email'] },
  replacedUsers: { table: 'replaced_passwords', key: ['import_id', 'recipe_user_id'] },
};

interface Row {
  key: string[];
  password_hash: StoredHash;
  hash_algorithm: string;
  hash_secret_id: string | null;
}

/** Stores hashes of strength `broken`, such as unsalted MD5, which are to be wrapped. */
export function createWeakHashStore(db: Queryable): WeakHashStore {
  return {
    async endOfPage(place, after) {
      const { table, key } = TABLES[place];
      const columns = key.join(', ');
      const [row] = await db.query<{ key: string[] }>(
        `select array[${columns}] as key from (
           select ${columns} from ${table} where ${isAfter(key)} order by ${columns} limit ${PAGE}
         ) page order by ${key.map((column) => `${column} desc`).join(', ')} limit 1`,
        [...startOf(key, after)],
      );
      return row?.key;
    },

    async findBroken(place, { after, last }, algorithms) {
      const { table, key } = TABLES[place];
      const columns = key.join(', ');
      const rows = await db.query<Row>(
        `select array[${columns}] as key, password_hash, hash_algorithm, hash_secret_id from ${table}
         where ${isAfter(key)} and (${columns}) <= (${places(key, key.length + 1)})
           and (hash_class = 'broken' or (hash_class is null and hash_algorithm = any ($${2 * key.length + 1})))
         order by ${columns} limit ${BATCH}`,
        [...startOf(key, after), ...last, algorithms],
      );
      return rows.map((row) => ({
        key: row.key,
        hash: {
          encoded: row.password_hash,
          algorithm: row.hash_algorithm,
          secretId: row.hash_secret_id ?? undefined,
        },
      }));
    },

    async isStillKept(place, kept) {
      const { table, key } = TABLES[place];
      const rows = await db.query(`select 1 from ${table} where ${isStill(key, 1)}`, valuesOf(kept));
      return rows.length > 0;
    },

    async wrap(place, kept, by) {
      const rows = await db.query(WRAP[place], [...valuesBy(by), ...valuesOf(kept)]);
      return rows.length > 0;
    },
  };
}

const places = (key: readonly string[], from: number) =>
  key.map((_column, index) => `$${from + index}`).join(', ');
const isAfter = (key: readonly string[]) => `(${key.join(', ')}) > (${places(key, 1)})`;
/** Empty texts come before all keys. */
const startOf = (key: readonly string[], after: HashKey | undefined) => after ?? key.map(() => '');

const isStill = (key: readonly string[], from: number) =>
  `(${key.join(', ')}) = (${places(key, from)})
   and password_hash = $${from + key.length} and hash_algorithm = $${from + key.length + 1}`;
const valuesOf = ({ key, hash }: BrokenHash) => [...key, hash.encoded, hash.algorithm];
const valuesBy = ({ hash, fingerprint }: Rehash) => [
  hash.encoded,
  hash.algorithm,
  hash.strength,
  fingerprint,
];

/**
 * Replaces a broken hash by its wrapped form. `hash_set_by` and `hash_set_at` stay as they are: the password
 * has not changed, and a rollback must still recognise the hash of its import. The secret stays, too, because
 * the inner hash needs it.
 */
const wrapIn = ({ table, key }: { table: string; key: readonly string[] }) => `
  update ${table} set
    password_hash = $1, hash_algorithm = $2, hash_class = $3,
    imported_fingerprint = coalesce(imported_fingerprint, decode($4, 'hex'))
  where ${isStill(key, 5)} returning recipe_user_id, hash_algorithm`;

const wrapReplaced = (place: 'replaced' | 'replacedUsers') =>
  `with wrapped as (${wrapIn(TABLES[place])}) select 1 from wrapped where ${COMMIT_LATER}`;

/** Each statement locks one row, so it never waits for a lock while it has another. */
const WRAP: Record<HashPlace, string> = {
  logins: `
    with wrapped as (${wrapIn(TABLES.logins)})
    insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
    select recipe_user_id, 'wrap', hash_algorithm from wrapped where ${COMMIT_LATER} returning id`,
  replaced: wrapReplaced('replaced'),
  replacedUsers: wrapReplaced('replacedUsers'),
};
