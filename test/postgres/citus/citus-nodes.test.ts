import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/postgres/client/connection.ts';
import { copyBigint, copyOf, copyText, copyUuid } from '../../../src/postgres/client/copy-in.ts';
import { isLostLock, isUniqueViolation } from '../../../src/postgres/client/pg-error.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { lockWaits } from '../../support/lock-waits.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const COLUMNS = 'email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm';
const HELD = 'held@b.c';
const INSERT = `insert into password_logins (${COLUMNS}) values ($1, $2, $2, 0, 'x', 'bcrypt')`;

/** Ways to write a row. Each of them fails with different messages. */
const WAYS: [string, (connection: Connection, email: string) => Promise<unknown>][] = [
  ['insert', (connection, email) => connection.query(INSERT, [email, ID])],
  [
    'insert … select',
    (connection, email) =>
      connection.query(
        `with old as (delete from password_logins where email = 'other@b.c' returning *)
         insert into password_logins (${COLUMNS})
         select $1, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm from old
         union all select $1, $2, $2, 0, 'x', 'bcrypt' where not exists (table old)`,
        [email, ID],
      ),
  ],
  [
    'COPY',
    (connection, email) => {
      const id = copyUuid(ID);
      const values = [copyText(email), id, id, copyBigint(0), copyText('x'), copyText('bcrypt')];
      return connection.copy([copyOf('password_logins', COLUMNS.split(', '), [values.join('')])]);
    },
  ],
];

describe.skipIf(!IS_CITUS)('failing nodes (needs TEST_CITUS_URL)', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.db.query(INSERT, ['there@b.c', ID]);
  });
  afterAll(() => database.drop());

  /** Writes a row that another transaction is about to write, and calls back while it waits. */
  async function whileHeld(
    way: (typeof WAYS)[0][1],
    meanwhile: () => Promise<unknown> = async () => {},
    begin = 'begin',
  ): Promise<unknown> {
    const { db } = database;
    let outcome: unknown;
    await db
      .transaction(async (holder) => {
        await holder.query(INSERT, [HELD, ID]);
        const writing = db
          .connection((connection) => connection.transaction(() => way(connection, HELD), begin))
          .catch((error: unknown) => error);
        await expect.poll(() => lockWaits(db)).toBe(1);
        await meanwhile();
        outcome = await writing;
        throw new Error('rolled back');
      })
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
    return outcome;
  }

  const toWaiting = (does: string) => () =>
    database.db.query(
      `select * from run_command_on_workers($$
         select count(${does}(pid)) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'$$)`,
    );

  it.each(WAYS)('report the violated constraint: %s', async (_, way) => {
    const failed = await database.db
      .connection((connection) => way(connection, 'there@b.c'))
      .catch((error: unknown) => error);
    expect(isUniqueViolation(failed, 'password_logins_pkey')).toBe(true);
  });

  it.each(WAYS)('report a lock timeout: %s', async (_, way) => {
    expect(isLostLock(await whileHeld(way, undefined, "begin; set local lock_timeout = '500ms'"))).toBe(true);
  });

  it.each(WAYS)('report a cancelled statement: %s', async (_, way) => {
    expect(await whileHeld(way, toWaiting('pg_cancel_backend'))).toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    });
  });

  it.each(WAYS)('report a terminated connection: %s', async (_, way) => {
    expect(await whileHeld(way, toWaiting('pg_terminate_backend'))).toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    });
  });

  it.each(WAYS)('report a node that does not listen: %s', async (_, way) => {
    await moved(1, async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_one, index) =>
          database.db
            .connection((connection) => way(connection, `user-${index}@b.c`))
            .then(
              () => 'done',
              (error: { code: string }) => error.code,
            ),
        ),
      );
      expect(outcomes).toContain('STORAGE_UNAVAILABLE');
      expect(outcomes.filter((one) => one !== 'STORAGE_UNAVAILABLE' && one !== 'done')).toEqual([]);
    });
    await database.db.query("delete from password_logins where email like 'user-%'");
  });

  it.each(WAYS)('report a lost connection: %s', async (_, way) => {
    const sockets = new Set<Socket>();
    const [node] = await database.db.query<{ host: string; port: number }>(
      `select nodename as host, nodeport as port from pg_dist_shard_placement
       where shardid = get_shard_id_for_distribution_column('password_logins', '${HELD}')`,
    );
    const proxy = createServer((socket) => {
      const there = connect(node?.port ?? 0, node?.host);
      sockets.add(socket);
      for (const [one, other] of [
        [socket, there],
        [there, socket],
      ] as const) {
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
        one.pipe(other);
      }
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const cut = async () => {
      for (const socket of sockets) socket.destroy();
    };
    const failed = await moved((proxy.address() as AddressInfo).port, () => whileHeld(way, cut), node?.port);
    proxy.close();
    expect(failed).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  /** Makes the coordinator use another port for a node. */
  async function moved<T>(port: number, work: () => Promise<T>, from?: number): Promise<T> {
    const { db } = database;
    const [node] = await db.query<{ nodeid: number; nodeport: number }>(
      `select nodeid, nodeport from pg_dist_node where groupid <> 0 and nodeport = coalesce($1, nodeport)
       order by groupid limit 1`,
      [from ?? null],
    );
    const move = (to: number | undefined) =>
      db.query('update pg_dist_node set nodeport = $2 where nodeid = $1', [node?.nodeid, to]);
    await move(port);
    try {
      return await work();
    } finally {
      await move(node?.nodeport);
    }
  }

  it('fail one of two transactions in a deadlock, on one node and on two, and the other continues', async () => {
    const { db } = database;
    const store = createUserStore(db);
    const emails = Array.from({ length: 20 }, (_, index) => `crosswise-${index}@b.c`);
    for (const email of emails) await store.importPasswordUser({ email, hash: labelledHash('x') });
    const places = await db.query<{ email: string; port: number }>(
      `select email, (select nodeport from pg_dist_shard_placement
         where shardid = get_shard_id_for_distribution_column('password_logins', email)) as port
       from unnest($1::text[]) as t (email)`,
      [emails],
    );
    const [first] = places;
    const same = places.find(({ email, port }) => port === first?.port && email !== first?.email);
    const other = places.find(({ port }) => port !== first?.port);
    for (const second of [same, other]) {
      const pair = [first?.email, second?.email];
      let begun = 0;
      const runs: number[] = [];
      await Promise.all(
        [pair, pair.toReversed()].map((order) =>
          db.transaction(async (client) => {
            runs.push(0);
            for (const email of order) {
              await client.query('update password_logins set linked = linked where email = $1', [email]);
              begun += 1;
              // Both have taken a lock before either requests the other's, at least the first time.
              await expect.poll(() => begun).toBeGreaterThan(1);
            }
          }),
        ),
      );
      // One of them lost, and was retried.
      expect(runs.length).toBeGreaterThan(2);
    }
  });
});
