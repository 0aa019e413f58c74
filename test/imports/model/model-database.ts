import { expect } from 'vitest';
import type { Passwords } from '../../../src/hashing/passwords.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { WITH_ALL_TABLES } from '../../support/with-all-tables.ts';
import type { ModelUser, ModelUsers } from './model.ts';

export interface StoredLogin {
  key: string;
  email: string;
  hash: string | null;
  algorithm: string | null;
  setBy: string | null;
  verified: string[];
  hasSignedIn: boolean;
  timeJoinedMs: number;
  externalId: string | null;
  /** Whether this is not the primary login method, whose id is the user's. */
  isFurther: boolean;
  isLinked: boolean;
  recipeUserId: string;
  replacements: number;
}

export interface StoredUser {
  id: string;
  timeJoinedMs: number;
  metadata: object | null;
  externalId: string | null;
  /** Logins, sorted by key. */
  logins: StoredLogin[];
  /** Number of ids under which the user is found. */
  aliases: number;
}

/** Reads all users from the tables. Replacements of hashes are counted for `importId`. */
export const readUsers = (db: Database, importId = ''): Promise<StoredUser[]> =>
  db.query<StoredUser & Record<string, unknown>>(
    `${WITH_ALL_TABLES}, logins as (
       select 'p:' || email as key, email, password_hash as hash, hash_algorithm as algorithm, hash_set_by as "setBy",
         verified_emails, last_sign_in_at, time_joined_ms, user_id, recipe_user_id, linked from password_logins
       union all
       select 't:' || third_party_id || ' ' || third_party_user_id, email, null, null, null,
         verified_emails, last_sign_in_at, time_joined_ms, user_id, recipe_user_id, linked from third_party_logins
     ), told as (
       select key, email, hash, algorithm, "setBy", user_id,
         array(select unnest(verified_emails) order by 1) as verified, last_sign_in_at is not null as "hasSignedIn",
         time_joined_ms as "timeJoinedMs", recipe_user_id <> user_id as "isFurther", linked as "isLinked",
         recipe_user_id as "recipeUserId",
         (select alias from user_aliases a where a.kind = 'external' and a.recipe_user_id = logins.recipe_user_id
            and a.user_id = logins.user_id and a.recipe_user_id <> a.user_id) as "externalId",
         (select count(*) from hash_changes c where c.recipe_user_id = logins.recipe_user_id and c.import_id = $1)
           as replacements
       from logins
     )
     select u.user_id as id, u.time_joined_ms::float8 as "timeJoinedMs", u.metadata::json,
       (select alias from user_aliases a where a.kind = 'external' and a.user_id = u.user_id
          and a.recipe_user_id = a.user_id) as "externalId",
       (select count(*)::int from user_aliases a where a.user_id = u.user_id) as aliases,
       coalesce((select json_agg(to_jsonb(told) - 'user_id' order by key) from told where told.user_id = u.user_id), '[]')
         as logins
     from users u`,
    [importId],
  );

/** Checks that the database has the users of the model, apart from ids. Returns their ids. */
export async function expectSameUsers(
  db: Database,
  passwords: Passwords,
  model: ModelUsers,
  importId: string,
): Promise<Map<ModelUser, string>> {
  const stored = await readUsers(db, importId);
  const expected = model.users.map((user) => wanted(user)).sort(byKey);
  expect(stored.map((user) => ({ ...user, id: 'any' })).sort(byKey)).toEqual(expected);
  const ids = new Map<ModelUser, string>();
  for (const { id, logins } of stored) {
    const user = model.userOf(logins[0]?.key ?? '');
    if (user !== undefined) ids.set(user, id);
    for (const { key, hash, algorithm } of logins) {
      const secret = model.login(key)?.secret;
      if (secret === undefined || 'hash' in secret) continue;
      const verifier = passwords.registry.find(algorithm ?? '');
      if (verifier === undefined || hash === null) throw new Error('a login without a hash');
      expect(await verifier.parse(hash).verify(Buffer.from(secret.password))).toBe(true);
    }
  }
  // No row may belong to a missing user.
  expect(await db.query(ORPHANS)).toEqual([]);
  return ids;
}

const ORPHANS = `${WITH_ALL_TABLES}
  select user_id from password_logins union all select user_id from third_party_logins
  union all select user_id from user_aliases except select user_id from users`;

/**
 * Returns every row of users with its position and the transactions that wrote or locked it last. The result
 * is equal only if nothing was written.
 */
export async function dumpUsers(db: Database): Promise<unknown> {
  const tables = ['users', 'password_logins', 'third_party_logins', 'user_aliases'];
  const rows = tables.map((table) =>
    db.query(`select ctid::text, xmin::text, xmax::text, t::text from ${table} t order by ctid, t::text`),
  );
  return Promise.all(rows);
}

const byKey = (a: { logins: { key: string }[] }, b: { logins: { key: string }[] }) =>
  (a.logins[0]?.key ?? '') < (b.logins[0]?.key ?? '') ? -1 : 1;

/** Returns what must be stored of this user. */
function wanted({ externalId, metadata, logins }: ModelUser) {
  const times = logins.map(({ timeJoinedMs }) => timeJoinedMs);
  const existing = times.filter((time) => time !== undefined);
  const isLinked = logins.length > 1 || externalId !== undefined;
  const externalIds = [externalId, ...logins.map((login) => login.externalId)].filter(
    (id) => id !== undefined,
  );
  return {
    id: 'any',
    timeJoinedMs: existing.length === times.length ? Math.min(...existing) : expect.any(Number),
    metadata: metadata ?? null,
    externalId: externalId ?? null,
    aliases: externalIds.length + logins.length - 1,
    logins: logins
      .map(({ key, email, secret, setBy, verified, hasSignedIn, timeJoinedMs, ...login }, index) => {
        const hash = secret !== undefined && 'hash' in secret ? secret.hash : undefined;
        return {
          key,
          email,
          hash: secret === undefined ? null : (hash ?? expect.any(String)),
          algorithm: secret === undefined ? null : hash?.startsWith('$2') ? 'bcrypt' : 'argon2',
          setBy: secret === undefined ? null : setBy,
          verified: [...verified].sort(),
          hasSignedIn,
          timeJoinedMs: timeJoinedMs ?? expect.any(Number),
          externalId: login.externalId ?? null,
          isFurther: index > 0,
          isLinked,
          recipeUserId: expect.any(String),
          replacements: login.replacements,
        };
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}
