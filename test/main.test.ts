import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY } from './support/app.ts';
import { Client } from './support/client.ts';
import { useServices } from './support/compiled-service.ts';
import { useTestDatabase } from './support/database.ts';
import { type Scratch, scratchDirectory } from './support/scratch.ts';

const services = useServices();
const directory = await mkdtemp(join(tmpdir(), 'uic-main-'));
afterAll(() => rm(directory, { recursive: true }));

describe('a configuration with problems', () => {
  it('stops the start before anything listens, and names every problem without its value', async () => {
    const service = services.start({
      PORT: 'not-a-port-77',
      API_KEYS: 'short-secret',
      POSTGRESQL_CONNECTION_URI: 'mysql://root:hidden-password@db/users',
      PASSWORD_HASHING_ALG: 'MD5-of-course',
      LOG_LEVEL: 'shouting',
    });
    expect(await service.ended()).toBe(1);
    expect(service.stderr.trimEnd().split('\n')).toEqual([
      'The configuration has problems:',
      '  port: must be a whole number from 0 to 65535',
      '  api_keys: must be keys separated by commas, each at least 20 of A-Z a-z 0-9 = -, with or without a name before it (name:key); or a list of {name, key or key_file or key_sha256, allow}',
      '  postgresql_connection_uri: must be a URI such as postgresql://user:password@host:5432/database',
      '  password_hashing_alg: must be one of ARGON2, BCRYPT',
      '  log_level: must be one of fatal, error, warn, info, debug, trace, silent',
    ]);
    expect(service.stdout).toBe('');
    for (const value of ['not-a-port-77', 'short-secret', 'hidden-password', 'MD5', 'shouting']) {
      expect(service.stderr).not.toContain(value);
    }
  });

  it('stops the start if there are no API keys, unless the database is the embedded one', async () => {
    const service = services.start({ POSTGRESQL_CONNECTION_URI: 'postgresql://127.0.0.1:1/users' });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toContain('  api_keys: is required, set API_KEYS');
  });

  it('stops the start if the file is not there', async () => {
    const env = { CONFIG_FILE: join(directory, 'no.yaml') };
    const service = services.startOn('postgresql://127.0.0.1:1/users', env);
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toContain('cannot be read (ENOENT)');
  });
});

describe('a configuration file', () => {
  it('is read from CONFIG_FILE; environment variables take precedence', async () => {
    const { uri } = await useTestDatabase();
    const file = join(directory, 'good.yaml');
    await writeFile(
      file,
      [`api_keys: ${API_KEY}`, `postgresql_connection_uri: ${uri}`, 'log_level: fatal'].join('\n'),
    );
    const service = services.start({ CONFIG_FILE: file, LOG_LEVEL: 'info' });
    const client = new Client(await service.ready(), 1);
    expect(await client.send('GET', '/users/count')).toMatchObject({ status: 200, body: { count: 0 } });
    client.close();
    await service.kill();
    expect(service.stderr).toBe('');
  });

  it('is config.yaml in the working directory, if it exists', async () => {
    const { uri } = await useTestDatabase();
    await writeFile(
      join(directory, 'config.yaml'),
      `api_keys: ${API_KEY}\npostgresql_connection_uri: ${uri}\n`,
    );
    const service = services.start({}, directory);
    const client = new Client(await service.ready(), 1);
    expect(await client.send('GET', '/users/count')).toMatchObject({ status: 200 });
    client.close();
    await service.kill();
    await rm(join(directory, 'config.yaml'));
  });
});

