import type { TableHead } from '../containers/table.ts';
import type { Advice, Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { flagOf, textOf } from './values.ts';

const DOMAIN = /^[^\s@]+\.[^\s@]+$/;

/** Option of sources whose users sign in with a name. */
export const EMAIL_DOMAIN = {
  emailDomain: 'domain that follows the user name and the @ in an address',
};

function domainOf({ emailDomain }: Settings): string | undefined {
  const domain = emailDomain?.trim().replace(/^@/, '');
  return domain !== undefined && DOMAIN.test(domain) ? domain : undefined;
}

/** The service removes these characters from addresses, so two user names could become the same address. */
const BLANK = /[\s\p{Cc}]/u;

export type NamedAddress = Pick<SourceUser, 'email' | 'emailFromName'>;

/**
 * Returns the address of a user who signs in with a name: the name if it has an `@`, else the name at the
 * domain of `--set emailDomain`. A name with blanks gets no address.
 */
export function addressOf(name: string | undefined, settings: Settings): NamedAddress {
  if (name === undefined) return {};
  if (name.includes('@')) return { email: name, emailFromName: name };
  const domain = domainOf(settings);
  return domain === undefined || BLANK.test(name) ? {} : { email: `${name}@${domain}`, emailFromName: name };
}

/**
 * Advises to set `emailDomain` if user names are not addresses.
 * @param title name of the export in sentences: `/etc/shadow`
 */
export function domainAdvice(
  title: string,
  users: readonly TableHead[],
  column: string,
  settings: Settings,
): Advice[] {
  if (domainOf(settings) !== undefined) return [];
  const names = users.flatMap(({ first }) => first.flatMap((record) => textOf(record[column]) ?? []));
  const plain = names.filter((name) => !name.includes('@')).length;
  if (names.length > 0 && plain === 0) return [];
  const command = 'Name the domain of the addresses: --set emailDomain=example.com.';
  return plain === names.length
    ? [{ level: 'stop', text: `There are no addresses in ${title}. ${command}` }]
    : [
        {
          level: 'warn',
          text: `Some names in ${title} are not addresses: these users are skipped. ${command}`,
        },
      ];
}

export const USERNAME_IS_EMAIL = {
  usernameIsEmail: 'yes: the user name of a user without an e-mail is the address, if it looks like one',
};

/**
 * Returns the address of a user, or the user name if the operator said that names are addresses (`--set
 * usernameIsEmail=yes`). Many user names only look like addresses.
 */
export function emailOrUsername(email: unknown, username: unknown, settings: Settings): NamedAddress {
  const address = textOf(email);
  if (address !== undefined || flagOf(settings.usernameIsEmail) !== true) return { email: address };
  const name = textOf(username);
  return name?.includes('@') === true ? { email: name, emailFromName: name } : {};
}
