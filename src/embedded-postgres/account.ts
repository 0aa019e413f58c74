import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Ids of a process. They are unsigned, as in `chown` and `stat`. */
interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** User that PostgreSQL runs as. Its ids are nobody else's, so that no other process can read the data. */
export interface Account extends Ids {
  /** Ids that initdb runs with: it needs an entry in /etc/passwd, but the group is that of the account. */
  readonly initdb: Ids;
  /** Users that data of earlier versions, or of an interrupted start, may belong to. */
  readonly former: readonly number[];
}

/** Ids that no Linux distribution assigns (https://systemd.io/UIDS-GIDS), below 65,536 as containers need them. */
const UNASSIGNED = Array.from({ length: 184 }, (_, index) => 61_000 + index);

/** Returns an account if this process runs as root, because PostgreSQL refuses to run as root. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [users, groups] = await Promise.all(
    ['/etc/passwd', '/etc/group'].map((file) => readFile(file, 'utf8')),
  );
  const nobody = /^nobody:[^:]*:(-?\d+):/m.exec(users ?? '')?.[1];
  const id = UNASSIGNED.find((one) => ![users, groups].some((file) => idsIn(file).has(one)));
  if (nobody === undefined || id === undefined)
    throw new Error(
      'PostgreSQL refuses to run as root, and /etc/passwd has no user nobody to create its data as, or no free id: start the service as another user',
    );
  const initdb = { uid: Number(nobody) >>> 0, gid: id };
  return { uid: id, gid: id, initdb, former: [initdb.uid, ...UNASSIGNED] };
}

/** The third field of both files is an id. */
const idsIn = (file = ''): Set<number> => new Set(file.split('\n').map((line) => Number(line.split(':')[2])));

/** The environment of the program has none of this process's secrets. */
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