describe('SIGHUP', () => {
  const [OLD, NEW] = ['old-key-0123456789-abcdef', 'new-key-0123456789-abcdef'];

  it('reads API keys again without a failed request, and keeps them if the new configuration is wrong', async () => {
    const { uri } = await useTestDatabase();
    const file = join(directory, 'reloaded.yaml');
    const keyFile = join(directory, 'reloaded-key');
    const configure = (port: number | string, ...allow: string[]) =>
      writeFile(
        file,
        `port: ${port}\napi_keys:\n  - {name: job, key_file: ${keyFile}, allow: [${allow}]}\n` +
          `  - {name: constant, key: ${API_KEY}, allow: [read]}\n`,
      );
    await writeFile(keyFile, OLD);
    await configure(0, 'read');
    const service = services.start({ CONFIG_FILE: file, POSTGRESQL_CONNECTION_URI: uri, PORT: '' });
    const url = await service.ready();
    const statusOf = async (key: string, path = '/users/count') => {
      const client = new Client(url, 1, key);
      const { status } = await client.send(path === '/users/count' ? 'GET' : 'POST', path, undefined);
      client.close();
      return status;
    };
    let isOver = false;
    const calls = new Set<number>();
    const client = new Client(url, 1, API_KEY);
    const calling = (async () => {
      while (!isOver) calls.add((await client.send('GET', '/users/count')).status);
    })();
    const hangUp = async (message: string) => {
      const before = service.logged(message).length;
      service.child.kill('SIGHUP');
      await expect.poll(() => service.logged(message).length, { timeout: 10_000 }).toBe(before + 1);
      return service.logged(message).at(-1);
    };

    expect([await statusOf(OLD), await statusOf(NEW)]).toEqual([200, 401]);
    await writeFile(keyFile, `${NEW}\n`);
    await configure(1, 'read', 'manage');
    expect(await hangUp('the API keys were read again')).toMatchObject({
      keys: [
        { name: 'job', allow: ['read', 'manage'] },
        { name: 'constant', allow: ['read'] },
      ],
      needRestart: ['port'],
    });
    expect([await statusOf(OLD), await statusOf(NEW)]).toEqual([401, 200]);
    expect(await statusOf(NEW, '/bulk-import/imports/none/rollback')).toBe(200);

    await configure('much', 'read');
    expect(await hangUp('the new configuration has problems: the API keys stay as they were')).toMatchObject({
      problems: ['port: must be a whole number from 0 to 65535'],
    });
    expect(await statusOf(NEW, '/bulk-import/imports/none/rollback')).toBe(200);

    isOver = true;
    await calling;
    client.close();
    expect([...calls]).toEqual([200]);
    service.child.kill('SIGTERM');
    expect(await service.ended()).toBe(0);
    for (const key of [OLD, NEW, API_KEY]) expect(service.stdout + service.stderr).not.toContain(key);
  });
});

describe('the embedded database', () => {
  /** The tests start it one after the other. No key is generated before the second one. */
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await scratchDirectory();
  });
  afterAll(() => scratch.remove());

  async function runOnce(env: Record<string, string> = {}) {
    const service = services.start({ EMBEDDED_POSTGRES_DIR: scratch.path, ...env });
    const url = await service.ready();
    await expect.poll(() => service.stderr).toContain('In production set');
    const client = (key: string) => new Client(url, 1, key);
    return {
      url,
      service,
      async statusWith(key: string) {
        const one = client(key);
        const { status } = await one.send('GET', '/users/count');
        one.close();
        return status;
      },
      async stop() {
        service.child.kill('SIGTERM');
        expect(await service.ended()).toBe(0);
      },
    };
  }

  it('generates and prints no key if one is configured', async () => {
    const run = await runOnce({ API_KEYS: API_KEY });
    expect(run.service.stderr).not.toContain('api-key');
    expect(run.service.stderr).not.toContain(API_KEY);
    await expect(stat(`${scratch.path}.api-key`)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await run.statusWith(API_KEY)).toBe(200);
    await run.stop();
  });

  it('generates an API key, prints its path at every start, and keeps it readable by this user only', async () => {
    const first = await runOnce();
    const file = `${scratch.path}.api-key`;
    const key = (await readFile(file, 'utf8')).trim();
    expect(key).toMatch(/^[A-Za-z0-9=-]{20,}$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(first.service.stderr).toMatch(/^ {2}starting embedded PostgreSQL in /);
    expect(first.service.stderr).toMatch(
      /user-import-core \d+\.\d+\.\d+ listens on http:\/\/127\.0\.0\.1:\d+\n/,
    );
    expect(first.service.stderr).toMatch(
      /need the address: export USER_IMPORT_URL=http:\/\/127\.0\.0\.1:\d+\n/,
    );
    expect(first.service.stderr).toContain(`embedded PostgreSQL, kept in ${scratch.path}\n`);
    for (const [, page = ''] of first.service.stderr.matchAll(/^ {2}(?:page|API): +(\S+)$/gm))
      expect((await fetch(page)).status).toBe(200);
    expect(first.service.stderr.match(/^ {2}(?:page|API): /gm)).toHaveLength(2);
    // Standard error is a pipe in this test.
    expect(first.service.stderr).toContain(`api-key:  in ${file}\n`);
    expect(first.service.stdout + first.service.stderr).not.toContain(key);
    expect([await first.statusWith(key), await first.statusWith(`${key}x`)]).toEqual([200, 401]);
    await first.stop();

    const second = await runOnce();
    expect(second.service.stderr).toContain(`api-key:  in ${file}\n`);
    expect(second.service.stderr).not.toContain(key);
    expect(await second.statusWith(key)).toBe(200);
    await second.stop();
  });

  it('refuses a stored key that was changed to one that is too short', async () => {
    await writeFile(`${scratch.path}.api-key`, 'short\n');
    const service = services.start({ EMBEDDED_POSTGRES_DIR: scratch.path });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toContain('.api-key: api_keys: must be keys separated by commas');
    expect(service.stderr).not.toContain('short\n');
  });
});
