import type { SourceRecord } from '../containers/table.ts';
import { textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../source-user.ts';

const DAY_MS = 86_400_000;
const DOMAIN = /^[^\s@]+\.[^\s@]+$/;
/** What crypt(3) goes by. */
const ALGORITHMS = [
  ['$6$', 'sha512-crypt'],
  ['$y$', 'yescrypt'],
  ['$5$', 'sha256-crypt'],
  ['$1$', 'md5-crypt'],
  ['$2', 'bcrypt'],
  ['$gy$', 'gost-yescrypt'],
  ['$7$', 'scrypt-mcf7'],
  ['$sha1$', 'sha1-crypt'],
  ['$md5', 'sun-md5'],
  ['$3$', 'bsd-nthash'],
] as const;
const DES = /^[./0-9A-Za-z]{13}$/;
const BSDI = /^_[./0-9A-Za-z]{19}$/;

/** Before a hash it locks it; Solaris writes `*LK*`. */
const LOCK = /^(?:\*LK\*|[!*])+/;
/** In place of a hash: nobody signs in so. `NP` and `UP` are of Solaris. */
const NONE = new Set(['', 'x', 'NP', 'UP']);

/** `/etc/shadow`: shadow(5), crypt(5). */
export const shadow: Source = {
  name: 'shadow',
  title: '/etc/shadow',
  settings: { emailDomain: 'what stands behind the @: an address is the name and this domain' },
  forms: [
    {
      name: 'shadow',
      isUsers: (table) => table.container === 'shadow',
      read,
      advice: ({ settings }) =>
        domainOf(settings.emailDomain) === undefined
          ? [
              {
                level: 'stop',
                text: 'There are no addresses in /etc/shadow. Name the domain that stands behind the @: --set emailDomain=example.com.',
              },
            ]
          : [],
    },
  ],
};

const domainOf = (setting: string | undefined) => {
  const domain = setting?.trim().replace(/^@/, '');
  return domain !== undefined && DOMAIN.test(domain) ? domain : undefined;
};

function read(record: SourceRecord, { settings, nowMs, drop }: ReadContext): SourceUser {
  const name = textOf(record.name);
  const domain = domainOf(settings.emailDomain);
  const field = textOf(record.hash) ?? '';
  const hash = field.replace(LOCK, '');
  const hasHash = !NONE.has(hash);
  const isLocked = hasHash && hash !== field;
  // The day of the last change is 0: `passwd --expire`.
  if (hasHash && textOf(record.lastChanged) === '0') drop('forced password changes');
  return {
    externalUserId: name,
    // Nobody signs in as `root` or `daemon`: no address is made up for them.
    email: hasHash && name !== undefined && domain !== undefined ? `${name}@${domain}` : undefined,
    password: hasHash ? passwordOf(hash) : undefined,
    state: stateOf(hasHash, isLocked || isExpired(record.expires, nowMs)),
  };
}

function stateOf(hasHash: boolean, isDisabled: boolean): UserState | undefined {
  if (!hasHash) return 'NO_LOGIN_METHOD';
  return isDisabled ? 'DISABLED' : undefined;
}

/** @param expires in days since the epoch */
function isExpired(expires: unknown, nowMs: number): boolean {
  const days = textOf(expires);
  return days !== undefined && /^\d{1,9}$/.test(days) && Number(days) * DAY_MS <= nowMs;
}

function passwordOf(encoded: string): SourcePassword {
  for (const [prefix, algorithm] of ALGORITHMS) if (encoded.startsWith(prefix)) return { encoded, algorithm };
  if (DES.test(encoded)) return { encoded, algorithm: 'des-crypt' };
  return BSDI.test(encoded) ? { encoded, algorithm: 'bsdi-crypt' } : { encoded };
}
