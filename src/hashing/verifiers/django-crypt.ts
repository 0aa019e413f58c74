import { CRYPT } from './crypt.ts';
import { algorithmOf, defineEnvelope } from './define-envelope.ts';

/** Django's CryptPasswordHasher. The salt stands in front of a hash that begins with it, or is left out there (Django 1.4 on). */
export const djangoCrypt = defineEnvelope({
  name: 'django-crypt',
  displayName: 'Django crypt',
  looksLike: '`crypt$[<salt>]$<13 characters of DES crypt>`',
  shape: /^crypt\$[./0-9A-Za-z]*\$[./0-9A-Za-z]{13}$/,
  forms: [
    {
      // Two characters of the salt count, whatever follows them.
      before: /crypt\$(?:(?<salt>[./0-9A-Za-z]{2})[./0-9A-Za-z]*)?\$(?=\k<salt>)/,
      inner: [algorithmOf(CRYPT, 'des-crypt')],
      decoyBefore: 'crypt$$',
    },
  ],
});
