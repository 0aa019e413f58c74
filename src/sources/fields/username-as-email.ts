import type { Settings } from '../source.ts';
import { flagOf, textOf } from './values.ts';

/** For `settings` of a source whose users sign in with a name. */
export const USERNAME_IS_EMAIL = {
  usernameIsEmail: 'yes: of users who have no e-mail, a user name that looks like an address is one',
};

/** The e-mail; where there is none and the operator says so, a user name that looks like one: many do, and are none. */
export function emailOrUsername(email: unknown, username: unknown, settings: Settings): string | undefined {
  const address = textOf(email);
  if (address !== undefined || flagOf(settings.usernameIsEmail) !== true) return address;
  const name = textOf(username);
  return name?.includes('@') === true ? name : undefined;
}
