import { ANY_HEX, PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, encodedPart } from '../formats/hash-part.ts';
import { DIGEST_BYTES } from '../kdf/digests.ts';
import { textOf } from '../kdf/password-text.ts';
import { HashRefused } from '../verifier.ts';
import { argon2 } from './argon2.ts';
import { algorithmOf, defineEnvelope, type EnvelopeForm } from './define-envelope.ts';
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
    'DIGEST-MD5 also digests the user name: expected $dovecot$u=<user>$$<hash>, both in base64',
  );
}

function scramOfDovecot(canonical: string): string {
  const [, , params = '', salt, keys = ''] = canonical.split('$');
  const [, size, iterations] = /^d=sha([0-9]+),i=([0-9]+)$/.exec(params) ?? [];
  const bytes = Buffer.from(keys, 'base64');
  const half = bytes.subarray(0, bytes.length / 2).toString('base64');
  return `{SCRAM-SHA-${size}}${iterations},${salt},${half},${half}`;
}

/** Encodings that the scheme of a Dovecot hash may name after a dot, as in `{SSHA.HEX}`. */
const ENCODINGS = { B64: PADDED_BASE64, BASE64: PADDED_BASE64, HEX: ANY_HEX };

function decodedText(value: Buffer): string {
  const text = textOf(value);
  if (text === undefined) throw new HashRefused('format', 'value is not UTF-8 when it is decoded');
  return text;
}

/**
 * Adds a form for each encoding that may follow the scheme, as in `{MD5.HEX}`.
 * @param schemes a regular expression
 * @param read returns the text that a decoded value has without an encoding
 */
const inEachEncoding = <const Form extends Omit<EnvelopeForm, 'before'>>(
  schemes: string,
  form: Form,
  read: (value: Buffer) => string = decodedText,
) => [
  { ...form, before: new RegExp(`\\{(?:${schemes})\\}`, 'i') },
  ...Object.entries(ENCODINGS).map(([name, encoding]) => ({
    ...form,
    before: new RegExp(`\\{(?:${schemes})\\.${name}\\}`, 'i'),
    unwrap(rest: string) {
      const value = read(bytesOf(encodedPart('value', rest, encoding)));
      return form.unwrap?.(value) ?? value;
    },
  })),
];

const inHex = (value: Buffer) => value.toString('hex');

/** Schemes of LDAP directories belong to the directories unless a request names Dovecot. */
export const dovecot = defineEnvelope({
  name: 'dovecot',
  displayName: 'Dovecot',
  looksLike:
    '`{<scheme>}…`, `{<scheme>.B64}…`, `$dovecot$u=<user>$$<hash of DIGEST-MD5>`; some schemes only by name',
  strength: 'legacy',
  shape:
    /^(?:\{(?:(?:BLF|MD5|SHA256|SHA512|DES)-CRYPT|ARGON2(?:I|ID)?|PLAIN-MD[45]|(?:LDAP|CRAM|HMAC|DIGEST)-MD5|NTLM|SHA1|PLAIN|CLEAR|CLEARTEXT)[.}]|\{MD5\}\$1\$|\{(?:CRYPT|SCRAM-SHA-(?:1|256)|PBKDF2)\.|\{MD5\.(?:[Bb]64|BASE64|base64|HEX|hex)\}.{40}|\$dovecot\$)/,
  shapeByName:
    /^\{(?:(?:BLF-|MD5-|SHA256-|SHA512-|DES-)?CRYPT|ARGON2(?:I|ID)?|PLAIN-MD[45]|(?:LDAP-|CRAM-|HMAC-|DIGEST-|S)?MD5|NTLM|S?SHA(?:1|256|384|512)?|PLAIN|CLEAR|CLEARTEXT|SCRAM-SHA-(?:1|256)|PBKDF2)[.}]/i,
  forms: [
    // crypt(3) detects the algorithm from the hash. It may be another one than the scheme says.
    ...inEachEncoding('(?:(?:BLF|SHA256|SHA512|DES)-)?CRYPT', {
      inner: CRYPT_STRINGS,
      decoyBefore: '{CRYPT}',
    }),
    ...inEachEncoding(
      'MD5(?:-CRYPT)?',
      { inner: [algorithmOf(MD5_CRYPT, 'md5-crypt')], decoyBefore: '{CRYPT}' },
      // A decoded value of 16 bytes is an MD5 digest. Its hexadecimal digits match the form for MD5 digests
      // below.
      (value) => (value.length === DIGEST_BYTES.md5 ? inHex(value) : decodedText(value)),
    ),
    ...inEachEncoding('ARGON2(?:I|ID)?', { inner: [argon2], decoyBefore: '{ARGON2}' }),
    ...inEachEncoding(
      '(?:PLAIN-|LDAP-)?MD5',
      {
        inner: [hexMd5],
        decoyBefore: '{PLAIN-MD5}',
        // The same digest in base64 is parsed as LDAP's MD5, so both must have the same identity.
        identity: (inner) => ldapMd5.identity({ digest: 'md5', ...inner }),
      },
      inHex,
    ),
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
    ...inEachEncoding(
      'PLAIN-MD4',
      { inner: [algorithmOf(HEX_DIGESTS, 'hex-md4')], decoyBefore: '{PLAIN-MD4}' },
      inHex,
    ),
    ...inEachEncoding('NTLM', { inner: [algorithmOf(HEX_DIGESTS, 'nthash')], decoyBefore: '{NTLM}' }, inHex),
    ...inEachEncoding('(?:CRAM|HMAC)-MD5', { inner: [cramMd5], decoyBefore: '{CRAM-MD5}' }, inHex),
    ...inEachEncoding('DIGEST-MD5', { inner: [hexMd5], check: refuseDigestMd5 }, inHex),
    { before: /(?=\$dovecot\$)/, inner: [digestMd5] },
    ...inEachEncoding('PLAIN|CLEAR|CLEARTEXT', { inner: [plainText], decoyBefore: '{PLAIN}' }),
    ...inEachEncoding('PBKDF2', {
      unwrap: (rest) => `{PBKDF2}${rest}`,
      inner: [algorithmOf(PBKDF2_OF_DIRECTORIES, 'ldap-pbkdf2')],
      decoyBefore: '',
    }),
    ...['SCRAM-SHA-1', 'SCRAM-SHA-256'].flatMap((scheme) =>
      inEachEncoding(scheme, {
        unwrap: (rest) => `{${scheme}}${rest}`,
        inner: [algorithmOf(SCRAM, 'scram')],
        wrap: scramOfDovecot,
        decoyBefore: '',
      }),
    ),
    { before: /(?=\{)/, inner: LDAP_DIGESTS },
  ],
});
