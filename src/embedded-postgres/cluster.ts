import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, spawnOptions } from './account.ts';
import { exists, UNFINISHED } from './binaries.ts';

const INITDB_TIMEOUT_MS = 120_000;

/**
 * Returns the data directory, which is created on first use. Only the owner of `directory` (owner.ts) may call this.
 */
export async function openCluster(
  directory: string,
  options: { binaries: string; account: Account | undefined; password: string; durable: boolean },
): Promise<string> {
  const data = join(directory, 'data');
  if (!(await exists(data))) await createCluster(directory, data, options);
  return data;
}

/**
 * Removes directories that a killed start has left unfinished. The removal is retried, because an interrupted initdb
 * may outlive its parent and still be writing.
 */
export async function removeUnfinished(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(UNFINISHED)) await rm(join(directory, name), { recursive: true, maxRetries: 10 });
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
    // Only this group may enter the directory. Of the processes of `nobody`, the user of initdb, only initdb has the
    // group.
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
  await promisify(execFile)(join(binaries, 'initdb'), durable ? args : [...args, '--no-sync'], {
    ...spawnOptions(account?.initdb),
    cwd: aside,
    timeout: INITDB_TIMEOUT_MS,
  });
  if (account) await takeOver(unfinished, account);
  await rename(unfinished, data);
  await rm(aside, { recursive: true });
}

/**
 * Gives data to the account that PostgreSQL runs as, if it belongs to the user that initdb runs as: after initdb, or if
 * an earlier version of this service created it. PostgreSQL must not be running on it.
 */
export async function takeOver(data: string, { uid, gid, initdb }: Account): Promise<void> {
  const owner = (await lstat(data)).uid;
  if (owner !== 0 && owner !== initdb.uid) return;
  // Meanwhile, root owns the directory. So the former owner cannot change anything in it, and after an interruption the
  // next start continues here.
  await chown(data, 0, 0);
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Other owners are kept: the former owner may have linked a file of another user here.
    if ((await lstat(path)).uid === initdb.uid) await lchown(path, uid, gid);
  }
  await chown(data, uid, gid);
}
