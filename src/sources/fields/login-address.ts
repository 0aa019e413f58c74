import type { TableHead } from '../containers/table.ts';
import type { Advice, Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { flagOf, textOf } from './values.ts';

const DOMAIN = /^[^\s@]+\.[^\s@]+$/;

/** Option of sources whose users sign in with a user name. */
export const EMAIL_DOMAIN = {
  emailDomain: 'domain that follows the user name and the @ in an address',
};

function domainOf({ emailDomain }: Settings): string | undefined {
  const domain = emailDomain?.trim().replace(/^@/, '');
  return domain !== undefined && DOMAIN.test(domain) ? domain : undefined;
}

/** Blanks in a user name. The service removes them from addresses, so two user names could become one address. */
const BLANK = /[\s\p{Cc}]/u;

export type NamedAddress = Pick<SourceUser, 'email' | 'emailFromName'>;

/**
 * Returns the address of a user who signs in with a user name: the name if it has an `@`, else `name@domain` with the
 * domain of `--set emailDomain`. Without a domain, or if the name has blanks, there is no address.
 */
export function addressOf(name: string | undefined, settings: Settings): NamedAddress {
  if (name === undefined) return {};
  if (name.includes('@')) return { email: name, emailFromName: name };
  const domain = domainOf(settings);
  return domain === undefined || BLANK.test(name) ? {} : { email: `${name}@${domain}`, emailFromName: name };
}

/**
 * Advises to set `emailDomain` if user names are not addresses. Stops the import if none of them is one.
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
  if (plain === names.length)
    return [{ level: 'stop', text: `There are no addresses in ${title}. ${command}` }];
  const text = `Some names in ${title} are not addresses: these users are skipped. ${command}`;
  return [{ level: 'warn', text }];
}

export const USERNAME_IS_EMAIL = {
  usernameIsEmail: 'yes: the user name of a user without an e-mail is the address, if it looks like one',
};

/**
 * Returns the address of a user. Without one, returns a user name with an `@`, but only with `--set
 * usernameIsEmail=yes`, because many user names only look like addresses.
 */
export function emailOrUsername(email: unknown, username: unknown, settings: Settings): NamedAddress {
  const address = textOf(email);
  if (address !== undefined || flagOf(settings.usernameIsEmail) !== true) return { email: address };
  const name = textOf(username);
  return name?.includes('@') === true ? { email: name, emailFromName: name } : {};
}
