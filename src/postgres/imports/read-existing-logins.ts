import type pg from 'pg';
import {
  type ExistingLogins,
  noExistingLogins,
  type UserState,
} from '../../imports/resolve/existing-logins.ts';
import type { LoginKeys } from '../../imports/resolve/login-keys.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import { identityKey, type ThirdPartyIdentity } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { type RowsToLock, readingRows } from '../client/engine.ts';
import { readInCore } from '../users/in-core.ts';

interface PasswordRow {
  email: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  disabled: boolean;
  state_set_at: string | null;
  state_by_call: boolean;
  hash_set_by: HashSetBy;
  no_hash: NoHash | null;
  fingerprint: string | null;
}

interface ThirdPartyRow {
  third_party_id: string;
  third_party_user_id: string;
  email: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  disabled: boolean;
  state_set_at: string | null;
  state_by_call: boolean;
  has_signed_in: boolean;
}

interface AliasRow {
  alias: string;
  kind: 'external' | 'recipe_user' | 'user';
  user_id: string;
  recipe_user_id: string;
}

/** The time is text, because a JavaScript date would lose its microseconds. */
const STATE = 'disabled, state_set_at::text as state_set_at, state_by_call';

/** All transactions that lock several logins use the order of the key, one shard at a time. */
export const PASSWORD_LOGINS_BY_KEY = {
  table: 'password_logins',
  where: 'email = any ($1)',
  key: 'email',
  shard: '',
};
export const THIRD_PARTY_LOGINS_BY_KEY = {
  table: 'third_party_logins',
  with: 'unnest($1::text[], $2::text[]) as t (third_party_id, third_party_user_id)',
  where: 'login.third_party_id = t.third_party_id and login.third_party_user_id = t.third_party_user_id',
  key: 'login.third_party_user_id, login.third_party_id',
  shard: 'login.third_party_user_id = any ($2)',
};

const PASSWORD_LOGINS: RowsToLock = {
  ...PASSWORD_LOGINS_BY_KEY,
  columns: `email, user_id, recipe_user_id, linked, ${STATE}, hash_set_by, no_hash, encode(imported_fingerprint, 'hex') as fingerprint`,
};

const THIRD_PARTY_LOGINS: RowsToLock = {
  ...THIRD_PARTY_LOGINS_BY_KEY,
  columns: `login.third_party_id, login.third_party_user_id, email, user_id, recipe_user_id, linked, ${STATE},
    last_sign_in_at is not null as has_signed_in`,
};

/** `lock` locks rows in the order of the key until the transaction ends. Missing rows cannot be locked. */
export async function readExistingLogins(
  db: Queryable,
  keys: LoginKeys,
  { lock }: { lock: boolean },
): Promise<ExistingLogins> {
  const existing = noExistingLogins();
  const read = async <Row extends pg.QueryResultRow, Key>(
    rows: RowsToLock,
    wanted: readonly Key[],
    keyOf: (key: Key) => string,
    valuesOf: (group: readonly Key[]) => unknown[],
  ): Promise<Row[]> => {
    if (wanted.length === 0) return [];
    if (!lock) return db.query<Row>(readingRows(rows), valuesOf(wanted));
    const found: Row[][] = [];
    for (const group of await db.engine.groupByShard(db, rows.table, wanted, keyOf))
      found.push(await db.query<Row>(db.engine.lockingRows(rows), valuesOf(group)));
    return found.flat();
  };
  const linked = new Set<string>();
  const passwords = await read<PasswordRow, string>(
    PASSWORD_LOGINS,
    [...keys.emails],
    (email) => email,
    (emails) => [emails],
  );
  const thirdParties = await read<ThirdPartyRow, ThirdPartyIdentity>(
    THIRD_PARTY_LOGINS,
    [...keys.identities.values()],
    ({ userId }) => userId,
    (identities) => [identities.map(({ id }) => id), identities.map(({ userId }) => userId)],
  );
  const inCore = await readInCore(db, [...passwords, ...thirdParties]);
  for (const row of passwords) {
    const { email, hash_set_by: hashSetBy, no_hash: noHash, fingerprint } = row;
    const upgraded = fingerprint === null ? {} : { importedFingerprint: fingerprint };
    existing.passwords.set(email, {
      ...idsOf(row),
      state: stateOf(row),
      inCore: inCore.get(row.recipe_user_id),
      hashSetBy,
      ...(noHash !== null && { noHash }),
      ...upgraded,
    });
    if (row.linked) linked.add(row.user_id);
  }
  for (const row of thirdParties) {
    const key = identityKey({ id: row.third_party_id, userId: row.third_party_user_id });
    existing.thirdParties.set(key, {
      ...idsOf(row),
      state: stateOf(row),
      inCore: inCore.get(row.recipe_user_id),
      email: row.email,
      hasSignedIn: row.has_signed_in,
    });
    if (row.linked) linked.add(row.user_id);
  }
  if (keys.externalIds.size > 0 || linked.size > 0) {
    const externalIds = [...keys.externalIds];
    // If an external id is also the id of a user, it refers to that user.
    const rows = await db.query<AliasRow>(
      `select alias, kind, user_id, recipe_user_id from user_aliases
       where kind = 'external' and user_id = any ($1::uuid[])
       union select alias, kind, user_id, recipe_user_id from user_aliases where alias = any ($2)
       union all select user_id::text, 'user', user_id, user_id from users where user_id = any ($3::uuid[])`,
      [[...linked], externalIds, externalIds.filter(isUuid)],
    );
    for (const row of rows) {
      existing.externalIds.set(row.alias, idsOf(row));
      const isOfUser = row.kind === 'external' && row.user_id === row.recipe_user_id;
      if (isOfUser) existing.externalIdOfUser.set(row.user_id, row.alias);
    }
  }
  return existing;
}

const stateOf = (row: PasswordRow | ThirdPartyRow): UserState => ({
  disabled: row.disabled,
  ...(row.state_set_at !== null && { setAt: row.state_set_at }),
  isByCall: row.state_by_call,
});

const idsOf = (row: { user_id: string; recipe_user_id: string }) => ({
  userId: row.user_id,
  recipeUserId: row.recipe_user_id,
});
