import { type ExistingLogins, noExistingLogins } from '../../imports/resolve/existing-logins.ts';
import type { LoginKeys } from '../../imports/resolve/login-keys.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import { identityKey } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { type RowsToLock, readingRows } from '../client/engine.ts';
import { readInCore } from '../users/in-core.ts';
import {
  identityValues,
  lockPasswordLogins,
  lockThirdPartyLogins,
  passwordLoginsByKey,
  thirdPartyLoginsByKey,
} from '../users/rows-to-lock.ts';
import { idsOf, type LoginRow, STATE, stateOf } from './login-row.ts';

interface PasswordRow extends LoginRow {
  linked: boolean;
  hash_set_by: HashSetBy;
  no_hash: NoHash | null;
  has_new_email: boolean;
  fingerprint: string | null;
}

interface ThirdPartyRow extends LoginRow {
  third_party_id: string;
  third_party_user_id: string;
  linked: boolean;
  has_signed_in: boolean;
}

interface AliasRow {
  alias: string;
  kind: 'external' | 'recipe_user' | 'user';
  user_id: string;
  recipe_user_id: string;
}

const PASSWORD_LOGINS = passwordLoginsByKey(
  `email, user_id, recipe_user_id, linked, ${STATE}, hash_set_by, no_hash, email_set_by is not distinct from 'change' as has_new_email, encode(imported_fingerprint, 'hex') as fingerprint`,
);

const THIRD_PARTY_LOGINS = thirdPartyLoginsByKey(
  `login.third_party_id, login.third_party_user_id, email, user_id, recipe_user_id, linked, ${STATE},
    last_sign_in_at is not null as has_signed_in`,
);

/** `lock` locks rows in the order of the key until the transaction ends. Missing rows cannot be locked. */
export async function readExistingLogins(
  db: Queryable,
  keys: LoginKeys,
  { lock }: { lock: boolean },
): Promise<ExistingLogins> {
  const existing = noExistingLogins();
  const linked = new Set<string>();
  const emails = [...keys.emails];
  const identities = [...keys.identities.values()];
  const passwords = lock
    ? await lockPasswordLogins<PasswordRow & Record<string, unknown>>(db, PASSWORD_LOGINS, emails)
    : await read<PasswordRow>(db, PASSWORD_LOGINS, [emails]);
  const thirdParties = lock
    ? await lockThirdPartyLogins<ThirdPartyRow & Record<string, unknown>>(db, THIRD_PARTY_LOGINS, identities)
    : await read<ThirdPartyRow>(db, THIRD_PARTY_LOGINS, identityValues(identities));
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
      ...(row.has_new_email && { isEmailChanged: true }),
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

async function read<Row extends LoginRow>(
  db: Queryable,
  rows: RowsToLock,
  values: string[][],
): Promise<Row[]> {
  if (values[0]?.length === 0) return [];
  return db.query<Row & Record<string, unknown>>(readingRows(rows), values);
}
