import { patternSpelling } from '../formats/digest-spelling.ts';
import { HEX, PADDED_BASE64, TEXT } from '../formats/encodings.ts';
import { hex, md5 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { algorithmOf, defineEnvelope } from './define-envelope.ts';
import { definePbkdf2 } from './define-pbkdf2.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';
import { digestNamed, spelling } from './pbkdf2-spelling.ts';
import { HEX_DIGESTS } from './plain-digests.ts';

const saltedMd5 = defineSaltedDigest({
  name: 'md5-of-md5',
  spelling: patternSpelling(/(?<salt>[^:\p{Cc}\p{Cs}]+):(?<hash>[0-9a-f]{32})/u, {
    looksLike: '<salt>:<32 lower-case hexadecimal digits>',
    salt: TEXT,
    hash: HEX,
    bytes: 16,
  }),
  password: BYTES,
  digest: ({ password, salt }) => md5(salt, '-', hex(md5(password))),
});

const pbkdf2 = definePbkdf2({
  name: 'pbkdf2',
  displayName: 'PBKDF2',
  looksLike: '`<digest>:<iterations>:<bytes>:<salt>:<hash>`',
  shape: /^(?:md5|sha1|sha224|sha256|sha384|sha512):/,
  ...spelling(
    /(?<digest>md5|sha1|sha224|sha256|sha384|sha512):(?<iterations>[0-9]+):(?<bytes>[1-9][0-9]{0,3}):(?<salt>[^:]*):(?<hash>[^:]+)/,
    {
      looksLike: '<digest>:<iterations>:<bytes>:<salt>:<hash>, the last two in base64',
      salt: PADDED_BASE64,
      hash: PADDED_BASE64,
      digest: digestNamed,
      hashBytes: (_digest, { bytes }) => Number(bytes),
    },
  ),
});

/** MediaWiki's form of bcrypt: `<cost>$<salt>$<digest>`, with the cost in one digit if it is below 10. */
const BCRYPT = /^(?<cost>[1-9][0-9]?)\$(?<salt>[./0-9A-Za-z]{22})\$(?<digest>[./0-9A-Za-z]{31})$/;

function bcryptOf(rest: string): string {
  const { cost = '', salt, digest } = BCRYPT.exec(rest)?.groups ?? {};
  return salt === undefined ? '' : `$2y$${cost.padStart(2, '0')}$${salt}${digest}`;
}

function wrapBcrypt(encoded: string): string {
  const [cost, text] = [encoded.slice(4, 6), encoded.slice(7)];
  return `${Number(cost)}$${text.slice(0, 22)}$${text.slice(22)}`;
}

/** MediaWiki's layered hashes, which hash an older hash with the parameters of both, are refused. */
export const mediawiki = defineEnvelope({
  name: 'mediawiki',
  displayName: 'MediaWiki',
  looksLike:
    '`:pbkdf2:<digest>:<iterations>:<bytes>:<salt>:<hash>`, `:bcrypt:<cost>$<salt>$<digest>`, `:argon2:$argon2id$…`, `:B:<salt>:<hash>`, `:A:<hash>`',
  shape: /^:(?:[AB]|bcrypt|argon2|pbkdf2):/,
  strength: 'legacy',
  forms: [
    { before: /:A:(?=[0-9a-f])/, inner: [algorithmOf(HEX_DIGESTS, 'hex-md5')] },
    // MediaWiki reads a hash with the prefix `A` and a salt as one with the prefix `B`.
    { before: /:[AB]:/, inner: [saltedMd5], decoyBefore: ':B:' },
    { before: /:bcrypt:/, inner: [bcrypt], unwrap: bcryptOf, wrap: wrapBcrypt },
    { before: /:argon2:/, inner: [argon2] },
    { before: /:pbkdf2:/, inner: [pbkdf2] },
  ],
});
