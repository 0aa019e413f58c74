import { createHash } from 'node:crypto';
import { chmod, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasErrno } from '../lib/errors.ts';
import { type Account, canReach } from './account.ts';

/**
 * Directory for data if PostgreSQL's user cannot reach the configured directory. Only a service that runs as root needs
 * it, and only root can write in /var/lib.
 */
const SHARED = '/var/lib/user-import-core';

/**
 * Creates the directory for PostgreSQL's data. If `account` cannot reach it, for example in a home directory, another
 * directory is used, which is always the same for the same wanted path.
 */
export async function placeDirectory(
  wanted: string,
  account: Account | undefined,
): Promise<{ directory: string; relocated: boolean }> {
  const path = resolve(wanted);
  const relocated = !(await canReach(account, await nearestExisting(path)));
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  const directory = await makeDirectory(relocated ? join(SHARED, name) : path, account);
  if (await canReach(account, directory)) return { directory, relocated };
  throw new Error(
    `PostgreSQL does not run as root, and its user cannot reach ${directory}: start the service as another user, or choose another directory (EMBEDDED_POSTGRES_DIR)`,
  );
}

/**
 * Creates the directory if it is missing, and returns its real path. New directories are private; with an account, all
 * users may pass through them.
 */
async function makeDirectory(path: string, account: Account | undefined): Promise<string> {
  const first = await mkdir(path, { recursive: true });
  if (first !== undefined) {
    for (let at = path; at.length >= first.length; at = dirname(at)) await chmod(at, account ? 0o711 : 0o700);
  }
  return realpath(path);
}

async function nearestExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
    return nearestExisting(dirname(path));
  }
}
