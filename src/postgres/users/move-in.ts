import type { KeptHash } from '../../hashing/verifier.ts';
import type { LegacyProfile, PasswordLogin } from '../../users/user-store.ts';
import type { Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isUniqueViolation } from '../client/pg-error.ts';
import { PROFILE_COLUMNS } from './profile-columns.ts';
import { resolveAndLock, resolveId } from './resolve-id.ts';

/** Changes nothing if the login was changed since the legacy system was asked. */
const MOVE_IN = `
  with changed as (
    update password_logins set password_hash = $4, hash_algorithm = $5, hash_secret_id = $6, hash_class = $7, no_hash = null,
      hash_set_at = now(), hash_set_by = 'moved-in', imported_fingerprint = null
    where email = $1 and recipe_user_id = $2 and password_hash is not distinct from $3 and hash_set_by <> 'user'
      and no_hash is distinct from 'unset' and not disabled and email_set_by is distinct from 'change'
    returning recipe_user_id, hash_algorithm
  )
  insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
  select recipe_user_id, 'moved-in', hash_algorithm from changed returning id`;

const ADD_VERIFIED = `
  update password_logins set verified_emails = array_append(verified_emails, email)
  where email = $1 and email <> all (coalesce(verified_emails, '{}'))`;

const ADD_EXTERNAL_ID = `
  insert into user_aliases (alias, kind, user_id, recipe_user_id) values ($1, 'external', $2, $2)`;

/** A sign-in reads the external id only for logins that are marked as `linked`. */
const MARK_LINKED = ['password_logins', 'third_party_logins'].map(
  (table) => `update ${table} set linked = true where user_id = $1 and not linked`,
);

export async function moveIn(
  db: Database,
  email: string,
  login: PasswordLogin,
  { encoded, algorithm, secretId, strength }: KeptHash,
  { externalId, profile, verified }: LegacyProfile,
): Promise<'moved' | 'changed' | 'another-person'> {
  try {
    return await db.transaction(async (client) => {
      const ids = await resolveAndLock(client, login.recipeUserId);
      if (ids === undefined) return 'changed';
      const owner = externalId === undefined ? 'unknown' : await ownerOf(client, externalId, ids.userId);
      if (owner === 'another') return 'another-person';
      await client.engine.prepareAllNodes(client);
      const known = 'noHash' in login ? null : login.hash.encoded;
      const moved = await client.query(MOVE_IN, [
        ...[email, login.recipeUserId, known, encoded, algorithm],
        ...[secretId ?? null, strength],
      ]);
      if (moved.length === 0) return 'changed';
      if (verified) await client.query(ADD_VERIFIED, [email]);
      if (owner === 'nobody') {
        await client.query(ADD_EXTERNAL_ID, [externalId, ids.userId]);
        for (const statement of MARK_LINKED) await client.query(statement, [ids.userId]);
      }
      for (const { name, part } of PROFILE_COLUMNS)
        if (profile[part] !== undefined)
          await client.query(`update users set ${name} = $2 where user_id = $1 and ${name} is null`, [
            ids.userId,
            profile[part],
          ]);
      return 'moved';
    });
  } catch (error) {
    if (isUniqueViolation(error, 'user_aliases_pkey')) return 'another-person';
    throw error;
  }
}

/** Returns `another` also if this user has a different external id. */
async function ownerOf(
  client: Transaction,
  externalId: string,
  userId: string,
): Promise<'same' | 'another' | 'nobody'> {
  const owner = await resolveId(client, externalId);
  if (owner !== undefined) return owner.userId === userId ? 'same' : 'another';
  const others = await client.query(
    `select 1 from user_aliases where user_id = $1 and recipe_user_id = $1 and kind = 'external'`,
    [userId],
  );
  return others.length === 0 ? 'nobody' : 'another';
}
