import { bcrypt } from './bcrypt.ts';
import { bsdiCryptVerifier } from './bsdi-crypt.ts';
import { CRYPT } from './crypt.ts';
import { algorithmOf, defineEnvelope } from './define-envelope.ts';
import { HEX_DIGESTS } from './plain-digests.ts';
import { SCRYPT } from './scrypt-dialects.ts';
import { SHA_CRYPT } from './sha-crypt.ts';
import { sha1CryptVerifier } from './sha1-crypt.ts';
import { sunMd5Verifier } from './sun-md5.ts';
import { YESCRYPT } from './yescrypt.ts';

/** Algorithms that crypt(3) of some system verifies. DES comes last, because any word has its shape. */
export const CRYPT_STRINGS = [
  algorithmOf(CRYPT, 'md5-crypt'),
  algorithmOf(SHA_CRYPT, 'sha256-crypt'),
  algorithmOf(SHA_CRYPT, 'sha512-crypt'),
  bcrypt,
  ...YESCRYPT,
  algorithmOf(SCRYPT, 'scrypt-mcf7'),
  sha1CryptVerifier,
  sunMd5Verifier,
  algorithmOf(HEX_DIGESTS, 'bsd-nthash'),
  bsdiCryptVerifier,
  algorithmOf(CRYPT, 'des-crypt'),
] as const;

/** Hashes that LDAP directories pass to crypt(3) of their system (RFC 2307). */
export const ldapCrypt = defineEnvelope({
  name: 'ldap-crypt',
  displayName: 'LDAP crypt',
  looksLike: '`{CRYPT}<any hash of crypt(3)>`, the scheme in any case',
  shape: /^\{crypt\}/i,
  forms: [{ before: /\{crypt\}/i, inner: CRYPT_STRINGS, decoyBefore: '{CRYPT}' }],
});
