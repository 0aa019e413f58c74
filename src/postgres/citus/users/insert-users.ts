import type { Transaction } from '../../client/connection.ts';

export const insertUsers = (
  connection: Transaction,
  userIds: readonly string[],
  timeJoinedMs: number,
): Promise<void> =>
  userIds.length === 0
    ? Promise.resolve()
    : connection.copy([
        {
          statement: 'copy users (user_id, time_joined_ms) from stdin',
          rows: Buffer.from(userIds.map((id) => `${id}\t${timeJoinedMs}\n`).join('')),
          count: userIds.length,
        },
      ]);
