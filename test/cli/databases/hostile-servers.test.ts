import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
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

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });

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

const SCRAMBLE = Buffer.from('abcdefghijklmnopqrst');
const CLIENT_SSL = 0x0800;

function packet(sequence: number, ...parts: (Buffer | string | number[])[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (Array.isArray(part) ? Buffer.from(part) : Buffer.from(part as string))),
  );
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, body]);
}

/** Returns the handshake packet that mysql2 expects first from a server. */
function hello(plugin: string, hasTls: boolean): Buffer {
  // PLUGIN_AUTH, SECURE_CONNECTION, PROTOCOL_41, and TLS.
  const flags = 0x0008_8200 | 0x1 | (hasTls ? CLIENT_SSL : 0);
  const word = (value: number) => [value & 0xff, (value >> 8) & 0xff];
  return packet(
    0,
    [10],
    '8.0.36\0',
    [1, 0, 0, 0],
    SCRAMBLE.subarray(0, 8),
    [0],
    word(flags),
    [45],
    [2, 0],
    word(flags >> 16),
    [21],
    Array(10).fill(0),
    SCRAMBLE.subarray(8),
    [0],
    `${plugin}\0`,
  );
}

/**
 * Serves MySQL: begins with one plugin, switches to another, and requests the password itself if that plugin
 * can.
 */
const mysql = (first: string, then: string, hasTls: boolean) =>
  hostile((socket, tell) => {
    const serve = (stream: Socket) => {
      let turn = 0;
      stream.on('data', (bytes) => {
        tell(bytes);
        tell(decrypted(bytes));
        turn += 1;
        const sequence = (bytes[3] ?? 0) + 1;
        const isKeyWanted = bytes.length === 5 && (bytes[4] === 1 || bytes[4] === 2);
        if (isKeyWanted)
          stream.write(
            packet(sequence, [1], RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
          );
        else if (turn === 1) stream.write(packet(sequence, [0xfe], `${then}\0`, SCRAMBLE, [0]));
        else if (turn === 2 && then !== 'mysql_native_password') stream.write(packet(sequence, [1, 4]));
        else stream.end();
      });
    };
    socket.write(hello(first, hasTls));
    if (!hasTls) return serve(socket);
    socket.once('data', (bytes) => {
      if (bytes.readUIntLE(0, 3) === 32) {
        // The socket must keep its data for the TLS layer.
        socket.pause();
        if (bytes.length > 36) socket.unshift(bytes.subarray(36));
        return serve(encrypted(socket));
      }
      // The client did not request TLS and continues in clear text.
      serve(socket);
      socket.emit('data', bytes);
    });
  });

/** Decrypts the password as a server with the private key does. The password is XORed with the scramble. */
function decrypted(bytes: Buffer): Buffer {
  if (bytes.length !== 4 + 256) return Buffer.alloc(0);
  const padding = { key: RSA.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  const mixed = privateDecrypt(padding, bytes.subarray(4));
  return mixed.map((byte, at) => byte ^ (SCRAMBLE[at % SCRAMBLE.length] ?? 0)) as Buffer;
}

const MODES = ['', '?sslmode=disable', '?sslmode=prefer', '?sslmode=require'];

describe.each([true, false])('an unverified server receives no password (TLS: %s)', (hasTls) => {
  const modes = MODES.filter((mode) => hasTls || !mode.includes('require'));

  test.each(modes)('PostgreSQL %s', async (mode) => {
    const server = await postgres(hasTls);
    const uri = `postgres://ada:${PASSWORD}@127.0.0.1:${server.port}/app${mode}`;
    const problem = await problemOf(opened(uri));
    expect(server.heard().includes(PASSWORD)).toBe(false);
    expect(server.heard().length).toBeGreaterThan(0);
    expect(problem).toContain('asks for the unencrypted password, which is sent only to a verified server');
  });

  const PLUGINS = [
    'mysql_clear_password',
    'sha256_password',
    'caching_sha2_password',
    'mysql_native_password',
  ];
  for (const first of PLUGINS)
    for (const then of PLUGINS)
      test(`MySQL: ${first}, then ${then}`, async () => {
        for (const mode of modes) {
          const server = await mysql(first, then, hasTls);
          const uri = `mysql://ada:${PASSWORD}@127.0.0.1:${server.port}/app${mode}`;
          const problem = await problemOf(opened(uri));
          expect([mode, server.heard().includes(PASSWORD), server.heard().length > 0]).toEqual([
            mode,
            false,
            true,
          ]);
          if (then !== 'mysql_native_password')
            expect(problem).toContain(
              'asks for the unencrypted password, which is sent only to a verified server',
            );
        }
      });
});

test('a server without TLS receives nothing if the URI names a CA', async () => {
  const ca = encodeURIComponent(certificates.ca);
  for (const [server, scheme] of [
    [await postgres(false), 'postgres'],
    [await mysql('mysql_native_password', 'mysql_native_password', false), 'mysql'],
  ] as const) {
    const uri = `${scheme}://ada:${PASSWORD}@127.0.0.1:${server.port}/app?sslrootcert=${ca}`;
    expect(await problemOf(opened(uri))).toContain('it has no TLS, which the URI asks for');
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
    ['postgres://ada@192.0.2.1/app', 'sslmode=verify-full&sslrootcert=ca.pem'],
    ['postgres://ada@192.0.2.1/app?sslmode=disable', 'sslmode=verify-full'],
    ['postgres://ada@192.0.2.1/app?sslmode=require', 'sslmode=verify-full'],
    ['postgres://ada@localhost/app?host=192.0.2.1', 'sslmode=verify-full'],
    ['postgres://ada@[2001:db8::1]/app', 'sslmode=verify-full'],
    ['mysql://ada@192.0.2.1/app', 'ssl-mode=verify_identity&ssl-ca=ca.pem'],
    ['mysql://ada@192.0.2.1/app?ssl-mode=required', 'ssl-mode=verify_identity'],
    ['mysql://ada@db.localhost/app', 'ssl-mode=verify_identity'],
  ])('%s', async (uri, how) => {
    const warnings = await ask(uri);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('not verified');
    expect(warnings[0]).toContain(
      uri.startsWith('postgres') && uri.includes('[') ? '2001:db8::1' : 'The connection to ',
    );
    expect(warnings[0]).toContain(how);
  });

  test('no warning is shown for a local host, a socket or a verified connection', async () => {
    const ca = encodeURIComponent(certificates.ca);
    for (const uri of [
      'postgres://ada@localhost:1/app',
      'postgres://ada@127.0.0.1:1/app',
      'postgres://ada@127.9.9.9:1/app',
      'postgres://ada@[::1]:1/app',
      'postgres://ada@/app?host=/not/there',
      `postgres://ada@192.0.2.1/app?sslrootcert=${ca}`,
      'postgres://ada@192.0.2.1/app?sslmode=verify-full',
      'mysql://ada@localhost:1/app',
      'mysql://ada@192.0.2.1/app?socket=/not/there',
      `mysql://ada@192.0.2.1/app?ssl-ca=${ca}`,
    ])
      expect([uri, ...(await ask(uri))]).toEqual([uri]);
  });
});
