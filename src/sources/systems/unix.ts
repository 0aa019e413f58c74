import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { gravestState } from '../fields/states.ts';
import { cryptPassword, expiryOf, lockableHash, stateOfAge, stateOfShell } from '../fields/unix-account.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { SourceUser, UserState } from '../source-user.ts';
import { type Row, readerOf, system, type Users } from './declare.ts';

// /etc/shadow

/** Hash in /etc/passwd if the real one is in /etc/shadow. */
const SHADOWED = 'x';

const holdsHash = ({ hash }: SourceRecord) => lockableHash(textOf(hash) ?? '').hash !== undefined;

/** Fields of passwd(5), and the time at which an account of master.passwd(5) ends. */
const PASSWD = 'name hash uid gid gecos home shell expires expiresSeconds';

/** A file with hashes and shells. */
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
      on: 'name',
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
 * @param account of /etc/passwd. Undefined if that file lacks the account, so that nobody logs in with it
 * @param shell name of the column for rules of `--active`
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
      // In master.passwd(5), an account of the second 0 never ends.
      textOf(record.expiresSeconds) === '0'
        ? undefined
        : expiryOf('expires', record.expiresSeconds, { unitMs: 1000, nowMs }),
      stateOfAge(
        {
          changed: ['lastChanged', record.lastChanged],
          max: ['max', record.max],
          inactive: ['inactive', record.inactive],
        },
        nowMs,
      ),
    ]),
  };
}

const metadataIn = ({ gecos, uid }: JsonObject) =>
  metadataOf({ name: (textOf(gecos) ?? '').split(',', 1)[0], uid: textOf(uid) });

/** The hash in /etc/passwd, or the one in /etc/shadow if /etc/passwd refers to it, or is not there. */
function hashField(record: SourceRecord, account: JsonObject | undefined): string {
  const { hash = SHADOWED } = account ?? {};
  return textOf(hash === SHADOWED ? record.hash : hash) ?? '';
}

export const shadow = system('shadow', '/etc/shadow', [masterPasswd, shadowed, passwd]);

// Samba (smbpasswd)

/** An NT or LM hash in a smbpasswd file. Placeholders for a missing hash do not match. */
const HASH = /^[0-9A-Fa-f]{32}$/;
/** Flags of smbpasswd(5) that do not affect a person's login, and the lock after too many attempts. */
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
 * @param flags with `N` among them, the Samba account needs no password, and the stored hash is not of a
 * real one
 */
function stateOf(flags: string): UserState | undefined {
  if (OF_MACHINES.test(flags)) return 'SERVICE_ACCOUNT';
  if (flags.includes('N')) return 'NO_LOGIN_METHOD';
  return flags.includes('U') && OF_PEOPLE.test(flags) ? undefined : 'DISABLED';
}
