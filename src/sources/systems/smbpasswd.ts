import type { SourceRecord } from '../containers/table.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourceUser, UserState } from '../source-user.ts';

/** An NT or LM hash in a smbpasswd file. Placeholders for a missing hash do not match. */
const HASH = /^[0-9A-Fa-f]{32}$/;
/** Flags of smbpasswd(5) that do not affect a person's login, and the lock after too many attempts. */
const OF_PEOPLE = /^[UXHTML]*$/;
const OF_MACHINES = /[WSI]/;

/** smbpasswd files of Samba, which `pdbedit -Lw` writes from any of its databases. */
export const smbpasswd: Source = {
  name: 'smbpasswd',
  title: 'Samba (smbpasswd)',
  settings: EMAIL_DOMAIN,
  forms: [
    {
      name: 'smbpasswd',
      isUsers: ({ container }) => container === 'smbpasswd',
      read,
      advice: ({ tables, settings }) =>
        domainAdvice(
          'smbpasswd',
          tables.filter(({ container }) => container === 'smbpasswd'),
          'name',
          settings,
        ),
    },
  ],
};

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const name = textOf(record.name);
  const encoded = textOf(record.ntHash) ?? '';
  const flags = (textOf(record.flags) ?? '').replaceAll(' ', '').toUpperCase();
  const state = stateOf(flags);
  if (state === undefined && flags.includes('L')) drop('temporary locks');
  if (state === undefined && HASH.test(textOf(record.lmHash) ?? '')) drop('further hashes');
  return {
    externalUserId: name,
    ...addressOf(name, settings),
    password: HASH.test(encoded) ? { encoded, algorithm: 'nthash' } : undefined,
    state,
  };
}

/**
 * @param flags with `N` among them, the Samba account needs no password, and the stored hash is not of a
 * real one
 */
function stateOf(flags: string): UserState | undefined {
  if (OF_MACHINES.test(flags)) return 'SERVICE_ACCOUNT';
  if (flags.includes('N')) return 'NO_LOGIN_METHOD';
  return flags.includes('U') && OF_PEOPLE.test(flags) ? undefined : 'DISABLED';
}
