import type { Credential } from '../../passwords/no-hash.ts';
import type { ParsedPasswordLogin } from '../input/parsed-user.ts';

/** Returns what the database stores for a login, whose plain-text password must already be hashed. */
export function storedCredential({ credential }: ParsedPasswordLogin): Credential {
  if ('plainText' in credential) throw new Error('a password was not hashed before it was to be stored');
  return credential;
}
