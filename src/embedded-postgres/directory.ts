import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { hasErrno } from '../lib/errors.ts';
import { type Account, canReach } from './account.ts';

/**
 * Creates the directory for PostgreSQL's data. If `account` cannot reach it, another directory is used, which
 * is always the same for the same wanted path.
 */
export async function placeDirectory(
  wanted: string,
  account: Account | undefined,
): Promise<{ directory: string; relocated: boolean }> {
  const path = resolve(wanted);
  if (await canReach(account, await nearestExisting(path))) {
    return { directory: await makeDirectory(path, account), relocated: false };
  }
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return {
    directory: await makeDirectory(join(await sharedDirectory(account), name), account),
    relocated: true,
  };
}

/** Returns a directory outside of homes that `account` can reach and only this user can write to. */
export async function sharedDirectory(account: Account | undefined): Promise<string> {
  const uid = process.getuid?.();
  // The temporary directory is the second choice, because many systems empty it at boot.
  for (const path of ['/var/lib/user-import-core', join(tmpdir(), `user-import-core-${uid}`)]) {
    try {
      const directory = await makeDirectory(path, account);
      const found = await lstat(path);
      // In the temporary directory, another user may have created a directory with this name. PostgreSQL's
      // programs and data must be where nobody else can write.
      const ours = found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0;
      if (ours && (await canReach(account, directory))) return directory;
    } catch (error) {
      if (!hasErrno(error, 'EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR')) throw error;
    }
  }
  throw new Error(
    `cannot create a directory that PostgreSQL can reach in /var/lib or ${tmpdir()}: make one of them writable`,
  );
}

/** Returns the real path. New directories are private, except that `account` may pass through them. */
async function makeDirectory(path: string, account: Account | undefined): Promise<string> {
  const first = await mkdir(path, { recursive: true });
  if (first !== undefined) {
    for (let at = path; at.length >= first.length; at = dirname(at)) await chmod(at, account ? 0o711 : 0o700);
  }
  return realpath(path);
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
    return nearestExisting(dirname(path));
  }
}
