import type { Transaction } from '../../client/connection.ts';
import { insertSorted } from '../../imports/apply-write-set.ts';

export const insertUsers = (
  connection: Transaction,
  userIds: readonly string[],
  timeJoinedMs: number,
): Promise<void> =>
  insertSorted(connection, {
    users: userIds.map((userId) => ({ userId, timeJoinedMs, profile: {} })),
    passwordLogins: [],
    thirdPartyLogins: [],
    aliases: [],
  });
