import type { Database } from '../../client/database.ts';
import { inOrderOfKeys } from '../../imports/copy-people.ts';
import { type ExistingIdentity, type NewSignIn, SIGN_IN } from '../../users/write-sign-ins.ts';
import { insertUsers } from './insert-users.ts';
import { valueRows } from './value-rows.ts';

/** $1 is the time when new users joined. See `upsert` of write-imported.ts. */
const upsert = (signIns: number) => `
  insert into third_party_logins as login
    (third_party_id, third_party_user_id, user_id, recipe_user_id, email, verified_emails, time_joined_ms, last_sign_in_at)
  values ${valueRows(signIns, { after: 1, columns: 5 }, ([provider, user, id, email, verified]) => `(${provider}, ${user}, ${id}, ${id}, ${email}, ${verified}::text[], $1, now())`)}
  ${SIGN_IN}, null as linked_user`;

/** Returns the logins that existed before. */
export const writeSignInsOnNodes = (
  db: Database,
  signIns: readonly NewSignIn[],
  now: number,
): Promise<ExistingIdentity[]> =>
  db.transaction(async (connection) => {
    const inOrder = signIns.toSorted((a, b) => inOrderOfKeys(a.signIn, b.signIn));
    const written = await connection.query<ExistingIdentity>(upsert(signIns.length), [
      now,
      ...inOrder.flatMap(({ id, signIn: { identity, email, verified } }) => [
        ...[identity.id, identity.userId, id, email, verified ? [email] : null],
      ]),
    ]);
    const offered = new Set(signIns.map(({ id }) => id));
    const created = written.filter(({ user_id: id }) => offered.has(id));
    await insertUsers(
      connection,
      created.map(({ user_id }) => user_id),
      now,
    );
    return written.filter(({ user_id: id }) => !offered.has(id));
  });
