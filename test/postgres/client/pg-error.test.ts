import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { isUnavailable, isUniqueViolation, storageError } from '../../../src/postgres/client/pg-error.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { closedPort } from '../../support/tcp-proxy.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function connected(uri = database.uri): Promise<pg.Client> {
  const client = new pg.Client(uri);
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('did not fail');
    },
    (error: unknown) => error,
  );
}

/** Returns the error of statements on their own connection. */
async function failureOf(...statements: string[]): Promise<unknown> {
  const client = await connected();
  try {
    for (const statement of statements.slice(0, -1)) await client.query(statement);
    return await errorOf(client.query(statements.at(-1) ?? ''));
  } finally {
    await client.end();
  }
}

/** Returns the error of connecting with a part of the URI replaced. */
function connectFailure(change: (uri: URL) => void): Promise<unknown> {
  const uri = new URL(database.uri);
  change(uri);
  return errorOf(new pg.Client(uri.href).connect());
}

const LOGIN = `insert into password_logins
  (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_set_by)
  values ('a@b.c', gen_random_uuid(), gen_random_uuid(), 0, 'x', 'bcrypt', 'import')`;

it.skipIf(IS_CITUS)(
  'recognises which unique constraint was violated (not on Citus, see citus-nodes.test.ts)',
  async () => {
    const error = await failureOf(LOGIN, LOGIN);
    expect(isUniqueViolation(error, 'password_logins_pkey')).toBe(true);
    expect(isUniqueViolation(error, 'users_pkey')).toBe(false);
    expect(isUnavailable(error)).toBe(false);
    expect(storageError(error)).toBe(error);
  },
);

it('distinguishes other violations from unique ones', async () => {
  const error = await failureOf(LOGIN.replace("'import'", "'nobody'"));
  expect(error).toMatchObject({ code: '23514' });
  expect(isUniqueViolation(error, 'password_logins_pkey')).toBe(false);
  expect(
    isUniqueViolation({ code: '23505', constraint: 'password_logins_pkey' }, 'password_logins_pkey'),
  ).toBe(false);
});

it.each([
  ['a value that is no number', "select 'x'::integer", '22P02'],
  ['a wrong statement', 'selekt 1', '42601'],
  ['a missing table', 'select from nowhere', '42P01'],
  ['a division by zero', 'select 1 / 0', '22012'],
])('does not change the code of %s', async (_, statement, code) => {
  const error = await failureOf(statement);
  expect(error).toMatchObject({ code });
  expect(isUnavailable(error)).toBe(false);
  expect(storageError(error)).toBe(error);
});

it('treats a cancelled statement as unavailable', async () => {
  const error = await failureOf('set statement_timeout = 20', 'select pg_sleep(60)');
  expect(error).toMatchObject({ code: '57014' });
  expect(isUnavailable(error)).toBe(true);
});

it('treats a write to a read-only session as unavailable', async () => {
  const error = await failureOf('set default_transaction_read_only = on', LOGIN);
  expect(error).toMatchObject({ code: '25006' });
  expect(isUnavailable(error)).toBe(true);
});

it('treats a transaction that was idle too long as unavailable', async () => {
  const client = await connected();
  const failed = once(client, 'error').catch((error: unknown) => [error]);
  await client.query('begin; set local idle_in_transaction_session_timeout = 20');
  const [error] = await failed;
  expect(error).toMatchObject({ code: '25P03' });
  expect(isUnavailable(error)).toBe(true);
});

it('treats a transaction that lost a deadlock as unavailable', async () => {
  const clients = [await connected(), await connected()];
  for (const [own, client] of clients.entries()) {
    await client.query("set deadlock_timeout = '10ms'");
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [own]);
  }
  const outcomes = await Promise.allSettled(
    clients.map(async (client, own) => {
      try {
        await client.query('select pg_advisory_xact_lock($1)', [1 - own]);
      } finally {
        // The rollback of the loser lets the other transaction continue.
        await client.query('rollback');
      }
    }),
  );
  for (const client of clients) await client.end();
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(reasons).toMatchObject([{ code: '40P01' }]);
  expect(isUnavailable(reasons[0])).toBe(true);
});

it('treats a terminated connection as unavailable, whether active or idle', async () => {
  const [victim, killer] = [await connected(), await connected()];
  const { rows } = await victim.query('select pg_backend_pid() as pid');
  const working = errorOf(victim.query('select pg_sleep(60)'));
  const ended = new Promise((resolve) => victim.once('end', () => resolve(undefined)));
  await killer.query('select pg_terminate_backend($1::int)', [rows[0].pid]);
  expect(await working).toMatchObject({ code: '57P01' });
  expect(isUnavailable(await working)).toBe(true);
  await ended;
  // An error of the driver, which has no code.
  const afterwards = await errorOf(victim.query('select 1'));
  expect(afterwards).not.toBeInstanceOf(pg.DatabaseError);
  expect(isUnavailable(afterwards)).toBe(true);
  await killer.end();
});

it.each(['127.0.0.1', 'localhost'])('treats a closed port of %s as unavailable', async (host) => {
  const port = await closedPort();
  const error = await connectFailure((uri) => {
    uri.hostname = host;
    uri.port = String(port);
  });
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  expect(isUnavailable(error)).toBe(true);
  expect(storageError(error)).toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: 'Storage is unavailable: the database does not answer',
    cause: error,
  });
});

it.each([
  ['53100', 'the disk of the database is full'],
  ['53300', 'the database has no connection left'],
  ['25006', 'the database is read-only, as a standby is'],
  ['57P01', 'the database does not answer'],
])('says of %s that %s', async (code, reason) => {
  const client = await connected();
  const error = await errorOf(
    client.query(`do $$ begin raise exception 'x' using errcode = '${code}'; end $$`),
  );
  expect(storageError(error)).toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: `Storage is unavailable: ${reason}`,
  });
  await client.end();
});

it('treats a connection reset as unavailable', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).resetAndDestroy()).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const error = await connectFailure((uri) => {
    uri.hostname = '127.0.0.1';
    uri.port = String(port);
  });
  server.close();
  expect(isUnavailable(error)).toBe(true);
});

it('does not treat a wrong user or a missing database as unavailable, because waiting does not help', async () => {
  const wrongUser = await connectFailure((uri) => {
    uri.username = 'no_such_user';
    uri.password = 'wrong';
  });
  expect(wrongUser).toMatchObject({ code: expect.stringMatching(/^28/) });
  expect(isUnavailable(wrongUser)).toBe(false);
  const missing = await connectFailure((uri) => {
    uri.pathname = '/no_such_database';
  });
  expect(missing).toMatchObject({ code: '3D000' });
  expect(isUnavailable(missing)).toBe(false);
});

it('never hides a programming error, or an error that is an answer already', () => {
  for (const error of [new TypeError('x is not a function'), new RangeError('far'), 'text', undefined]) {
    expect(isUnavailable(error)).toBe(false);
    expect(storageError(error)).toBe(error);
  }
  const answer = new AppError('OVERLOADED', 'Service is overloaded');
  expect(storageError(answer)).toBe(answer);
});

it('treats several failures as unavailable if all of them are', () => {
  const refused = new Error('connect ECONNREFUSED');
  expect(isUnavailable(new AggregateError([refused, refused]))).toBe(true);
  expect(isUnavailable(new AggregateError([refused, new TypeError('bug')]))).toBe(false);
});
