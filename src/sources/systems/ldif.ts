import type { SourceRecord, TableHead } from '../containers/table.ts';
import { ldapPassword } from '../fields/ldap-password.ts';
import { gravestState, type ReadState, stateOfFlag } from '../fields/read-state.ts';
import { timeOf } from '../fields/time.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { Advice, ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Bit of Active Directory's userAccountControl that disables an account. */
const ACCOUNT_DISABLE = 2;
/** LDAP attributes whose first value becomes metadata. */
const KEPT = ['uid', 'cn', 'sn', 'givenname', 'displayname'] as const;

/** LDIF files (RFC 2849) of any directory, from which people are read. */
export const ldif: Source = {
  name: 'ldif',
  title: 'LDIF (OpenLDAP, 389 DS, ForgeRock and other directories)',
  forms: [
    {
      name: 'ldif',
      isUsers: (table) => table.container === 'ldif',
      read,
      advice: ({ tables }) => adviceOf(tables.filter((table) => table.container === 'ldif')),
    },
  ],
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const mail = textsOf(record.mail);
  const { password, isLocked, further } = ldapPassword(textsOf(record.userpassword));
  for (let left = further; left > 0; left -= 1) context.drop('further hashes');
  if (record.mobile !== undefined || record.telephonenumber !== undefined) context.drop('phone numbers');
  // In Active Directory, 0 in `pwdLastSet` means that the user must change the password.
  if (firstOf(record.pwdlastset) === '0') context.drop('forced password changes');
  if (record.memberof !== undefined) context.drop('roles');
  return {
    externalUserId: firstOf(record.entryuuid) ?? firstOf(record.dn),
    email: mail[0],
    emails: mail.length > 1 ? mail : undefined,
    timeJoinedMs: timeOf(firstOf(record.createtimestamp)),
    password,
    metadata: metadataOf(keptOf(record)),
    state: isLocked ? 'DISABLED' : stateOf(record, context),
  };
}

function textsOf(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts: string[] = [];
  for (const one of values) {
    const text = textOf(one);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

function firstOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textOf(value);
  return value.length === 0 ? undefined : textOf(value[0]);
}

function keptOf(record: SourceRecord): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of KEPT) kept[name] = firstOf(record[name]);
  return kept;
}

const DISABLING = ['nsaccountlock', 'ds-pwp-account-disabled', 'logindisabled'];

/** States as written by OpenLDAP, 389 DS, FreeIPA, ForgeRock, eDirectory, Samba and Active Directory. */
function stateOf(record: SourceRecord, { settings, nowMs }: ReadContext): ReadState {
  const isOver = endsOf(record).some((endMs) => endMs !== undefined && endMs <= nowMs);
  return gravestState([
    isOver || isDisabledBySamba(firstOf(record.sambaacctflags)) ? 'DISABLED' : undefined,
    firstOf(record.pwdaccountlockedtime) === undefined ? undefined : 'DISABLED',
    ...DISABLING.map((name) => stateOfFlag(name, firstOf(record[name]), true, settings)),
    accountControlOf(firstOf(record.useraccountcontrol)),
  ]);
}

const DAY_MS = 86_400_000;
/** Values of Active Directory's `accountExpires` that mean never: 0, and the largest number of 64 bits. */
const NEVER = /^(?:0|9223372036854775807)$/;

/** Times of expiry as OpenLDAP, the shadow schema and Active Directory write them. */
function endsOf(record: SourceRecord): (number | undefined)[] {
  const days = firstOf(record.shadowexpire);
  const expires = firstOf(record.accountexpires);
  return [
    timeOf(firstOf(record.pwdendtime)),
    // A negative number of days in `shadowExpire` means that the account never expires.
    days !== undefined && /^\d{1,6}$/.test(days) ? Number(days) * DAY_MS : undefined,
    expires === undefined || NEVER.test(expires) ? undefined : timeOf(expires),
  ];
}

/** Samba's flags are in brackets, padded with blanks: `[DU         ]`. */
const isDisabledBySamba = (flags: string | undefined) => flags !== undefined && /^\[\w*D/.test(flags);

function accountControlOf(flags: string | undefined): ReadState {
  if (flags === undefined) return undefined;
  if (!/^-?\d{1,10}$/.test(flags)) return { column: 'useraccountcontrol', word: 'no number' };
  return (Number(flags) & ACCOUNT_DISABLE) === 0 ? undefined : 'DISABLED';
}

function adviceOf(tables: readonly TableHead[]): Advice[] {
  const first = tables.flatMap((table) => table.first);
  const has = (attribute: string) =>
    first.some((record) => record[attribute] !== undefined) ||
    tables.some((table) => table.columns.has(attribute));
  const advice: Advice[] = [];
  if (first.length === 0) return advice;
  if (!has('userpassword'))
    advice.push({
      level: 'warn',
      text: 'The first entries have no userPassword. Directories show it to administrators only: use slapcat, or ldapsearch with their bind DN.',
    });
  if (!has('entryuuid'))
    advice.push({
      level: 'warn',
      text: "The first entries have no entryUUID, so that the dn is the id. Operational attributes are missing (entryUUID, createTimestamp, pwdAccountLockedTime, nsAccountLock), so users whom one of them locks are imported as active. They come with slapcat, or ldapsearch … '*' '+'.",
    });
  return advice;
}
