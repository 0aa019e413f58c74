import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CITUS } from '../../../src/postgres/citus/citus.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { useTestDatabase } from '../../support/database.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { everyOperation } from './every-operation.ts';

/**
 * Message of the coordinator for each command that it sends to a node, if `citus.log_remote_commands` is on.
 */
const COMMAND = /^issuing (.*)/s;
const CONNECTION = /^on server (\S+) connectionId: (\d+)/;
const WRITES = /\b(?:INSERT INTO|UPDATE|DELETE FROM) public\.|^COPY public\./;

const BEGINS = /^BEGIN\b.*assign_distributed_transaction_id\((\d+, \d+)/s;

/** The transaction of a session on its connections to the nodes. */
class RemoteTransaction {
  #id: string | undefined;
  readonly #open = new Set<string>();
  readonly #writing = new Map<string, string>();
  #isPrepared = false;

  /**
   * Returns what was written if a connection commits in one phase although another one has written or
   * prepared something.
   */
  note(connection: string, command: string): string | undefined {
    const [, id] = BEGINS.exec(command) ?? [];
    if (id !== undefined) {
      if (id !== this.#id) {
        // Connections that failed were closed without a message.
        this.#open.clear();
        this.#writing.clear();
        this.#isPrepared = false;
      }
      this.#id = id;
      this.#open.add(connection);
    }
    // A statement that is a transaction of its own does not belong to it.
    if (this.#open.has(connection) && WRITES.test(command)) this.#writing.set(connection, command);
    if (command.startsWith('PREPARE TRANSACTION')) this.#isPrepared = true;
    if (/^(?:COMMIT|ROLLBACK)/.test(command)) this.#open.delete(connection);
    if (command !== 'COMMIT' || (!this.#isPrepared && this.#writing.size < 2)) return undefined;
    return this.#writing.get(connection);
  }
}

/**
 * Collects what sessions that begin from now on commit in one phase, beside prepared transactions of others.
 */
function watchCommits() {
  const halves: string[] = [];
  const sessions = new Map<pg.Client, RemoteTransaction>();
  let prepared = 0;
  const emit = pg.Client.prototype.emit;
  const spy = vi.spyOn(pg.Client.prototype, 'emit').mockImplementation(function (
    this: pg.Client,
    event: string | symbol,
    ...rest: unknown[]
  ) {
    const [notice] = rest as [{ message?: string; detail?: string } | undefined];
    const [, command] = COMMAND.exec((event === 'notice' && notice?.message) || '') ?? [];
    const [, node, id] = CONNECTION.exec(notice?.detail ?? '') ?? [];
    if (command !== undefined && node !== undefined) {
      const session = sessions.get(this) ?? new RemoteTransaction();
      sessions.set(this, session);
      const half = session.note(`${node} ${id}`, command.trim());
      if (half !== undefined) halves.push(half.slice(0, 100));
      if (command.startsWith('PREPARE TRANSACTION')) prepared += 1;
    }
    return Reflect.apply(emit, this, [event, ...rest]);
  } as typeof emit);
  onTestFinished(() => spy.mockRestore());
  return { halves, prepared: () => prepared };
}

/** A user store and its dependencies, on a database that logs what it sends to its nodes. */
async function loggingDatabase() {
  const database = await useTestDatabase();
  const name = new URL(database.uri).pathname.slice(1);
  await rowsOf(database.uri, `alter database ${name} set citus.log_remote_commands = on`);
  const watched = watchCommits();
  const db = new Database({ uri: database.uri, size: 10, timeoutMs: 30_000, onIdleError: () => {} });
  db.engine = CITUS;
  onTestFinished(() => db.close());
  return { database: { ...database, db }, plain: database.db, ...watched };
}

const HASH = labelledHash('any');

/** Makes calls for rows on all nodes. With so many rows, some of each kind cross nodes. */
async function fromNodeToNode(db: Database): Promise<void> {
  const store = createUserStore(db);
  const names = Array.from({ length: 8 }, (_, n) => `from-${n}@b.c`);
  const importAll = (emails: readonly string[]) =>
    Promise.all(emails.map((email) => store.importPasswordUser({ email, hash: HASH })));
  const users = await importAll(names);
  await importAll([...names, ...names.map((name) => `new-${name}`)]);
  for (const [n, { user }] of users.entries())
    await store.updatePasswordLogin(user.id, { email: `to-${n}@b.c`, hash: HASH });
}

it.skipIf(!IS_CITUS)(
  'writes on several nodes are prepared on all of them before one commits (needs TEST_CITUS_URL)',
  async () => {
    const { database, plain, halves, prepared } = await loggingDatabase();
    await everyOperation(database, plain);
    await fromNodeToNode(database.db);
    expect(halves).toEqual([]);
    expect(prepared()).toBeGreaterThan(20);
  },
);

it.skipIf(!IS_CITUS)('detects a COPY after a read, which Citus commits in one phase', async () => {
  const { database, halves } = await loggingDatabase();
  await database.db.transaction(async (client) => {
    await client.query('select count(*) from user_aliases');
    await client.query('delete from password_logins');
    await client.query(
      `insert into user_aliases (alias, kind, user_id, recipe_user_id)
       select 'alias-' || n, 'external', gen_random_uuid(), gen_random_uuid() from generate_series(1, 20) n`,
    );
  });
  const alone = halves.length;
  await database.db.transaction(async (client) => {
    await client.query('select count(*) from user_aliases');
    await client.query(
      `insert into user_aliases (alias, kind, user_id, recipe_user_id)
       select 'alias-' || n, 'external', gen_random_uuid(), gen_random_uuid() from generate_series(21, 40) n`,
    );
    await client.query("delete from password_logins where email = 'nobody'");
  });
  expect([alone, halves.length]).toEqual([0, 1]);
});
