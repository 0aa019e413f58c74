import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../src/lib/async/until.ts';
import { copyOf, copyText } from '../../../src/postgres/client/copy-in.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { useTestDatabase } from '../../support/database.ts';

/** Reads the startup parameters of a client, and closes the connection. */
async function startupParameters(
  connect: (uri: string) => Promise<unknown>,
): Promise<Record<string, string>> {
  let packet = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket.once('data', (data) => {
      packet = data;
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await connect(`postgresql://someone:secret@127.0.0.1:${port}/users`).catch(() => {});
  server.close();
  // Length and protocol version come first. Then follow names and values, each terminated by NUL.
  const words = packet.subarray(8).toString('utf8').split('\0');
  const pairs: Record<string, string> = {};
  for (let at = 0; words[at]; at += 2) pairs[words[at] ?? ''] = words[at + 1] ?? '';
  return pairs;
}

async function createDatabase(changes: Partial<ConstructorParameters<typeof Database>[0]> = {}) {
  const { uri, db: admin } = await useTestDatabase();
  const idleErrors: Error[] = [];
  const db = new Database({
    uri,
    size: 2,
    timeoutMs: 10_000,
    onIdleError: (error) => idleErrors.push(error),
    ...changes,
  });
  onTestFinished(() => db.close());
  await admin.query('create table notes (note text primary key)');
  const notes = async () =>
    (await admin.query<{ note: string }>('select note from notes order by 1')).map(({ note }) => note);
  return { db, admin, idleErrors, notes };
}

it('sends no startup parameter that a pooler refuses', async () => {
  const parameters = await startupParameters(async (uri) => {
    const db = new Database({ uri, size: 1, timeoutMs: 1000, onIdleError: () => {} });
    await db.query('select 1').finally(() => db.close());
  });
  expect(parameters).toEqual({
    user: 'someone',
    database: 'users',
    client_encoding: 'UTF8',
    application_name: 'user-import-core',
  });
});

it('rolls back a transaction whose work throws, and passes on the error', async () => {
  const { db, notes } = await createDatabase({ size: 1 });
  const failed = db.transaction(async (client) => {
    await client.query('insert into notes values ($1)', ['lost']);
    throw new TypeError('a bug');
  });
  await expect(failed).rejects.toThrow(new TypeError('a bug'));
  await db.transaction((client) => client.query('insert into notes values ($1)', ['kept']));
  expect(await notes()).toEqual(['kept']);
});

it('rolls back a transaction whose statement failed, and reuses the connection', async () => {
  const { db, notes } = await createDatabase({ size: 1 });
  const [before] = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  const failed = db.transaction(async (client) => {
    await client.query("insert into notes values ('once')");
    await client.query("insert into notes values ('once')");
  });
  await expect(failed).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual([]);
  expect(await db.query('select pg_backend_pid() as pid')).toEqual([before]);
});

it('begins a transaction, with its settings, even if the first statement has values', async () => {
  const { db } = await createDatabase();
  const read =
    "select current_setting('timezone') as zone, current_setting('transaction_isolation') as level";
  const begin = "begin isolation level serializable; set local timezone = 'Asia/Tokyo'";
  const inside = await db.transaction((tx) => tx.query(`${read}, $1::int as value`, [7]), begin);
  expect(inside).toEqual([{ zone: 'Asia/Tokyo', level: 'serializable', value: 7 }]);
  const [outside] = await db.query<{ zone: string; level: string }>(read);
  expect(outside).not.toMatchObject({ zone: 'Asia/Tokyo' });
  expect(outside).toMatchObject({ level: 'read committed' });
});

it('rolls back a transaction whose first statement failed, and reuses the connection', async () => {
  const { db, notes } = await createDatabase({ size: 1 });
  const failing = db.transaction(async (tx) => {
    await tx.query('insert into notes values ($1), ((1 / $2::int)::text)', ['first', 0]);
  });
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  await db.transaction((tx) => tx.query('insert into notes values ($1)', ['second']));
  expect(await notes()).toEqual(['second']);
});

it('replaces the connection of a transaction that broke', async () => {
  const { db, admin, notes } = await createDatabase({ size: 1 });
  const failed = db.transaction(async (client) => {
    await client.query("insert into notes values ('lost')");
    const [own] = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await admin.query('select pg_terminate_backend($1::int)', [own?.pid]);
    await client.query('select pg_sleep(60)');
  });
  await expect(failed).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
  expect(await notes()).toEqual([]);
});

it('survives a connection that breaks between two statements of a transaction', async () => {
  const { db, admin, idleErrors } = await createDatabase({ size: 1 });
  const failed = db.transaction(async (client) => {
    const [own] = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await admin.query('select pg_terminate_backend($1::int)', [own?.pid]);
    expect(await until(() => idleErrors.length > 0, 5000)).toBe(true);
    await client.query('select 1');
  });
  await expect(failed).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
});

it('passes on any error of the work unchanged', async () => {
  const { db } = await createDatabase();
  const error = new Error('not about the database');
  await expect(db.transaction(() => Promise.reject(error))).rejects.toBe(error);
});

it('reports a broken idle connection, and uses another one for the next statement', async () => {
  const { db, admin, idleErrors } = await createDatabase({ size: 1 });
  const [own] = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  await admin.query('select pg_terminate_backend($1::int)', [own?.pid]);
  expect(await until(() => idleErrors.length > 0, 5000)).toBe(true);
  expect(idleErrors[0]).toMatchObject({ code: '57P01' });
  expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
});

/** Also bounds connecting, which takes some hundred milliseconds on a busy machine. */
const SHORT_MS = 1000;

it('cancels a COPY that takes too long, and tolerates that it continues', async () => {
  const { db, admin, notes } = await createDatabase({ timeoutMs: SHORT_MS });
  let outcome: Promise<unknown> | undefined;
  await admin.transaction(async (other) => {
    await other.query('lock table notes in exclusive mode');
    const copying = db.connection((connection) =>
      connection.transaction(() => connection.copy([copyOf('notes', ['note'], [copyText('late')])])),
    );
    outcome = copying.catch((error: unknown) => error);
    // Longer than the timeout, but short enough that the connection is not closed for another reason.
    await sleep(SHORT_MS + 300);
  });
  expect(await outcome).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await db.query("insert into notes values ('next')");
  expect(await notes()).toEqual(['next']);
});

it('fails if no connection becomes free', async () => {
  const { db } = await createDatabase({ size: 1, timeoutMs: SHORT_MS });
  let letGo = () => {};
  const held = db.transaction(() => new Promise<void>((resolve) => (letGo = resolve)));
  const failed = await Promise.allSettled([db.query('select 1'), db.transaction(async () => {})]);
  expect(failed).toMatchObject(Array(2).fill({ reason: { code: 'STORAGE_UNAVAILABLE' } }));
  letGo();
  await held;
  expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
});

describe('a transaction that lost to others', () => {
  async function createRaces(timeoutMs?: number) {
    const { db } = await createDatabase(timeoutMs === undefined ? {} : { timeoutMs });
    await db.query('create sequence tries');
    await db.query(`create function lose(times integer, seconds float default 0) returns bigint language plpgsql as $$
      begin
        perform pg_sleep(seconds);
        if nextval('tries') <= times then raise exception using errcode = 'deadlock_detected'; end if;
        return currval('tries');
      end $$`);
    return db;
  }

  it('is retried ten times and no more', async () => {
    const db = await createRaces();
    expect(await db.query('select lose(10) as tries')).toEqual([{ tries: '11' }]);
    const tries = await db.transaction((client) => client.query('select lose(15) as tries'));
    expect(tries).toEqual([{ tries: '16' }]);
    await expect(db.query('select lose(100)')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await db.query('select last_value from tries')).toEqual([{ last_value: '27' }]);
  });

  it('is retried for as long as a statement may take, and no longer', async () => {
    const db = await createRaces(1000);
    await expect(db.query('select lose(100, 0.45)')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const [row] = await db.query<{ last_value: string }>('select last_value from tries');
    expect(Number(row?.last_value)).toBeLessThanOrEqual(3);
  });
});

it('survives a connection that breaks at the moment it is established', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const fatal = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
      const error = Buffer.concat([Buffer.from('E'), lengthOf(fatal), fatal]);
      // AuthenticationOk, ReadyForQuery and the end of the connection, in one packet.
      socket.end(
        Buffer.concat([Buffer.from('520000000800000000', 'hex'), Buffer.from('5a0000000549', 'hex'), error]),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const uri = `postgresql://someone:secret@127.0.0.1:${port}/users`;
  const db = new Database({ uri, size: 1, timeoutMs: 1000, onIdleError: () => {} });
  await expect(db.query('select 1')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  await db.close();
});

/** Returns the length field of a message, which includes itself. */
function lengthOf(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return length;
}

it('passes arrays as they are', async () => {
  const { db } = await createDatabase();
  const texts = [
    '',
    ' ',
    'NULL',
    'null',
    '"',
    '\\',
    '\\"',
    '{',
    '}',
    '{}',
    ',',
    'a,b',
    "'",
    '\n',
    'é𝄞',
    null,
    '\\N',
    'a\\',
  ];
  const numbers = [0, -1, 1.5, 9_007_199_254_740_991, null];
  const booleans = [true, false, null];
  const bytes = [Buffer.from([0, 92, 255]), null];
  const [row] = await db.query(
    'select $1::text[] as texts, $2::float8[] as numbers, $3::boolean[] as booleans, $4::bytea[] as bytes, $5::text[] as none',
    [texts, numbers, booleans, bytes, []],
  );
  expect(row).toEqual({ texts, numbers, booleans, bytes, none: [] });
  for (const text of texts)
    expect(await db.query('select $1::text[] as a', [[text]])).toEqual([{ a: [text] }]);
});
