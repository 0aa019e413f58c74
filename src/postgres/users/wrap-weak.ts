import type { StoredHash } from '../../hashing/verifier.ts';
import type { Rehash } from '../../passwords/hash-store.ts';
import type { BrokenHash, HashPlace, WeakHashStore } from '../../passwords/wrap-weak-hashes.ts';
import type { Queryable } from '../client/connection.ts';
import { COMMIT_LATER } from './password-logins.ts';

/** Number of hashes that one statement returns. */
const BATCH = 50;

interface Place {
  table: string;
  /** Condition for rows of the table that may have broken hashes. */
  rows: string;
  /** Number of rows that one statement searches for broken hashes. They are read quickly even if none has one. */
  pageRows: number;
  /** Further items of the FROM clause. */
  more: string;
  /** Columns that name a hash. The first is the primary key of the table. */
  key: readonly string[];
  /** Values that sort before, and after, those of all keys. */
  start: readonly string[];
  end: readonly string[];
  where: string;
  /** Returns SQL for a column of the hash. */
  column(name: string): string;
}

const PLACES: Record<HashPlace, Place> = {
  logins: {
    ...{ table: 'password_logins', rows: 'true', pageRows: 5000, more: '' },
    ...{ key: ['email'], start: [''], end: [], where: 'true', column: (name) => name },
  },
  // The values before a change are the fourth in its array (migrations/0017_import_changes.sql).
  replaced: {
    ...{ table: 'import_changes', rows: 'broken_hashes > 0', pageRows: 50 },
    more: `cross join lateral (
      select change, ordinality - 1 as number from json_array_elements(changes) with ordinality as t (change, ordinality)
    ) change_of`,
    ...{ key: ['id', 'number'], start: ['0', '0'], end: [String(2 ** 31)] },
    where: `broken_hashes > 0 and change #>> '{3,password_hash}' is not null
      and coalesce(change #>> '{3,hash_class}', 'broken') = 'broken'`,
    column: (name) => `change #>> '{3,${name}}'`,
  },
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
      const { table, rows, pageRows, key, start, end } = PLACES[place];
      const [id] = key;
      const [row] = await db.query<{ id: string }>(
        `select ${id}::text as id from (
           select ${id} from ${table} where ${rows} and ${id} > $1 order by ${id} limit ${pageRows}
         ) page order by page.${id} desc limit 1`,
        [(after ?? start)[0]],
      );
      return row && [row.id, ...end];
    },

    async findBroken(place, { after, last }, algorithms) {
      const { table, more, key, start, where, column } = PLACES[place];
      const columns = key.join(', ');
      const rows = await db.query<Row>(
        `select array[${textsOf(key)}] as key, ${column('password_hash')} as password_hash,
           ${column('hash_algorithm')} as hash_algorithm, ${column('hash_secret_id')} as hash_secret_id
         from ${table} ${more}
         where ${where} and ${isAfter(key)} and ${key[0]} <= $${key.length + 1}
           and (${column('hash_class')} = 'broken'
             or (${column('hash_class')} is null and ${column('hash_algorithm')} = any ($${key.length + 2})))
         order by ${columns} limit ${BATCH}`,
        [...(after ?? start), last[0], algorithms],
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
      const { table, more } = PLACES[place];
      const rows = await db.query(
        `select 1 from ${table} ${more} where ${isStill(place, 1)}`,
        valuesOf(kept),
      );
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

/** The first column is also compared alone, because only then is the index used if the second is not a column. */
const isAfter = (key: readonly string[]) => `${key[0]} >= $1 and (${key.join(', ')}) > (${places(key, 1)})`;

const textsOf = (key: readonly string[]) => key.map((column) => `${column}::text`).join(', ');

function isStill(place: HashPlace, from: number): string {
  const { key, where, column } = PLACES[place];
  const [hash, algorithm] = [from + key.length, from + key.length + 1];
  return `${where} and (${key.join(', ')}) = (${places(key, from)})
   and ${column('password_hash')} = $${hash} and ${column('hash_algorithm')} = $${algorithm}`;
}

const valuesOf = ({ key, hash }: BrokenHash) => [...key, hash.encoded, hash.algorithm];
const valuesBy = ({ hash, fingerprint }: Rehash) => [
  hash.encoded,
  hash.algorithm,
  hash.strength,
  fingerprint,
];

/** Returns the path of a value before a change, or of all such values. $6: index of the change. */
const pathInBefore = (...name: string[]) =>
  `array[${['$6', "'3'", ...name.map((one) => `'${one}'`)].join(', ')}]`;

/**
 * Replaces a broken hash by its wrapped form. `hash_set_by` and `hash_set_at` stay as they are: the password
 * has not changed, and a rollback must still recognise the hash of its import. The secret stays, too, because
 * the inner hash needs it. Each statement locks one row, so it never waits for a lock while it has another.
 */
const WRAP: Record<HashPlace, string> = {
  logins: `
    with wrapped as (
      update password_logins set
        password_hash = $1, hash_algorithm = $2, hash_class = $3,
        imported_fingerprint = coalesce(imported_fingerprint, decode($4, 'hex'))
      where ${isStill('logins', 5)} returning recipe_user_id, hash_algorithm
    )
    insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
    select recipe_user_id, 'wrap', hash_algorithm from wrapped where ${COMMIT_LATER} returning id`,
  replaced: `
    with wrapped as (
      update import_changes set broken_hashes = broken_hashes - 1, changes = jsonb_set(changes::jsonb, ${pathInBefore()},
        (changes #> ${pathInBefore()})::jsonb || jsonb_build_object(
          'password_hash', $1::text, 'hash_algorithm', $2::text, 'hash_class', $3::text,
          'imported_fingerprint', coalesce(changes #>> ${pathInBefore('imported_fingerprint')}, decode($4, 'hex')::text)))::json
      where id = $5 and changes #>> ${pathInBefore('password_hash')} = $7 and changes #>> ${pathInBefore('hash_algorithm')} = $8
      returning id
    )
    select 1 from wrapped where ${COMMIT_LATER}`,
};
