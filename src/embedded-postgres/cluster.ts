import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
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
    for (const path of [unfinished, passwordFile]) await chown(path, account.initdb.uid, account.gid);
    // Only initdb has this group: other processes of the user that it runs as cannot enter.
    await chown(aside, 0, account.gid);
    await chmod(aside, 0o710);
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
    ...spawnOptions(account?.initdb),
    cwd: aside,
    timeout: INITDB_TIMEOUT_MS,
  });
  if (account) await takeOver(unfinished, account);
  await rename(unfinished, data);
  await rm(aside, { recursive: true });
  if (durable) await syncDirectory(directory);
}

/**
 * Gives data to the account that PostgreSQL now runs as, if it belongs to a former one. PostgreSQL must not be
 * running on it.
 */
export async function takeOver(data: string, { uid, gid, former }: Account): Promise<void> {
  const owner = (await lstat(data)).uid;
  if (owner === uid || (owner !== 0 && !former.includes(owner))) return;
  // Root owns the directory meanwhile, so that the former owner can change nothing in it, and the next start
  // continues after an interruption.
  await chown(data, 0, 0);
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // The former owner may have linked a file of another user here.
    if (former.includes((await lstat(path)).uid)) await lchown(path, uid, gid);
  }
  await chown(data, uid, gid);
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
