import type { Transaction } from '../../client/connection.ts';
import { copyBigint, copyOf, copyUuid } from '../../client/copy-in.ts';
import type { Database } from '../../client/database.ts';
import { inOrderOfKeys } from '../../imports/copy-people.ts';
import { type UserQueries, usersToFind } from '../../users/user-pages.ts';
import { type ExistingIdentity, type NewSignIn, SIGN_IN } from '../../users/write-sign-ins.ts';
import { readUserRowsOnNodes } from './gather-users.ts';
import {
  countUsersOnNodes,
  findUsersByAccountInfoOnNodes,
  gatherFound,
  listUsersOnNodes,
} from './user-pages.ts';

/**
 * Writes sign-ins. $1 is the time at which new users join. The rows are a `values` list, because Citus can split such a
 * list by shard (`valueRows`).
 */
const upsert = (signIns: number) => `
  insert into third_party_logins as login
    (third_party_id, third_party_user_id, user_id, recipe_user_id, email, verified_emails, time_joined_ms, last_sign_in_at)
  values ${valueRows(signIns, { after: 1, columns: 5 }, ([provider, user, id, email, verified]) => `(${provider}, ${user}, ${id}, ${id}, ${email}, ${verified}::text[], $1, now())`)}
  ${SIGN_IN}, null as linked_user`;

/** Writes sign-ins, and creates the users of new logins. Returns the logins that existed before. */
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

const insertUsers = (
  connection: Transaction,
  userIds: readonly string[],
  timeJoinedMs: number,
): Promise<void> =>
  userIds.length === 0
    ? Promise.resolve()
    : connection.copy([
        copyOf(
          'users',
          ['user_id', 'time_joined_ms'],
          userIds.map((id) => copyUuid(id) + copyBigint(timeJoinedMs)),
        ),
      ]);

/**
 * Returns a `values` list, which Citus splits by shard without planning a query for each shard.
 * @param after number of parameters before the list
 */
export function valueRows(
  rows: number,
  { after, columns }: { after: number; columns: number },
  row: (parameters: string[]) => string,
): string {
  return Array.from({ length: rows }, (_, index) =>
    row(Array.from({ length: columns }, (_, column) => `$${after + index * columns + column + 1}`)),
  ).join(', ');
}

export const CITUS_QUERIES: UserQueries = {
  sizeOfPasswordLogins: "select citus_relation_size('password_logins') as bytes",
  listUsers: listUsersOnNodes,
  countUsers: countUsersOnNodes,
  searchUsers: (db, search) => gatherFound(db, usersToFind(search), search),
  findUsersByAccountInfo: findUsersByAccountInfoOnNodes,
  readUserRows: readUserRowsOnNodes,
  writeSignIns: writeSignInsOnNodes,
};
