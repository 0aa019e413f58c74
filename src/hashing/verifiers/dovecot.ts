import { HashRefused } from '../verifier.ts';
import { argon2 } from './argon2.ts';
import { algorithmOf, defineEnvelope } from './define-envelope.ts';
import { cramMd5, digestMd5 } from './dovecot-digests.ts';
import { CRYPT_STRINGS } from './ldap-crypt.ts';
import { LDAP_DIGESTS } from './ldap-digests.ts';
import { MD5_CRYPT } from './md5-crypt.ts';
import { PBKDF2_OF_DIRECTORIES } from './pbkdf2-directories.ts';
import { HEX_DIGESTS } from './plain-digests.ts';
import { plainText } from './plain-text.ts';
import { SCRAM } from './scram.ts';

const hexMd5 = algorithmOf(HEX_DIGESTS, 'hex-md5');
const ldapMd5 = algorithmOf(LDAP_DIGESTS, 'ldap-md5');

function refuseDigestMd5(): never {
  throw new HashRefused(
    'format',
    'DIGEST-MD5 is a digest of the user name, too: expected $dovecot$u=<user>$$<hash>, both in base64',
  );
}

/** Writes a canonical SCRAM hash as Dovecot does. */
function scramOfDovecot(canonical: string): string {
  const [, , params = '', salt, keys = ''] = canonical.split('$');
  const [, size, iterations] = /^d=sha([0-9]+),i=([0-9]+)$/.exec(params) ?? [];
  const bytes = Buffer.from(keys, 'base64');
  const half = bytes.subarray(0, bytes.length / 2).toString('base64');
  return `{SCRAM-SHA-${size}}${iterations},${salt},${half},${half}`;
}

/** What Dovecot keeps of passwords. Schemes that directories share with it are theirs, unless a request names Dovecot. */
export const dovecot = defineEnvelope({
  name: 'dovecot',
  displayName: 'Dovecot',
  looksLike:
    '`{BLF-CRYPT}`, `{SHA512-CRYPT}`, `{SHA256-CRYPT}`, `{MD5-CRYPT}`, `{MD5}$1$`, `{DES-CRYPT}`, `{ARGON2ID}`, `{ARGON2I}`, `{SHA1}`, `{PLAIN-MD5}`, `{LDAP-MD5}`, `{PLAIN-MD4}`, `{NTLM}`, `{CRAM-MD5}`, `{PLAIN}`, `$dovecot$u=<user>$$<hash of DIGEST-MD5>`; by name also `{CRYPT}`, `{SSHA512}`, `{SCRAM-SHA-256}`, `{PBKDF2}$1$` and others that directories have',
  strength: 'legacy',
  shape:
    /^(?:\{(?:(?:BLF|MD5|SHA256|SHA512|DES)-CRYPT|ARGON2(?:I|ID)?|PLAIN-MD[45]|(?:LDAP|CRAM|HMAC|DIGEST)-MD5|NTLM|SHA1|PLAIN|CLEAR|CLEARTEXT)[.}]|\{MD5\}\$1\$|\$dovecot\$)/,
  shapeByName:
    /^\{(?:(?:BLF-|MD5-|SHA256-|SHA512-|DES-)?CRYPT|ARGON2(?:I|ID)?|PLAIN-MD[45]|(?:LDAP-|CRAM-|HMAC-|DIGEST-|S)?MD5|NTLM|S?SHA(?:1|256|384|512)?|PLAIN|CLEAR|CLEARTEXT|SCRAM-SHA-(?:1|256)|PBKDF2)[.}]/i,
  forms: [
    // Whatever the scheme, crypt(3) goes by what is behind it.
    {
      before: /\{(?:(?:BLF|SHA256|SHA512|DES)-)?CRYPT\}/i,
      inner: CRYPT_STRINGS,
      decoyBefore: '{CRYPT}',
    },
    { before: /\{MD5(?:-CRYPT)?\}/i, inner: [algorithmOf(MD5_CRYPT, 'md5-crypt')], decoyBefore: '{CRYPT}' },
    { before: /\{ARGON2(?:I|ID)?\}/i, inner: [argon2], decoyBefore: '{ARGON2}' },
    {
      before: /\{(?:PLAIN-|LDAP-)?MD5\}/i,
      inner: [hexMd5],
      decoyBefore: '{PLAIN-MD5}',
      // The same digest in base64 is read as one of LDAP.
      identity: (inner) => ldapMd5.identity({ digest: 'md5', ...inner }),
    },
    {
      before: /\{(?:PLAIN|LDAP)-MD5(?=[.}])/i,
      unwrap: (rest) => `{MD5${rest}`,
      inner: [ldapMd5],
      decoyBefore: '',
    },
    {
      before: /\{SHA1(?=[.}])/i,
      unwrap: (rest) => `{SHA${rest}`,
      inner: [algorithmOf(LDAP_DIGESTS, 'ldap-sha')],
      decoyBefore: '',
    },
    { before: /\{PLAIN-MD4\}/i, inner: [algorithmOf(HEX_DIGESTS, 'hex-md4')], decoyBefore: '{PLAIN-MD4}' },
    { before: /\{NTLM\}/i, inner: [algorithmOf(HEX_DIGESTS, 'nthash')], decoyBefore: '{NTLM}' },
    { before: /\{(?:CRAM|HMAC)-MD5\}/i, inner: [cramMd5], decoyBefore: '{CRAM-MD5}' },
    { before: /\{DIGEST-MD5\}/i, inner: [hexMd5], check: refuseDigestMd5 },
    { before: /(?=\$dovecot\$)/, inner: [digestMd5] },
    { before: /\{(?:PLAIN|CLEAR|CLEARTEXT)\}/i, inner: [plainText], decoyBefore: '{PLAIN}' },
    { before: /(?=\{PBKDF2\}\$1\$)/, inner: [algorithmOf(PBKDF2_OF_DIRECTORIES, 'ldap-pbkdf2')] },
    { before: /(?=\{SCRAM-SHA-(?:1|256)\})/, inner: [algorithmOf(SCRAM, 'scram')], wrap: scramOfDovecot },
    { before: /(?=\{)/, inner: LDAP_DIGESTS },
  ],
});
