import type { SourcePassword } from '../source-user.ts';
import { byWord, type ReadState, type StateContext, stateOf } from './states.ts';
import { textOf } from './values.ts';

/** Readers of the fields of shadow(5) and passwd(5), which directories may have as attributes, too (RFC 2307). */

const DAY_MS = 86_400_000;

/** States by the last part of a shell's path, from /etc/shells of Debian, Fedora and the BSDs. Empty: /bin/sh. */
const SHELLS = {
  '': 'ACTIVE',
  ...byWord({
    ACTIVE: `sh bash rbash dash ash zsh rzsh ksh rksh ksh93 mksh lksh oksh pdksh csh tcsh fish yash posh elvish xonsh nu
      pwsh tmux screen`,
    DISABLED: 'nologin noshell false true sync halt shutdown null nonexistent',
  }),
} as const;

/** Reads the state from the login shell. Unknown if the program is neither a shell nor a way to refuse sign-ins. */
export function stateOfShell(column: string, shell: unknown, context: StateContext): ReadState {
  const name = textOf(shell)?.trim().split('/').at(-1)?.toLowerCase();
  const isKnown = name !== undefined && Object.hasOwn(SHELLS, name);
  return stateOf(column, isKnown ? name : shell, SHELLS, context);
}

/** Reads the state from the time at which an account expires, in units of `unitMs` since the epoch. Negative: never. */
export function expiryOf(
  column: string,
  time: unknown,
  { unitMs = DAY_MS, nowMs }: { unitMs?: number; nowMs: number },
): ReadState {
  const count = numberIn(time);
  if (count === 'no number') return { column, word: count };
  return count !== undefined && count * unitMs <= nowMs ? 'DISABLED' : undefined;
}

/**
 * Reads the state from the age of the password. The password expires `max` days after its last change, and `inactive`
 * days later it is refused. A last change on day 0 means that the user must change it at the next sign-in.
 * @param columns the day of the change, `max` and `inactive`
 */
export function stateOfAge(
  columns: readonly (readonly [column: string, days: unknown])[],
  nowMs: number,
): ReadState {
  const days: number[] = [];
  for (const [column, cell] of columns) {
    const count = numberIn(cell);
    if (count === 'no number') return { column, word: count };
    if (count !== undefined) days.push(count);
  }
  const [changed = 0, max = 0, inactive = 0] = days;
  if (days.length < 3 || changed === 0) return undefined;
  return (changed + max + inactive) * DAY_MS <= nowMs ? 'DISABLED' : undefined;
}

/** Reads a number of a cell. Returns undefined for an empty cell, and for a negative number, which means "none". */
function numberIn(cell: unknown): number | 'no number' | undefined {
  const text = textOf(cell)?.trim();
  if (text === undefined || text === '' || /^-\d{1,12}$/.test(text)) return undefined;
  return /^\d{1,12}$/.test(text) ? Number(text) : 'no number';
}

/** Families of crypt(3). */
export const CRYPT_FAMILIES: readonly string[] = [
  ...[
    'sha512-crypt',
    'yescrypt',
    'sha256-crypt',
    'md5-crypt',
    'apr1',
    'bcrypt',
    'gost-yescrypt',
    'scrypt-mcf7',
  ],
  ...['sha1-crypt', 'sun-md5', 'bsd-nthash', 'des-crypt', 'bsdi-crypt'],
];

/** Prefixes of a hash in /etc/shadow that lock the account. Solaris writes `*LK*`, FreeBSD `*LOCKED*`. */
const LOCK = /^(?:\*LK\*|\*LOCKED\*|[!*])+/;
const NONE = new Set(['', 'x', 'NP', 'UP']);

/** Hash in the password field of /etc/shadow, separated from the prefix that locks the account. */
export interface LockableHash {
  hash: string | undefined;
  isLocked: boolean;
}

export function lockableHash(field: string): LockableHash {
  const hash = field.replace(LOCK, '');
  if (NONE.has(hash)) return { hash: undefined, isLocked: false };
  return { hash, isLocked: hash !== field };
}

/** Returns a crypt(3) hash. If none of the families fits, the service identifies the hash. */
export const cryptPassword = (encoded: string): SourcePassword => ({ encoded, families: CRYPT_FAMILIES });
