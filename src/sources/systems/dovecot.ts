import type { SourceRecord } from '../containers/table.ts';
import { cryptPassword, lockableHash } from '../fields/crypt-password.ts';
import { userBoundHash } from '../fields/hashes.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { Advice, ReadContext, Settings, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

const SCHEME = /^\{(?<scheme>[A-Za-z0-9-]{1,40})(?<encoding>\.[A-Za-z0-9]{1,10})?\}/;
const IN_CLEAR = new Set(['PLAIN', 'CLEAR', 'CLEARTEXT']);
const DIGEST = 'DIGEST-MD5';

const ALLOW_NETS: Advice = {
  level: 'warn',
  text: 'Some users may sign in from certain networks only (allow_nets). This service has no such limit: they could sign in from everywhere.',
};

/** Passwd-files of Dovecot. An account with the extra field `nologin` is disabled. */
export const dovecot: Source = {
  name: 'dovecot',
  title: "Dovecot's passwd-file",
  settings: {
    ...EMAIL_DOMAIN,
    scheme: 'scheme of the passdb, of hashes that name none (PLAIN-MD5); CRYPT if left out',
  },
  forms: [
    {
      name: 'dovecot-passwd-file',
      isUsers: ({ container }) => container === 'dovecot',
      read,
      advice({ tables, settings }) {
        const users = tables.filter(({ container }) => container === 'dovecot');
        const advice = domainAdvice("Dovecot's passwd-file", users, 'name', settings);
        const hasNets = users.some(({ first }) => first.some((record) => extrasOf(record).has('allow_nets')));
        return hasNets ? [...advice, ALLOW_NETS] : advice;
      },
    },
  ],
};

/** Names of the extra fields in a line of Dovecot's passwd-file. */
const extrasOf = ({ extra }: SourceRecord): ReadonlySet<string> =>
  new Set((textOf(extra) ?? '').split(/\s+/).map((field) => field.split('=', 1)[0]?.toLowerCase() ?? ''));

function read(record: SourceRecord, { settings }: ReadContext): SourceUser {
  const name = textOf(record.name);
  const extras = extrasOf(record);
  const { scheme, hash, isLocked } = partsOf(textOf(record.hash) ?? '', settings);
  return {
    externalUserId: name,
    ...addressOf(name, settings),
    // With `nopassword`, Dovecot accepts any password, so the hash is meaningless.
    password: hash === undefined || extras.has('nopassword') ? undefined : passwordOf(scheme, hash, name),
    metadata: metadataOf({ name: textOf(record.gecos)?.split(',', 1)[0] }),
    state: isLocked || extras.has('nologin') || extras.has('noauthenticate') ? 'DISABLED' : undefined,
  };
}

interface Parts {
  /** Scheme before the hash, or Dovecot's default one, in braces: `{SSHA}`. */
  scheme: string | undefined;
  hash: string | undefined;
  isLocked: boolean;
}

/** In Dovecot's passwd-file, the mark of a lock may precede the scheme or follow it. */
function partsOf(field: string, { scheme: byDefault }: Settings): Parts {
  const before = lockableHash(field);
  const [scheme] = SCHEME.exec(before.hash ?? '') ?? [];
  if (before.hash === undefined) return { scheme, ...before };
  if (scheme === undefined)
    return { scheme: byDefault === undefined ? undefined : `{${byDefault}}`, ...before };
  const rest = before.hash.slice(scheme.length);
  // A plain-text password may consist of any characters, so it is not searched for the mark of a lock.
  if (IN_CLEAR.has(schemeOf(scheme)))
    return { scheme, hash: rest === '' ? undefined : rest, isLocked: before.isLocked };
  const behind = lockableHash(rest);
  return { scheme, hash: behind.hash, isLocked: before.isLocked || behind.isLocked };
}

const schemeOf = (scheme: string): string => SCHEME.exec(scheme)?.groups?.scheme?.toUpperCase() ?? '';

function passwordOf(scheme: string | undefined, hash: string, name = ''): SourcePassword {
  if (scheme === undefined) return cryptPassword(hash);
  if (scheme.toUpperCase() === `{${DIGEST}}`)
    return userBoundHash({ algorithm: 'dovecot', user: name, salt: '', hash });
  return { encoded: `${scheme}${hash}`, algorithm: 'dovecot' };
}
