import type { Settings } from '../source.ts';
import type { NamedAddress } from './login-address.ts';
import { flagOf, textOf } from './values.ts';

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
