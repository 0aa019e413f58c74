import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HaProxy, type Triple } from './support/haproxy.ts';
import { installed } from './support/installed.ts';

const root = new URL('../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
const FOLDERS = ['src', 'docs', 'docker', 'examples', 'bench', 'migrations', '.ci'];
const files = [
  ...readdirSync(root).filter((name) => statSync(new URL(name, root)).isFile()),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  ),
];

/** Returns a file without its comments. */
const settings = (name: string, comment: RegExp) =>
  read(name)
    .split('\n')
    .filter((line) => !comment.test(line));

describe('base images', () => {
  const DIGEST = /@sha256:[0-9a-f]{64}\b/;

  it('are named by digest in the Dockerfile', () => {
    const lines = settings('Dockerfile', /^\s*#/);
    const defaults = new Map(
      lines.flatMap((line) => {
        const [, name, value] = /^ARG (\w+)=(\S+)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, value]];
      }),
    );
    const images = lines.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []);
    expect(images.length).toBeGreaterThan(2);
    for (const image of images)
      expect(image.replace(/\$\{(\w+)\}/, (_, name) => defaults.get(name) ?? '')).toMatch(DIGEST);
  });

  it('are named by digest in compose files, or built from this repository', () => {
    for (const name of files.filter((file) => /compose.*\.ya?ml$/.test(file))) {
      const images = settings(name, /^\s*#/).flatMap((line) => /^\s*image: (\S+)/.exec(line)?.[1] ?? []);
      expect(images.filter((image) => image !== 'user-import-core')).not.toEqual([]);
      for (const image of images) if (image !== 'user-import-core') expect(image).toMatch(DIGEST);
    }
  });
});

describe('examples', () => {
  it('listen on the loopback interface only', () => {
    const binds = settings('docker/haproxy.cfg', /^\s*#/).filter((line) => /^\s*bind\b/.test(line));
    expect(binds).toEqual(['  bind 127.0.0.1:3567']);
    const listens = settings('docker/pgbouncer.ini', /^\s*;/).filter((line) => /^listen_addr\b/.test(line));
    expect(listens).toEqual(['listen_addr = 127.0.0.1']);
    const ports = settings('docker/compose.yaml', /^\s*#/).filter((line) =>
      /^\s*- "?[^"]*:\d+"?$/.test(line),
    );
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toContain('127.0.0.1:');
  });

  /** Command lines of documentation and scripts, with continued lines joined. */
  const commands = files
    .filter((name) =>
      /\.(md|sh|yaml|yml|cfg|ini|example|ts|js|mjs|html)$|^Dockerfile$|^\.ci\/run$/.test(name),
    )
    .filter((name) => name !== 'CHANGELOG.md')
    .flatMap((name) =>
      read(name)
        .replaceAll(/\\\n\s*/g, ' ')
        .split('\n')
        .map((line) => ({ name, line })),
    );

  /** Secrets in the arguments of a command, which every user of the machine can read. */
  const SECRET_ARGUMENTS: Record<string, RegExp> = {
    'a header of curl': /\bcurl\b.*(?:-H|--header)[ =]?["'](?:api-key|authorization|x-api-key|cookie)\b/i,
    'a user of curl': /\bcurl\b.*\s(?:-u|--user|--oauth2-bearer)[ =]/,
    'a setting of docker': /\bdocker\b.*\s(?:-e|--env)[ =]?["']?\w*(?:KEYS?|SECRETS?|PASSWORD|TOKEN|URI)=/,
    'an option of ours': /\buser-import\b.*--api-key(?:[ =])(?!file)/,
    'a password of mysql': /\b(?:mysql|mysqldump|mariadb-dump)\b.*\s(?:-p\w|--password=\S)/,
    'an address of psql': /\b(?:psql|pg_dump)\b.*\bpostgres(?:ql)?:\/\/[^\s:@/]+:[^\s@/]+@/,
    'a password of ldap': /\bldap(?:search|modify)\b.*\s-w /,
  };

  it.each(Object.entries(SECRET_ARGUMENTS))('have no secret in %s', (_what, pattern) => {
    const shown = commands
      .filter(({ line }) => pattern.test(line))
      .map(({ name, line }) => `${name}: ${line}`);
    expect(shown).toEqual([]);
  });

  it('write into a folder of the caller as the caller', () => {
    const mounts = commands.filter(({ line }) => /\bdocker run\b.*\s-v "?\$PWD/.test(line));
    expect(mounts.length).toBeGreaterThan(0);
    for (const { name, line } of mounts) expect(line, name).toContain('--user "$(id -u):$(id -g)"');
  });

  it('have commands that these checks find', () => {
    const curls = commands.filter(({ line }) => /\bcurl\b.*-H @-/.test(line));
    expect(new Set(curls.map(({ name }) => name)).size).toBeGreaterThan(2);
    const bad = [
      'curl -sS -H "api-key: $KEY" http://localhost',
      "curl --header 'Authorization: Bearer x'",
      'curl -u me:secret x',
      'docker run -p 1:1 -e API_KEYS=x y',
      'docker run -e POSTGRESQL_CONNECTION_URI=x y',
      'user-import status --api-key x',
      'mysqldump -psecret db',
      'psql postgresql://me:secret@host/db',
      'ldapsearch -D cn=x -w secret',
    ];
    for (const line of bad) expect(Object.values(SECRET_ARGUMENTS).some((one) => one.test(line))).toBe(true);
  });
});

const haproxy = installed('haproxy');
const skipped = haproxy === undefined && process.env.CI === undefined;

it.skipIf(skipped)(
  `the HAProxy example logs no query${skipped ? ' (haproxy is not installed)' : ''}`,
  async () => {
    const servers = await Promise.all([listening(), listening(), listening()]);
    const addresses = servers.map((server) => server.address()) as Triple<AddressInfo>;
    let log = '';
    const proxy = await HaProxy.start(haproxy ?? '', addresses, (text) => {
      log += text;
    });
    onTestFinished(() => proxy.stop());
    await expect
      .poll(async () => (await proxy.states()).every(({ isUp }) => isUp), { timeout: 10_000 })
      .toBe(true);
    const { port } = new URL(proxy.url);
    const lines = [
      'GET /users/by-accountinfo?email=mallory%40example.com HTTP/1.1',
      'GET /users?email=mallory@example.com HTTP/1.1',
      'GET http://host/users?email=mallory@example.com HTTP/1.1',
      'POST /recipe/signin?email=mallory@example.com HTTP/1.1',
      'GET /users?email=mallory@example.com&x=<"\\ HTTP/1.1',
      'GET /users?email=mallory@example.com HTTP/9.9',
      'NONSENSE mallory@example.com',
    ];
    for (const [index, line] of lines.entries()) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {}).resume();
      socket.write(`${line}\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      await expect
        .poll(() => log.split('\n').filter((one) => / callers /.test(one)).length, { timeout: 10_000 })
        .toBe(index + 1);
      socket.destroy();
    }
    expect(log).toContain('GET "/users/by-accountinfo" HTTP/1.1');
    expect(log).not.toContain('mallory');
  },
);

async function listening(): Promise<Server> {
  const server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return server;
}
