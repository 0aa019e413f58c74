import type { Settings } from '../source.ts';
import type { NamedAddress } from './login-address.ts';
import { flagOf, textOf } from './values.ts';

/** Settings of a source whose users sign in with a name. */
export const USERNAME_IS_EMAIL = {
  usernameIsEmail: 'yes: the user name of a user without an e-mail is the address, if it looks like one',
};

/**
 * Returns the e-mail. A user without one gets the user name if it looks like an address, provided that the operator
 * has said that user names are addresses. Many only look so.
 */
export function emailOrUsername(email: unknown, username: unknown, settings: Settings): NamedAddress {
  const address = textOf(email);
  if (address !== undefined || flagOf(settings.usernameIsEmail) !== true) return { email: address };
  const name = textOf(username);
  return name?.includes('@') === true ? { email: name, emailFromName: name } : {};
}
