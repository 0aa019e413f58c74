import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { digestHash, invalidHash, ofUser } from '../fields/hashes.ts';
import { shownCell } from '../fields/shown-name.ts';
import { gravestState, type ReadState } from '../fields/states.ts';
import {
  CRYPT_FAMILIES,
  cryptPassword,
  expiryOf,
  lockableHash,
  stateOfAge,
  stateOfShell,
} from '../fields/unix-account.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../source-user.ts';
import { type Row, readerOf, system, type Users, words } from './declare.ts';

// Apache

/** Declares files with a line for each user, in which a mark before the hash locks the user. */
const lines = (
  title: string,
  hashOf: (hash: string, record: SourceRecord) => SourcePassword | undefined,
): Omit<Users, 'forms'> => ({
  has: '',
  id: 'name',
  hash: ({ record }) => {
    const { hash } = lockableHash(textOf(record.hash) ?? '');
    return hash === undefined ? undefined : hashOf(hash, record);
  },
  state: ({ record }) => (lockableHash(textOf(record.hash) ?? '').isLocked ? 'DISABLED' : undefined),
  loginName: { column: 'name', of: title },
  reads: 'hash',
});

/** Files of Apache's htdigest, which hashes the user name and the realm together with the password. */
export const htdigest = system('htdigest', 'htdigest (Apache)', {
  ...lines('a file of htdigest', (hash, { name, realm: salt }) =>
    digestHash({ algorithm: 'htdigest', parameters: ofUser(textOf(name) ?? ''), salt, hash }),
  ),
  forms: { htdigest: 'htdigest' },
  // A user may occur once for each realm, with different hashes and perhaps different passwords.
  realms: { title: 'realms', column: 'realm' },
});

const PLAIN = '{PLAIN}';

/**
 * Apache and nginx. They ignore a third field, but some people note there who must not sign in. The field is not
 * declared, so that the import asks about it.
 */
export const htpasswd = system('htpasswd', '.htpasswd (Apache, nginx)', {
  ...lines('.htpasswd', passwordOfHtpasswd),
  forms: { htpasswd: 'htpasswd' },
});

function passwordOfHtpasswd(hash: string): SourcePassword {
  return hash.startsWith(PLAIN)
    ? { plainText: hash.slice(PLAIN.length) }
    : { encoded: hash, families: ['ldap-sha', 'ldap-ssha', ...CRYPT_FAMILIES] };
}

// DokuWiki

/** Families of DokuWiki's hashes (PassHash::verify_hash). */
const FAMILIES = [
  ...words('phpass drupal7 argon2 django-salted-sha1 django-salted-md5 mediawiki ldap-ssha hex-sha1 hex-md5'),
  ...words('mysql323 mysql41'),
  ...CRYPT_FAMILIES,
];
const MYSQL_41 = /^\*[0-9A-Fa-f]{40}$/;

/** Separates the mark of a lock from a hash. Hashes of MySQL begin with an asterisk, which is not a lock there. */
function lockable(cell: unknown) {
  const field = textOf(cell) ?? '';
  return MYSQL_41.test(field) ? { hash: field, isLocked: false } : lockableHash(field);
}

/** `conf/users.auth.php`, the file of DokuWiki's plain authentication. */
export const dokuwiki = system('dokuwiki', 'DokuWiki', {
  forms: { dokuwiki: 'dokuwiki' },
  has: '',
  id: 'login',
  email: 'mail',
  hash: ({ record }) => {
    const { hash: encoded } = lockable(record.hash);
    return encoded === undefined ? undefined : { encoded, families: FAMILIES };
  },
  metadata: 'name username=login',
  state: ({ record }) => (lockable(record.hash).isLocked ? 'DISABLED' : undefined),
  roles: ({ record }) => textOf(record.groups) !== undefined,
  reads: 'hash groups',
});

// Dovecot

const SCHEME = /^\{(?<scheme>[A-Za-z0-9-]{1,40})(?<encoding>\.[A-Za-z0-9]{1,10})?\}/;
const IN_CLEAR = new Set(['PLAIN', 'CLEAR', 'CLEARTEXT']);
const DIGEST = 'DIGEST-MD5';

/** Returns the extra fields in a line of Dovecot's passwd-file, by name. A field without a value has the value `y`. */
const extrasOf = ({ extra }: SourceRecord): ReadonlyMap<string, string> =>
  new Map(
    (textOf(extra) ?? '').split(/\s+/).flatMap((field) => {
      const [name = '', ...value] = field.split('=');
      return name === '' ? [] : [[name.toLowerCase(), value.join('=') || 'y'] as const];
    }),
  );

/**
 * Extra fields of Dovecot's passdb that do not say who may sign in. `NO_STATE_BEGINNING` matches further ones.
 */
