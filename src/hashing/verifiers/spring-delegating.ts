import { defineAlgorithm } from '../algorithm.ts';
import { patternSpelling } from '../formats/digest-spelling.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { DIGEST_BYTES } from '../kdf/digests.ts';
import { MD4_BYTES } from '../kdf/md4.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { algorithmOf, defineEnvelope } from './define-envelope.ts';
import { definePbkdf2 } from './define-pbkdf2.ts';
import { DIGEST_MEMORY_BYTES, defineSaltedDigest } from './define-salted-digest.ts';
import { LDAP_DIGESTS } from './ldap-digests.ts';
import { spelling } from './pbkdf2-spelling.ts';
import { plainText } from './plain-text.ts';
import { digestRounds } from './salted-rounds.ts';
import { SCRYPT } from './scrypt-dialects.ts';
import { type SpringDigest, springDigest } from './spring-messagedigest.ts';

const HASH_BYTES = 32;

/**
 * Spring Security's PBKDF2 hashes have salt and hash in one value. A secret follows the salt, if there is
 * one.
 */
function defineSpringPbkdf2(row: { digest: 'sha1' | 'sha256'; iterations: number; saltBytes: number }) {
  const { digest, iterations, saltBytes } = row;
  const source = new RegExp(`(?<salt>[0-9a-f]{${2 * saltBytes}})(?<hash>[0-9a-f]{${2 * HASH_BYTES}})`);
  return definePbkdf2({
    name: `pbkdf2-${digest}`,
    displayName: 'PBKDF2',
    looksLike: `\`<${2 * (saltBytes + HASH_BYTES)} hexadecimal digits>\``,
    shape: new RegExp(`^${source.source}$`),
    secret: 'optional',
    ...spelling(source, {
      looksLike: `${2 * (saltBytes + HASH_BYTES)} lower-case hexadecimal digits`,
      salt: HEX,
      hash: HEX,
      digest,
      iterations: () => String(iterations),
    }),
  });
}

const pbkdf2 = defineSpringPbkdf2({ digest: 'sha1', iterations: 185_000, saltBytes: 8 });
const pbkdf2Of58 = defineSpringPbkdf2({ digest: 'sha256', iterations: 310_000, saltBytes: 16 });

const STANDARD_ROUNDS = 1024;
const STANDARD = new HashPattern(/(?<salt>[0-9a-f]{16})(?<hash>[0-9a-f]{64})/, {
  parts: { salt: HEX, hash: HEX },
  looksLike: '80 lower-case hexadecimal digits',
});

/** Hashes of Spring's StandardPasswordEncoder. Its secret is digested between salt and password. */
const standardSha256 = defineAlgorithm({
  name: 'sha256-rounds',
  displayName: 'SHA-256 × 1024',
  looksLike: '`<80 hexadecimal digits>`',
  strength: 'broken',
  reference: { formula: '1.1 ms', examples: 'any: 1.1 ms', measured: '0.92 ms' },
  shape: /^[0-9a-f]{80}$/,
  secret: 'optional',
  parser: () => (encoded) => {
    const groups = STANDARD.read(encoded);
    return { salt: STANDARD.part(groups, 'salt'), hash: STANDARD.part(groups, 'hash') };
  },
  cost: () => ({ memoryBytes: DIGEST_MEMORY_BYTES, ms: 1.1, runsOn: 'worker' }),
  password: () => BYTES,
  decoy: (_parsed, encoded) => STANDARD.zeroed(encoded),
  compute: {
    digest: ({ hash }) => bytesOf(hash),
    of: ({ salt }, password, secret) =>
      digestRounds('sha256', STANDARD_ROUNDS, [bytesOf(salt), secret, password]),
  },
});

function defineDigest(digest: SpringDigest) {
  const bytes = digest === 'md4' ? MD4_BYTES : DIGEST_BYTES[digest];
  return defineSaltedDigest({
    name: digest,
    spelling: patternSpelling(
      new RegExp(`(?:\\{(?<salt>[^{}\\p{Cc}\\p{Cs}]+)\\})?(?<hash>[0-9a-f]{${2 * bytes}})`, 'u'),
      {
        looksLike: `[{<salt>}]<${2 * bytes} lower-case hexadecimal digits>`,
        salt: TEXT,
        hash: HEX,
        bytes,
      },
    ),
    password: BYTES,
    digest: ({ password, salt }) =>
      springDigest(digest, password, salt.length === 0 ? salt : Buffer.concat([OPEN, salt, CLOSE])),
  });
}
const [OPEN, CLOSE] = [Buffer.from('{'), Buffer.from('}')];

/**
 * Spring Security's DelegatingPasswordEncoder. LDAP directories use some of the names, followed by base64.
 */
export const springDelegating = defineEnvelope({
  name: 'spring-delegating',
  aliases: ['spring', 'spring-security', 'spring-pbkdf2'],
  displayName: 'Spring Security',
  looksLike: '`{<id>}…` of a `DelegatingPasswordEncoder`; by name also the digits of `{pbkdf2…}` alone',
  shape:
    /^\{(?:(?:bcrypt|noop|ldap|MD4|SHA-1|SHA-256|(?:pbkdf2|scrypt|argon2)(?:@SpringSecurity_v5_8)?)\}|sha256\}[0-9a-f]{80}$|MD5\}(?:\{|[0-9a-f]{32}$))/,
  shapeByName: /^(?:[0-9a-f]{80}|[0-9a-f]{96})$/,
  strength: 'strong',
  forms: [
    { before: /\{bcrypt\}/, inner: [bcrypt] },
    {
      before: /\{argon2(?:@SpringSecurity_v5_8)?\}/,
      inner: [argon2],
      decoyBefore: '{argon2}',
    },
    {
      before: /\{scrypt(?:@SpringSecurity_v5_8)?\}/,
      inner: [algorithmOf(SCRYPT, 'spring-scrypt')],
      decoyBefore: '{scrypt}',
    },
    { before: /(?:\{pbkdf2\}|(?=[0-9a-f]{80}$))/, inner: [pbkdf2], decoyBefore: '{pbkdf2}' },
    {
      before: /(?:\{pbkdf2@SpringSecurity_v5_8\}|(?=[0-9a-f]{96}$))/,
      inner: [pbkdf2Of58],
      decoyBefore: '{pbkdf2@SpringSecurity_v5_8}',
    },
    { before: /\{sha256\}/, inner: [standardSha256] },
    { before: /\{MD4\}/, inner: [defineDigest('md4')] },
    { before: /\{MD5\}/, inner: [defineDigest('md5')] },
    { before: /\{SHA-1\}/, inner: [defineDigest('sha1')] },
    { before: /\{SHA-256\}/, inner: [defineDigest('sha256')] },
    {
      before: /\{ldap\}(?=\{)/,
      inner: [algorithmOf(LDAP_DIGESTS, 'ldap-ssha'), algorithmOf(LDAP_DIGESTS, 'ldap-sha')],
    },
    // Spring's LdapShaPasswordEncoder compares a text without a scheme with the password itself.
    { before: /\{ldap\}(?!\{)/, inner: [plainText], decoyBefore: '{noop}' },
    { before: /\{noop\}/, inner: [plainText] },
  ],
});
