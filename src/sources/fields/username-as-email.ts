import type { Settings } from '../source.ts';
import type { NamedAddress } from './login-address.ts';
import { flagOf, textOf } from './values.ts';

/** Option `--set usernameIsEmail` of sources whose users sign in with a name. */
export const USERNAME_IS_EMAIL = {
  usernameIsEmail: 'yes: the user name of a user without an e-mail is the address, if it looks like one',
};

/**
 * If a user has no address, the user name is the address if it has an @, provided that the operator has
 * said so (`--set usernameIsEmail=yes`). Many user names only look like addresses.
 */
export function emailOrUsername(email: unknown, username: unknown, settings: Settings): NamedAddress {
  const address = textOf(email);
  if (address !== undefined || flagOf(settings.usernameIsEmail) !== true) return { email: address };
  const name = textOf(username);
  return name?.includes('@') === true ? { email: name, emailFromName: name } : {};
}