const NO_STATE = new Set(
  words(`allow_nets allow_real_nets delay_until destuser gid home host hostip k5principals
    login_user mail master nodelay nopassword original_user pass password port proxy proxy_always proxy_maybe
    proxy_mech proxy_not_trusted proxy_noauth proxy_nopipelining proxy_refresh proxy_timeout quota quota_rule
    quota_rule2 quota_rule3 reason scheme secondary source_ip ssl starttls storage system_groups_user uid user user_noauth`),
);
const NO_STATE_BEGINNING = /^(?:userdb_|event_|forward_|quota|proxy|ssl)/;

/** Reads the state from the extra fields. `nologin` and `noauthenticate` disable. Unknown fields are unknown states. */
function stateOfExtras(row: Row): ReadState {
  const extras = extrasOf(row.record);
  if (extras.has('nologin') || extras.has('noauthenticate')) return 'DISABLED';
  if (row.ruled.has('extra')) return undefined;
  const [other] = [...extras].filter(([name]) => !NO_STATE.has(name) && !NO_STATE_BEGINNING.test(name));
  return other && { column: 'extra', word: shownCell(other.join('=')) };
}

const partsIn = ({ record, settings }: Row) => partsOf(textOf(record.hash) ?? '', settings);

/** Passwd-files of Dovecot. An account with the extra field `nologin` is disabled. */
export const dovecot = system('dovecot', "Dovecot's passwd-file", {
  settings: {
    scheme: 'scheme of the passdb, of hashes that name none (PLAIN-MD5); CRYPT if left out',
  },
  forms: { dovecot: 'dovecot-passwd-file' },
  has: '',
  id: 'name',
  hash: (row) => {
    const { scheme, hash } = partsIn(row);
    // With `nopassword`, Dovecot accepts any password, so the hash is meaningless.
    return hash === undefined || extrasOf(row.record).has('nopassword')
      ? undefined
      : passwordOfDovecot(scheme, hash, textOf(row.record.name));
  },
  metadata: ({ record }) => ({ name: textOf(record.gecos)?.split(',', 1)[0] }),
  state: (row) => gravestState([partsIn(row).isLocked ? 'DISABLED' : undefined, stateOfExtras(row)]),
  loginName: { column: 'name', of: "Dovecot's passwd-file" },
  reads: 'hash gecos extra',
  unused: 'uid gid home shell',
  warning: {
    text: 'Some users may sign in from certain networks only (allow_nets). This service has no such limit: they could sign in from everywhere.',
    when: ({ records }) => records.some((record) => extrasOf(record).has('allow_nets')),
  },
});

/**
 * Splits a password field of Dovecot into scheme and hash. The mark of a lock may be before or after the scheme.
 * @returns the scheme in braces, before the hash or by default: `{SSHA}`
 */
