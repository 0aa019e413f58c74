import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** User that PostgreSQL runs as. The ids are unsigned, as in `chown` and `stat`. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Returns `nobody` if this process runs as root, because PostgreSQL refuses to run as root. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const entry = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(await readFile('/etc/passwd', 'utf8'));
  if (!entry)
    throw new Error(
      'PostgreSQL refuses to run as root, and /etc/passwd has no user nobody to run it as: start the service as another user',
    );
  return { uid: Number(entry[1]) >>> 0, gid: Number(entry[2]) >>> 0 };
}

/** The environment of the program has none of this process's secrets. */
export function spawnOptions(account: Account | undefined): {
  env: Record<string, string>;
  uid?: number;
  gid?: number;
} {
  // On macOS, the postmaster becomes multithreaded without LC_ALL and refuses to start.
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  // On macOS, the user `nobody` has the id -2. `spawn` expects the id as a signed number, `chown` and `stat`
  // as an unsigned one.
  return account ? { env, uid: account.uid | 0, gid: account.gid | 0 } : { env };
}

/** Returns whether `account` may pass through all directories above `path`, and may enter or execute it. */
export async function canReach(account: Account | undefined, path: string): Promise<boolean> {
  if (!account) return true;
  for (let at = await realpath(path); ; at = dirname(at)) {
    const { uid, gid, mode } = await stat(at);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
