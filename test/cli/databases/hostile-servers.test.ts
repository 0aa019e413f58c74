import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Certificates, makeCertificates } from '../../support/certificates.ts';
import { opened, problemOf } from './read-all.ts';

const PASSWORD = 'hunter2-of-the-operator';
let directory: string;
let certificates: Certificates;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'uic-hostile-'));
  certificates = makeCertificates(directory);
});
afterAll(() => rmSync(directory, { recursive: true }));

interface Hostile {
  port: number;
  /** Returns everything the client sent, decrypted if it was encrypted. */
  heard(): Buffer;
}

/** Listens, and gives each connection to `serve`, which passes what the client sent to `tell`. */
async function hostile(serve: (socket: Socket, tell: (bytes: Buffer) => void) => void): Promise<Hostile> {
  const told: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    serve(socket, (bytes) => told.push(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, heard: () => Buffer.concat(told) };
}

/** Encrypts the rest of a connection, with a certificate that anybody could have made. */
function encrypted(socket: Socket): TLSSocket {
  const { cert, key } = certificates.selfSigned;
  const secureContext = createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
  const secure = new TLSSocket(socket, { isServer: true, secureContext });
  secure.on('error', () => {});
  return secure;
}

/** Serves PostgreSQL and requests the password in clear text, with or without TLS. */
const postgres = (hasTls: boolean) =>
  hostile((socket, tell) => {
    const serve = (stream: Socket) =>
      stream.on('data', (bytes) => {
        tell(bytes);
        // AuthenticationCleartextPassword, after the startup message.
        if (bytes[0] === 0) stream.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
      });
    socket.once('data', (bytes) => {
      const wantsTls = bytes.length === 8;
      if (!wantsTls) {
        tell(bytes);
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
        return serve(socket);
      }
      socket.write(hasTls ? 'S' : 'N');
      serve(hasTls ? encrypted(socket) : socket);
    });
  });

test.each([
  ['', false],
  ['?sslmode=disable', false],
  ['?sslmode=no-verify', true],
])('an unverified server receives no password: %s', async (mode, hasTls) => {
  const server = await postgres(hasTls);
  const uri = `postgres://ada:${PASSWORD}@127.0.0.1:${server.port}/app${mode}`;
  const problem = await problemOf(opened(uri));
  expect(server.heard().includes(PASSWORD)).toBe(false);
  expect(server.heard().length).toBeGreaterThan(0);
  expect(problem).toContain('asks for the unencrypted password, which is sent only to a verified server');
});

test('a server without TLS receives nothing if the URI names a CA', async () => {
  const ca = encodeURIComponent(certificates.ca);
  const server = await postgres(false);
  for (const options of [
    `?sslrootcert=${ca}`,
    '?sslmode=prefer',
    '?sslmode=require&channel_binding=require',
  ]) {
    const uri = `postgres://ada:${PASSWORD}@127.0.0.1:${server.port}/app${options}`;
    expect(await problemOf(opened(uri))).toContain('it has no TLS');
    expect(server.heard().length).toBe(0);
  }
});

describe('a connection to another host that is not verified causes a warning', () => {
  const ask = async (uri: string, env: NodeJS.ProcessEnv = {}) => {
    const warnings: string[] = [];
    const signal = AbortSignal.timeout(300);
    await opened(uri, { env, signal, warn: (message) => warnings.push(message) }).catch(() => {});
    return warnings;
  };

  test.each([
    'postgres://ada@192.0.2.1/app?sslmode=disable',
    'postgres://ada@192.0.2.1/app?sslmode=no-verify',
    'postgres://ada@localhost/app?host=192.0.2.1&sslmode=disable',
    'postgres://ada@[2001:db8::1]/app?sslmode=disable',
  ])('%s', async (uri) => {
    const warnings = await ask(uri);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(uri.includes('[') ? '2001:db8::1' : '192.0.2.1');
    expect(warnings[0]).toContain('sslrootcert=ca.pem');
  });

  test('no warning is shown for a local host, a socket or a verified connection', async () => {
    const ca = encodeURIComponent(certificates.ca);
    for (const uri of [
      'postgres://ada@localhost:1/app',
      'postgres://ada@127.0.0.1:1/app',
      'postgres://ada@[::1]:1/app',
      'postgres://ada@/app?host=/not/there',
      'postgres://ada@192.0.2.1/app',
      'postgres://ada@192.0.2.1/app?sslmode=require',
      `postgres://ada@192.0.2.1/app?sslrootcert=${ca}`,
    ])
      expect([uri, ...(await ask(uri))]).toEqual([uri]);
  });
});