function partsOf(field: string, { scheme: byDefault }: Settings) {
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

function passwordOfDovecot(scheme: string | undefined, hash: string, name = ''): SourcePassword {
  if (scheme === undefined) return cryptPassword(hash);
  if (scheme.toUpperCase() === `{${DIGEST}}`)
    return (
      digestHash({ algorithm: 'dovecot', parameters: ofUser(name), salt: '', hash }) ??
      invalidHash('the digest is empty')
    );
  return { encoded: `${scheme}${hash}`, algorithm: 'dovecot' };
}

// /etc/shadow

/** Text in place of the hash in /etc/passwd if the hash is in /etc/shadow. */
const SHADOWED = 'x';

const holdsHash = ({ hash }: SourceRecord) => lockableHash(textOf(hash) ?? '').hash !== undefined;

/** Fields of passwd(5), and the time at which an account of master.passwd(5) ends. */
const PASSWD = 'name hash uid gid gecos home shell expires expiresSeconds';

/** Declares a file that has both hashes and shells. */
const passwdFile = (title: string, about: Pick<Users, 'forms' | 'only'>): Users => ({
  ...about,
  has: '',
  id: 'name',
  user: (row) => userOf(row, row.record),
  unused: PASSWD,
  loginName: { column: 'name', of: title },
});

/** master.passwd of the BSDs, which has the fields of both files. */
const masterPasswd = passwdFile('master.passwd', {
  forms: { shadow: 'master.passwd' },
  only: ({ first }) => first.some(({ shell }) => shell !== undefined),
});

const passwd = passwdFile('/etc/passwd', {
  forms: { passwd: 'passwd' },
  only: ({ first }, _settings, around) => around?.isNamed === true || first.some(holdsHash),
});

/** `/etc/shadow`, with or without `/etc/passwd` (shadow(5), passwd(5), crypt(5)). */
const shadowed: Users = {
  forms: { shadow: 'shadow' },
  has: '',
  joins: {
    passwd: {
      has: 'name hash shell',
      hasNot: 'extra',
      keep: 'hash uid gecos shell',
      unused: PASSWD,
      readAlone: (record, context) => (holdsHash(record) ? readerOf(passwd)(record, context) : undefined),
      of: 'one',
      decides: 'states',
      missing: 'Without it, nothing tells the names of people either. Name /etc/passwd beside /etc/shadow.',
    },
  },
  id: 'name',
  user: (row) => userOf(row, row.hasDetail('passwd') ? row.joined('passwd')[0] : {}, 'passwd.shell'),
  drops: {
    // On the day 0, the password has expired: `passwd --expire`.
    'forced password changes': ({ record }) => holdsHash(record) && textOf(record.lastChanged) === '0',
  },
  unused: 'hash lastChanged min max warn inactive expires expiresSeconds reserved',
  loginName: { column: 'name', of: '/etc/shadow' },
};

/**
 * Reads an account of Unix.
 * @param account record of /etc/passwd. Undefined if that file lacks the account, which then cannot log in
 * @param shell the shell's column, as `--active` names it
 */
function userOf(row: Row, account: JsonObject | undefined, shell = 'shell'): Partial<SourceUser> {
  const { record, drop, nowMs } = row;
  const { hash, isLocked } = lockableHash(hashField(record, account));
  // Unix accounts without a hash, such as `daemon`, get no address, because nobody signs in as them.
  const metadata = metadataIn(account ?? record);
  if (hash === undefined)
    return { metadata, state: 'NO_LOGIN_METHOD', email: undefined, emailFromName: undefined };
  const [, , ...phones] = (textOf(account?.gecos) ?? '').split(',', 4);
  if (phones.some((phone) => phone !== '')) drop('phone numbers');
  return {
    password: cryptPassword(hash),
    metadata,
    state: gravestState([
      isLocked || account === undefined ? 'DISABLED' : undefined,
      stateOfShell(shell, account?.shell, row),
      expiryOf('expires', record.expires, { nowMs }),
      // In master.passwd(5), the expiry time 0 means that an account never ends.
      textOf(record.expiresSeconds) === '0'
        ? undefined
        : expiryOf('expires', record.expiresSeconds, { unitMs: 1000, nowMs }),
      stateOfAge(
        ['lastChanged', 'max', 'inactive'].map((name) => [name, record[name]]),
        nowMs,
      ),
    ]),
  };
}

const metadataIn = ({ gecos, uid }: JsonObject) =>
  metadataOf({ name: (textOf(gecos) ?? '').split(',', 1)[0], uid: textOf(uid) });

/** Returns the hash in /etc/passwd, or the one in /etc/shadow if /etc/passwd is missing or has `x`. */
function hashField(record: SourceRecord, account: JsonObject | undefined): string {
  const { hash = SHADOWED } = account ?? {};
  return textOf(hash === SHADOWED ? record.hash : hash) ?? '';
}

export const shadow = system('shadow', '/etc/shadow', [masterPasswd, shadowed, passwd]);

// Samba (smbpasswd)

/** An NT or LM hash in a smbpasswd file. Placeholders for a missing hash do not match. */
const HASH = /^[0-9A-Fa-f]{32}$/;
/** Flags of smbpasswd(5) that do not disable an account of a person. One is the lock after too many attempts (`L`). */
const OF_PEOPLE = /^[UXHTML]*$/;
const OF_MACHINES = /[WSI]/;

const flagsOf = ({ flags }: SourceRecord) => (textOf(flags) ?? '').replaceAll(' ', '').toUpperCase();

/** smbpasswd files of Samba, which `pdbedit -Lw` writes from any of its databases. */
export const smbpasswd = system('smbpasswd', 'Samba (smbpasswd)', {
  forms: { smbpasswd: 'smbpasswd' },
  has: '',
  id: 'name',
  hash: ({ record }) => {
    const encoded = textOf(record.ntHash) ?? '';
    return HASH.test(encoded) ? { encoded, algorithm: 'nthash' } : undefined;
  },
  state: ({ record }) => stateOf(flagsOf(record)),
  drops: {
    'temporary locks': ({ record }) =>
      stateOf(flagsOf(record)) === undefined && flagsOf(record).includes('L'),
    'further hashes': ({ record }) =>
      stateOf(flagsOf(record)) === undefined && HASH.test(textOf(record.lmHash) ?? ''),
  },
  loginName: { column: 'name', of: 'smbpasswd' },
  reads: 'ntHash lmHash flags',
  unused: 'uid lastChanged lastChange',
});

/**
 * Reads the state from the flags of an account.
 * @param flags `N` means that the account needs no password, so the stored hash is not one of a real password
 */
function stateOf(flags: string): UserState | undefined {
  if (OF_MACHINES.test(flags)) return 'SERVICE_ACCOUNT';
  if (flags.includes('N')) return 'NO_LOGIN_METHOD';
  return flags.includes('U') && OF_PEOPLE.test(flags) ? undefined : 'DISABLED';
}
