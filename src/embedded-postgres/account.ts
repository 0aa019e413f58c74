import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Another user for PostgreSQL to run as. Its ids are unsigned, as `chown` and `stat` have them. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Returns `nobody` when this process is root, as which PostgreSQL refuses to run; otherwise undefined: this user will do. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const entry = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(await readFile('/etc/passwd', 'utf8'));
  if (!entry)
    throw new Error('PostgreSQL does not run as root, and /etc/passwd has no user nobody to run it as');
  return { uid: Number(entry[1]) >>> 0, gid: Number(entry[2]) >>> 0 };
}

/** Returns options for `spawn` that run a program as `account` (undefined: as this user), with an environment free of this process's secrets. */
export function spawnOptions(account: Account | undefined): {
  env: Record<string, string>;
  uid?: number;
  gid?: number;
} {
  // Without LC_ALL macOS makes the postmaster multithreaded, and it refuses to start.
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  // nobody is -2 on macOS: spawn takes it signed, chown and stat unsigned.
  return account ? { env, uid: account.uid | 0, gid: account.gid | 0 } : { env };
}

/** May `account` pass through all directories down to `path`, and into it (or execute it, where it is a file)? */
export async function canReach(account: Account | undefined, path: string): Promise<boolean> {
  if (!account) return true;
  for (let at = await realpath(path); ; at = dirname(at)) {
    const { uid, gid, mode } = await stat(at);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
