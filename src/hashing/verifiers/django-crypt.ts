import { CRYPT } from './crypt.ts';
import { algorithmOf, defineEnvelope } from './define-envelope.ts';

/**
 * Django's CryptPasswordHasher: a DES-based crypt(3) hash. Before Django 1.4, its salt is written before it,
 * too.
 */
export const djangoCrypt = defineEnvelope({
  name: 'django-crypt',
  displayName: 'Django crypt',
  looksLike: '`crypt$[<salt>]$<13 characters of DES crypt>`',
  shape: /^crypt\$[./0-9A-Za-z]*\$[./0-9A-Za-z]{13}$/,
  forms: [
    {
      // crypt(3) uses only the first two characters of the salt.
      before: /crypt\$(?:(?<salt>[./0-9A-Za-z]{2})[./0-9A-Za-z]*)?\$(?=\k<salt>)/,
      inner: [algorithmOf(CRYPT, 'des-crypt')],
      decoyBefore: 'crypt$$',
    },
  ],
});
