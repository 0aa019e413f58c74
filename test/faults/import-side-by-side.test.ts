import { expect, it } from 'vitest';
import { useServices } from '../support/compiled-service.ts';
import { useTestDatabase } from '../support/database.ts';
import { ImportStream, sendAll } from '../support/import-stream.ts';
import { ndjson, type Report } from '../support/ndjson.ts';
import { rowsOf } from '../support/rows-of.ts';
import { WITH_ALL_TABLES } from '../support/with-all-tables.ts';
import { hashOf } from './migration.ts';

/**
 * Three chunks, so that both the chunk that is written and the one that waits overlap with the chunks of the
 * other import.
 */
const USERS = 6000;

const services = useServices();

const emailOf = (user: number) => `user-${user}@example.com`;

/** Yields all users in this order, with hashes that name the writer. */
function* linesIn(order: readonly number[], writer: string): Generator<string> {
  for (let start = 0; start < order.length; start += 1000) {
    const some = order.slice(start, start + 1000);
    yield ndjson(...some.map((user) => ({ email: emailOf(user), passwordHash: hashOf(`${writer}${user}`) })));
  }
}

const UP = Array.from({ length: USERS }, (_, index) => index);
const ORDERS = {
  backwards: UP.toReversed(),
  'from the second chunk on, the first one last': UP.map((user) => (user + 2000) % USERS),
};

it.each(Object.entries(ORDERS))(
  'two imports of the same users, one of them %s, both complete, and the last write wins',
  async (_order, order) => {
    const { uri } = await useTestDatabase();
    const urls = await Promise.all([services.startOn(uri).ready(), services.startOn(uri).ready()]);
    const streams = urls.map((url) => new ImportStream(url));
    const orders: [readonly number[], string][] = [
      [UP, 'a'],
      [order, 'b'],
    ];
    const reports = await Promise.all(
      streams.map(async (stream, index) => {
        await sendAll(stream, linesIn(...(orders[index] ?? [[], ''])));
        return stream.finished();
      }),
    );
    for (const { error, summary } of reports) {
      expect([error, summary]).toMatchObject([undefined, { lines: USERS, skipped: 0, failed: 0 }]);
    }
    // The import that found the user already present wrote it last.
    const last = new Map<string, string>();
    for (const [index, { results }] of reports.entries()) {
      const [order = [], writer = ''] = orders[index] ?? [];
      for (const { line, status } of results) {
        const user = order[line - 1] ?? -1;
        if (status === 'UPDATED') last.set(emailOf(user), hashOf(`${writer}${user}`));
      }
    }
    expect(last.size).toBe(USERS);
    const logins = await rowsOf<{ email: string; password_hash: string }>(
      uri,
      `${WITH_ALL_TABLES} select email, password_hash from password_logins join users using (user_id)`,
    );
    expect(logins).toHaveLength(USERS);
    expect(logins.filter((login) => login.password_hash !== last.get(login.email))).toEqual([]);
    expect(await rowsOf(uri, 'select count(*)::int from users')).toEqual([{ count: USERS }]);
    expect(created(reports)).toBe(USERS);
  },
);

const created = (reports: readonly Report[]) =>
  reports.reduce((sum, { summary }) => sum + (summary?.created ?? 0), 0);
