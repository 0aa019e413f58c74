import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Ids of a process. They are unsigned, as in `chown` and `stat`. */
interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** User that PostgreSQL runs as. Its ids are nobody else's, so that no other process can read the data. */
export interface Account extends Ids {
  /** Ids that initdb runs with. It needs a user with an entry in /etc/passwd; the group is that of the account. */
  readonly initdb: Ids;
}

/** Id that no Linux distribution assigns (https://systemd.io/UIDS-GIDS), below 65,536 as containers need it. */
const OWN_ID = 61_000;

/** Returns an account if this process runs as root, because PostgreSQL refuses to run as root. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [users = '', groups = ''] = await Promise.all(
    ['/etc/passwd', '/etc/group'].map((file) => readFile(file, 'utf8')),
  );
  const nobody = /^nobody:[^:]*:(-?\d+):/m.exec(users)?.[1];
  const isTaken = [users, groups].some((file) => new RegExp(`^[^:]*:[^:]*:${OWN_ID}:`, 'm').test(file));
  if (nobody === undefined || isTaken)
    throw new Error(
      `PostgreSQL refuses to run as root, and /etc/passwd has no user nobody to create its data as, or the id ${OWN_ID} is taken: start the service as another user`,
    );
  return { uid: OWN_ID, gid: OWN_ID, initdb: { uid: Number(nobody) >>> 0, gid: OWN_ID } };
}

/** Returns options to start a program of PostgreSQL. Its environment contains no secrets of this process. */
export function spawnOptions(account: Ids | undefined): {
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
export async function canReach(account: Ids | undefined, path: string): Promise<boolean> {
  if (!account) return true;
  for (let at = await realpath(path); ; at = dirname(at)) {
    const { uid, gid, mode } = await stat(at);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
