import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { cancelStatement } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { describeTimeouts, TIMEOUT_MS } from '../store-suite/describe-timeouts.ts';

describeTimeouts('a statement that takes too long', async () => {
  const { uri, db: admin, drop } = await createTestDatabase();
  const db = new Database({ uri, size: 2, timeoutMs: TIMEOUT_MS, onIdleError: () => {} });
  db.engine = admin.engine;
  return {
    db,
    admin,
    async close() {
      await db.close();
      await drop();
    },
  };
});

/** Encryption without certificates. */
const KEY = { ciphers: 'PSK', maxVersion: 'TLSv1.2' as const };
const SECRET = Buffer.from('a secret of both');

const SSL_REQUEST = '0000000804d2162f';
const CANCEL_REQUEST = '0000001004d2162e00000007fffffff7';

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer(onSocket).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function sessionAt(port: number, ssl: pg.ClientConfig['ssl'] = false): pg.Client {
  return Object.assign(new pg.Client({ host: '127.0.0.1', port, ssl }), { processID: 7, secretKey: -9 });
}

const firstOf = async (socket: NodeJS.ReadableStream) => {
  const [data] = await once(socket, 'data');
  return data.toString('hex');
};

it('sends the key that the server gave the client', async () => {
  const requests: string[] = [];
  const port = await listen(async (socket) => {
    requests.push(await firstOf(socket));
    socket.end();
  });
  await cancelStatement(sessionAt(port));
  expect(requests).toEqual([CANCEL_REQUEST]);
});

it('encrypts the request if the client is encrypted', async () => {
  const requests: string[] = [];
  const server = createSecureServer({ pskCallback: () => SECRET, ...KEY }, async (socket) => {
    requests.push(await firstOf(socket));
    socket.end();
  });
  const port = await listen(async (socket) => {
    requests.push(await firstOf(socket));
    socket.write('S');
    server.emit('connection', socket);
  });
  const pskCallback = () => ({ psk: SECRET, identity: 'us' });
  await cancelStatement(sessionAt(port, { pskCallback, checkServerIdentity: () => undefined, ...KEY }));
  expect(requests).toEqual([SSL_REQUEST, CANCEL_REQUEST]);
});

it('ignores a failure of the request', async () => {
  const port = await listen((socket) => socket.end('N'));
  await cancelStatement(sessionAt(port, true));
  await cancelStatement(new pg.Client({ host: '127.0.0.1', port }));
  await cancelStatement(sessionAt(1));
  await cancelStatement(Object.assign(sessionAt(1), { host: '/no/such/directory' }));
});

it('waits at most two seconds for the request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let taken = () => {};
  const arrived = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const sockets: Socket[] = [];
  const port = await listen((socket) => {
    sockets.push(socket);
    taken();
  });
  const cancelled = cancelStatement(sessionAt(port));
  await arrived;
  vi.advanceTimersByTime(2000);
  await cancelled;
  for (const socket of sockets) socket.destroy();
});
