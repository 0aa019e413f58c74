import { v7 as uuidv7 } from 'uuid';
import { Contended } from '../../lib/errors.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { ImportedLogin } from '../../users/user-store.ts';
import type { Database } from '../client/database.ts';
import { inCoreOf, readStanding, recordWaitingHashes } from './in-core.ts';
import { passwordUser } from './sole-login.ts';
import { readUsers } from './user-rows.ts';
import { ANOTHER_PERSON, LoginsInCore } from './write-imported.ts';

const CREATE = `
  with login as (
    insert into password_logins (email, user_id, recipe_user_id, time_joined_ms, no_hash, hash_set_by)
    values ($1, $2, $2, $3, $4, 'import') on conflict (email) do nothing
    returning user_id, time_joined_ms
  )
  insert into users (user_id, time_joined_ms) select user_id, time_joined_ms from login returning user_id`;

const CHANGE_REASON = `
  update password_logins login set no_hash = $2, hash_set_at = now(), hash_set_by = 'import'
  where email = $1 and no_hash <> $2 and not ${ANOTHER_PERSON} returning user_id, recipe_user_id`;

const RECORD_CHANGE = `insert into hash_changes (recipe_user_id, changed_by) values ($1, 'import')`;

/** An attempt fails if the login is removed between the write and the read. */
const MAX_ATTEMPTS = 10;

export async function importWithoutHash(
  db: Database,
  { email, noHash }: { email: string; noHash: NoHash },
): Promise<ImportedLogin> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const id = uuidv7();
    const now = Date.now();
    const created = await db.query(CREATE, [email, id, now, noHash]);
    if (created.length > 0)
      return { user: passwordUser({ id, email, verified: false, timeJoinedMs: now }), existed: false };
    const isInCore = !(await changeReason(db, email, noHash));
    const [login] = await db.query<{ user_id: string; is_another_person: boolean }>(
      `select user_id, ${ANOTHER_PERSON} as is_another_person from password_logins login where email = $1`,
      [email],
    );
    const user = login && (await readUsers(db, [login.user_id])).get(login.user_id);
    const refusal = isInCore ? 'in-core' : login?.is_another_person && 'another-person';
    if (user !== undefined) return { user, existed: true, ...(refusal && { refusal }) };
  }
  throw new Contended(new Error('a login is removed again and again'));
}

/** Returns false if the login is in the SuperTokens core and does not wait for its first sign-in. */
async function changeReason(db: Database, email: string, noHash: NoHash): Promise<boolean> {
  try {
    await db.transaction(async (client) => {
      const [login] = await client.query<{ user_id: string; recipe_user_id: string }>(CHANGE_REASON, [
        email,
        noHash,
      ]);
      if (login === undefined) return;
      const standing = await readStanding(client, [login.user_id]);
      const state = inCoreOf(standing, login.user_id, login.recipe_user_id);
      if (state === 'settled') throw new LoginsInCore([email]);
      if (state === 'waiting')
        await recordWaitingHashes(client, [{ recipeUserId: login.recipe_user_id, algorithm: noHash }]);
      await client.query(RECORD_CHANGE, [login.recipe_user_id]);
    });
  } catch (error) {
    if (error instanceof LoginsInCore) return false;
    throw error;
  }
  return true;
}
