import type { SourceRecord } from '../containers/table.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { textOf } from '../fields/values.ts';
import type { UserState } from '../source-user.ts';
import { system } from './declare.ts';

/** An NT or LM hash in a smbpasswd file. Placeholders for a missing hash do not match. */
const HASH = /^[0-9A-Fa-f]{32}$/;
/** Flags of smbpasswd(5) that do not affect a person's login, and the lock after too many attempts. */
const OF_PEOPLE = /^[UXHTML]*$/;
const OF_MACHINES = /[WSI]/;

const flagsOf = ({ flags }: SourceRecord) => (textOf(flags) ?? '').replaceAll(' ', '').toUpperCase();

/** smbpasswd files of Samba, which `pdbedit -Lw` writes from any of its databases. */
export const smbpasswd = system(
  { name: 'smbpasswd', title: 'Samba (smbpasswd)', settings: EMAIL_DOMAIN },
  {
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
    user: ({ record, settings }) => addressOf(textOf(record.name), settings),
    reads: 'ntHash lmHash flags',
    unused: 'uid lastChanged lastChange',
    advice: ({ tables, settings }) => domainAdvice('smbpasswd', tables, 'name', settings),
  },
);

/**
 * @param flags with `N` among them, the Samba account needs no password, and the stored hash is not of a
 * real one
 */
function stateOf(flags: string): UserState | undefined {
  if (OF_MACHINES.test(flags)) return 'SERVICE_ACCOUNT';
  if (flags.includes('N')) return 'NO_LOGIN_METHOD';
  return flags.includes('U') && OF_PEOPLE.test(flags) ? undefined : 'DISABLED';
}
