import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresAccount, spawnOptions } from '../../src/embedded-postgres/account.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/start-embedded-postgres.ts';
import { until } from '../../src/lib/async/until.ts';
import { postmasterPid } from '../support/postmaster-pid.ts';
import { fastDirectory } from '../support/scratch.ts';

const PROJECT = join(import.meta.dirname, '../..');
const FAST = { fsync: 'off' };
const isRoot = process.getuid?.() === 0;
let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(fastDirectory(), 'embedded-postgres-')));
  await chmod(root, 0o755);
});
afterAll(() => rm(root, { recursive: true }));

async function query(uri: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: uri });
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

async function withCluster(
  directory: string,
  use: (cluster: EmbeddedPostgres) => Promise<void>,
): Promise<void> {
  const cluster = await startEmbeddedPostgres({ directory, settings: FAST });
  try {
    await use(cluster);
  } finally {
    await cluster.stop();
  }
}

describe('a new cluster', () => {
  let cluster: EmbeddedPostgres;
  beforeAll(async () => {
    cluster = await startEmbeddedPostgres({ directory: join(root, 'new') });
  });
  afterAll(() => cluster.stop());

  it('answers queries, and is in the requested directory', async () => {
    expect(await query(cluster.uri, 'select version()')).toMatch(/^PostgreSQL 17\./);
    expect(cluster.uri).toMatch(/^postgresql:\/\/postgres:[0-9a-f]{64}@127\.0\.0\.1:\d+\/user_import_core$/);
    expect(cluster).toMatchObject({ directory: join(root, 'new'), relocated: false });
  });

  it('has safe settings', async () => {
    const settings = {
      ...{ server_encoding: 'UTF8', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
      ...{ listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' },
    };
    for (const [name, value] of Object.entries(settings))
      expect([name, await query(cluster.uri, `show ${name}`)]).toEqual([name, value]);
  });

  it('lower-cases letters outside ASCII', async () => {
    expect(await query(cluster.uri, "select lower('ÄÉЖ')")).toBe('äéж');
  });

  it('refuses a wrong password, and stores the password as SCRAM', async () => {
    const wrong = cluster.uri.replace(/postgres:[\w-]+@/, 'postgres:wrong@');
    await expect(query(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(await query(cluster.uri, 'select rolpassword from pg_authid where rolcanlogin')).toMatch(
      /^SCRAM-SHA-256\$/,
    );
    const mode = (await stat(join(cluster.directory, 'postgres-password'))).mode & 0o777;
    expect(mode).toBe(0o600);
  });

  it('keeps the values of a failed statement out of its log', async () => {
    await expect(query(cluster.uri, "select 'ada@example.com'::int")).rejects.toMatchObject({
      code: '22P02',
    });
    expect(await readFile(join(cluster.directory, 'postgres.log'), 'utf8')).not.toContain('ada@example.com');
  });

  it('refuses a second start while it is in use, and names the process that uses it', async () => {
    const second = startEmbeddedPostgres({ directory: join(root, 'new') });
    await expect(second).rejects.toThrow(`in use by the process ${process.pid}`);
    expect(await query(cluster.uri, 'select 1')).toBe(1);
  });

  it('is not reached by Ctrl-C, as the leader of its own process group', async () => {
    const pid = await postmasterPid(cluster.directory);
    expect(process.kill(-pid, 0)).toBe(true);
  });
});

describe('a cluster that was used before', () => {
  let directory: string;
  beforeAll(async () => {
    directory = join(root, 'used');
    await withCluster(directory, async ({ uri }) => {
      await query(uri, 'create table kept as select 42 as answer');
    });
  });

  it('keeps its data after a stop', async () => {
    const cluster = await startEmbeddedPostgres({ directory, settings: FAST });
    expect(await query(cluster.uri, 'select answer from kept')).toBe(42);
    await Promise.all([cluster.stop(), cluster.stop()]);
    await cluster.stop();
    await expect(query(cluster.uri, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('keeps its data after PostgreSQL was killed', async () => {
    const cluster = await startEmbeddedPostgres({ directory, settings: FAST });
    process.kill(await postmasterPid(directory), 'SIGKILL');
    await cluster.stop();
    await withCluster(directory, async ({ uri }) => {
      expect(await query(uri, 'select answer from kept')).toBe(42);
    });
  });

  it('keeps what was committed before the service was killed, although PostgreSQL kept running', async () => {
    const child = startService(directory, 'setInterval(() => {}, 60_000)');
    const [uri] = await once(child.stdout, 'data');
    await query(String(uri), 'create table orphaned as select 7 as answer');
    const orphan = await postmasterPid(directory);

    await expect(startEmbeddedPostgres({ directory })).rejects.toThrow(`in use by the process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await query(String(uri), 'select answer from orphaned')).toBe(7);

    await withCluster(directory, async (cluster) => {
      expect(await query(cluster.uri, 'select answer from orphaned')).toBe(7);
      expect(await postmasterPid(directory)).not.toBe(orphan);
      await expect(query(String(uri), 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });
  });

  it('is stopped when a service exits without stopping it', async () => {
    const child = startService(directory, 'process.exit(3)');
    const [[uri]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(child.exitCode).toBe(3);
    const refused = () =>
      query(String(uri), 'select 1').then(
        () => false,
        (error) => error.code === 'ECONNREFUSED',
      );
    expect(await until(refused, 10_000)).toBe(true);
  });

  it('starts although another program has the process id in postmaster.pid, or the file is empty', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], {
      ...spawnOptions(await postgresAccount()),
      cwd: '/',
    });
    await once(other, 'spawn');
    for (const text of [`${other.pid}\n${directory}/data\n`, '']) {
      await writeFile(join(directory, 'data/postmaster.pid'), text);
      await withCluster(directory, async ({ uri }) => {
        expect(await query(uri, 'select answer from kept')).toBe(42);
      });
    }
    expect(other.exitCode).toBe(null);
    other.kill();
  });

  it('is taken by exactly one of several starts that find a dead owner', async () => {
    await rm(join(directory, 'owner'), { recursive: true });
    await mkdir(join(directory, 'owner'));
    await writeFile(join(directory, 'owner', `${process.pid}.some-earlier-start`), '');
    await expectOneWinner(directory);
  });

  it('refuses data of another major version, says what is wrong, and can be started later', async () => {
    const file = join(directory, 'data/PG_VERSION');
    await writeFile(file, '16\n');
    const start = startEmbeddedPostgres({ directory });
    await expect(start).rejects.toThrow(/did not start[\s\S]*initialized by PostgreSQL version 16/);
    await writeFile(file, '17\n');
    await withCluster(directory, async () => {});
  });
});

describe.runIf(isRoot)('run as root', () => {
  const ownersIn = async (directory: string) => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const found = await Promise.all(entries.map(({ parentPath, name }) => lstat(join(parentPath, name))));
    return new Set(found.map(({ uid }) => uid));
  };
  /** Runs a shell command as the user nobody, in the group of nobody. */
  const asNobody = (command: string) =>
    promisify(execFile)('sh', ['-c', command], { uid: 65_534, gid: 65_534, cwd: '/' }).then(
      ({ stdout }) => stdout,
      () => 'denied',
    );

  it('is owned by a user that nobody else is, and that nobody cannot read or stop, also while initdb runs', async () => {
    const directory = join(root, 'dedicated');
    const account = await postgresAccount();
    expect(await readFile('/etc/passwd', 'utf8')).not.toContain(`:${account?.uid}:`);
    const start = startEmbeddedPostgres({ directory, settings: FAST });
    let looks = 0;
    let isDone = false;
    void start.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const names = await readdir(directory).catch(() => []);
      for (const name of names.filter((one) => one.startsWith('unfinished-'))) {
        looks += 1;
        const path = `${directory}/${name}`;
        for (const command of [`ls ${path}`, `ls ${path}/data`, `cat ${path}/password`])
          expect([command, await asNobody(command)]).toEqual([command, 'denied']);
      }
      await sleep(20);
    }
    const cluster = await start;
    expect(looks).toBeGreaterThan(0);
    const pid = await postmasterPid(directory);
    expect((await stat(`/proc/${pid}`)).uid).toBe(account?.uid);
    expect(await ownersIn(join(directory, 'data'))).toEqual(new Set([account?.uid]));
    for (const command of [
      `cat ${directory}/data/PG_VERSION`,
      `ls ${directory}/data`,
      `cat /proc/${pid}/environ`,
      `ls /proc/${pid}/fd`,
      `kill -0 ${pid}`,
      `cat ${directory}/postgres-password`,
    ])
      expect([command, await asNobody(command)]).toEqual([command, 'denied']);
    await cluster.stop();
  });

  it('takes over data of the user nobody and of an interrupted start, but no files of other users', async () => {
    const directory = join(root, 'former');
    const data = join(directory, 'data');
    const account = await postgresAccount();
    await withCluster(directory, async ({ uri }) => {
      await query(uri, 'create table kept as select 42 as answer');
    });
    for (const owner of [65_534, 0]) {
      for (const entry of await readdir(data, { recursive: true, withFileTypes: true }))
        await lchown(join(entry.parentPath, entry.name), 65_534, 65_534);
      await chown(data, owner, owner);
      const others = join(root, `of-root-${owner}`);
      await writeFile(others, 'x');
      await link(others, join(data, 'linked'));
      await symlink(others, join(data, 'pointing'));
      await lchown(join(data, 'pointing'), 65_534, 65_534);
      await withCluster(directory, async ({ uri }) => {
        expect(await query(uri, 'select answer from kept')).toBe(42);
      });
      expect(await ownersIn(data)).toEqual(new Set([account?.uid, 0]));
      expect((await stat(others)).uid).toBe(0);
      expect((await stat(data)).uid).toBe(account?.uid);
      for (const name of ['linked', 'pointing']) await rm(join(data, name));
    }
  });
});

describe('a directory without a cluster', () => {
  it('is taken by exactly one of several starts, also after initdb was killed', async () => {
    const directory = join(root, 'half-done');
    await mkdir(join(directory, 'unfinished-abc/data/base'), { recursive: true });
    await writeFile(join(directory, 'unfinished-abc/data/PG_VERSION'), '17\n');
    await expectOneWinner(directory);
    await expect(stat(join(directory, 'unfinished-abc'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.runIf(isRoot)(
    'is replaced by one path that stays the same, if other users cannot reach it',
    async () => {
      const home = join(root, 'home');
      await mkdir(home, { mode: 0o700 });
      let first = '';
      await withCluster(join(home, 'data'), async ({ uri, directory, relocated }) => {
        expect(relocated).toBe(true);
        expect(await query(uri, 'show data_directory')).toBe(join(directory, 'data'));
        first = directory;
      });
      await withCluster(join(home, 'data'), async ({ directory }) => expect(directory).toBe(first));
      await rm(first, { recursive: true });
    },
  );
});

/** Starts another Node process that starts the cluster, prints its URI and then runs `afterwards`. */
function startService(directory: string, afterwards: string): ChildProcessByStdio<null, Readable, null> {
  const script = `
    import { runnerImport } from 'vite';
    const { module } = await runnerImport(${JSON.stringify(join(PROJECT, 'src/embedded-postgres/start-embedded-postgres.ts'))});
    const { uri } = await module.startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} });
    process.stdout.write(uri, () => ${afterwards});`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function expectOneWinner(directory: string): Promise<void> {
  const starts = [1, 2, 3].map(() => startEmbeddedPostgres({ directory, settings: FAST }));
  const outcomes = await Promise.allSettled(starts);
  const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  );
  const answers = await Promise.all(winners.map(({ uri }) => query(uri, 'select 1')));
  await Promise.all(winners.map((winner) => winner.stop()));
  expect(answers).toEqual([1]);
  expect(reasons).toEqual([expect.stringContaining('in use by'), expect.stringContaining('in use by')]);
}
