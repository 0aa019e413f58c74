import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unlessErrno } from '../lib/errors.ts';
import { type Account, spawnOptions } from './account.ts';
import type { Binaries } from './binaries.ts';

const UNFINISHED = 'initdb.';
const INITDB_TIMEOUT_MS = 120_000;

/**
 * Returns the data directory, which is created on first use. Only the owner of `directory` may call this.
 * @throws {Error} if the data was written by another major version of PostgreSQL
 */
export async function openCluster(
  directory: string,
  options: { binaries: Binaries; account: Account | undefined; password: string; durable: boolean },
): Promise<string> {
  const data = join(directory, 'data');
  for (const name of await readdir(directory)) {
    // The removal is retried, because an interrupted initdb may outlive its parent and still be writing.
    if (name.startsWith(UNFINISHED)) await rm(join(directory, name), { recursive: true, maxRetries: 10 });
  }
  const version = await readVersion(data);
  if (version === undefined) await createCluster(directory, data, options);
  else if (version !== options.binaries.majorVersion) {
    throw new Error(
      `${data} was written by PostgreSQL ${version}, and this service brings PostgreSQL ${options.binaries.majorVersion}, ` +
        'which cannot read it: dump and restore it, or choose another directory',
    );
  }
  return data;
}

async function readVersion(data: string): Promise<string | undefined> {
  const text = await unlessErrno(readFile(join(data, 'PG_VERSION'), 'utf8'), undefined, 'ENOENT');
  return text?.trim();
}

async function createCluster(
  directory: string,
  data: string,
  { binaries, account, password, durable }: Parameters<typeof openCluster>[1],
): Promise<void> {
  const aside = await mkdtemp(join(directory, UNFINISHED));
  const passwordFile = join(aside, 'password');
  const unfinished = join(aside, 'data');
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) {
    // The directory gets its new owner last: the owner could replace the files in it by links.
    for (const path of [unfinished, passwordFile, aside]) await chown(path, account.uid, account.gid);
  }
  const args = [
    `--pgdata=${unfinished}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The locale sorts by code point and uses Unicode's case mapping, identically on every machine.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  await promisify(execFile)(binaries.initdb, durable ? args : [...args, '--no-sync'], {
    ...spawnOptions(account),
    cwd: aside,
    timeout: INITDB_TIMEOUT_MS,
  });
  await rename(unfinished, data);
  await rm(aside, { recursive: true });
  if (durable) await syncDirectory(directory);
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
