import { createHash, createHmac } from 'node:crypto';
import { defineAlgorithm } from '../algorithm.ts';
import { HEX } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { AS_PHPBB_READS, BYTES, DECOMPOSED, SLASHED } from '../kdf/password-reading.ts';
import { argon2 } from './argon2.ts';
import { BCRYPT_WITH_SECRET_SHAPE, bcrypt, PEPPERED } from './bcrypt.ts';
import { algorithmOf, defineEnvelope, digestKey } from './define-envelope.ts';
import { djangoCrypt } from './django-crypt.ts';
import { dovecot } from './dovecot.ts';
import { ldapCrypt } from './ldap-crypt.ts';
import { mediawiki } from './mediawiki.ts';
import { PBKDF2 } from './pbkdf2-dialects.ts';
import { PHPASS } from './phpass.ts';
import { HEX_DIGESTS } from './plain-digests.ts';
import { springDelegating } from './spring-delegating.ts';

const SHA1_PATTERN = new HashPattern(/(?<digest>[0-9a-f]{40})/, {
  parts: { digest: HEX },
  looksLike: '40 lower-case hexadecimal digits',
});

/** ownCloud's first hashes, which look like too many other hashes to have a public name. */
const bareSha1 = defineAlgorithm({
  name: 'sha1',
  displayName: 'SHA-1',
  looksLike: '40 hexadecimal digits',
  strength: 'broken',
  reference: { formula: '0.01 ms', examples: '0.01 ms', measured: '0.003 ms' },
  shape: /^[0-9a-f]{40}$/,
  parser: () => (encoded) => ({ digest: SHA1_PATTERN.part(SHA1_PATTERN.read(encoded), 'digest') }),
  cost: () => ({ memoryBytes: 1024, ms: 0.01, runsOn: 'event-loop' }),
  password: () => BYTES,
  decoy: (_parsed, encoded) => SHA1_PATTERN.zeroed(encoded),
  compute: {
    digest: ({ digest }) => bytesOf(digest),
    of: (_parsed, password) => createHash('sha1').update(password).digest(),
  },
});

export const ENVELOPES = [
  defineEnvelope({
    name: 'django-argon2',
    displayName: 'Django Argon2',
    looksLike: '`argon2$argon2id$…`',
    shape: /^argon2\$argon2/,
    forms: [{ before: /argon2(?=\$)/, inner: [argon2] }],
  }),
  defineEnvelope({
    name: 'argon2-sha256',
    aliases: ['meteor-argon2'],
    displayName: 'Argon2 of SHA256',
    looksLike: '`$argon2<d|i|id>$…`, as argon2, of the hexadecimal SHA-256 of the password (Meteor 3)',
    shape: /^\$argon2(?:id|i|d)\$/,
    byNameOnly: true,
    forms: [
      {
        before: /(?:)/,
        inner: [argon2],
        key: digestKey((password) =>
          Buffer.from(createHash('sha256').update(password).digest('hex'), 'latin1'),
        ),
      },
    ],
  }),
  defineEnvelope({
    name: 'shiro2',
    displayName: 'Shiro 2',
    looksLike: '`$shiro2$argon2id$…`, `$shiro2$2y$…`',
    shape: /^\$shiro2\$/,
    forms: [{ before: /\$shiro2(?=\$)/, inner: [argon2, bcrypt] }],
  }),
  defineEnvelope({
    name: 'flask-security',
    displayName: 'Flask-Security',
    looksLike: '`$2b$…`, `$argon2id$…` or `$pbkdf2-sha512$<iterations>$…`',
    shape: /^\$(?:2[abxy]\$|argon2|pbkdf2(?:-sha224|-sha256|-sha384|-sha512)?\$[0-9])/,
    byNameOnly: true,
    secondReading: DECOMPOSED,
    forms: [
      {
        before: /(?:)/,
        inner: [bcrypt, argon2, algorithmOf(PBKDF2, 'pbkdf2-passlib')],
        needsSecret: true,
        key: digestKey((password, secret) =>
          Buffer.from(createHmac('sha512', secret).update(password).digest('base64'), 'latin1'),
        ),
      },
    ],
  }),
  defineEnvelope({
    name: 'nextcloud',
    aliases: ['owncloud'],
    displayName: 'Nextcloud',
    looksLike:
      '`1|$2y$…`, `2|$argon2i$…`, `3|$argon2id$…`; by name also `$2a$…` (with its secret) and bare SHA-1',
    shape: /^(?:1\|\$2|2\|\$argon2id?\$|3\|\$argon2id\$)/,
    shapeByName: new RegExp(`${BCRYPT_WITH_SECRET_SHAPE.source}|^[0-9a-f]{40}$`),
    forms: [
      { before: /1\|/, inner: [bcrypt] },
      // PHP's argon2id was in use before Nextcloud introduced version 3.
      { before: /(?:2\|(?=\$argon2id?\$)|3\|(?=\$argon2id\$))/, inner: [argon2], decoyBefore: '2|' },
      {
        before: /(?=\$2[aby]\$)/,
        inner: [bcrypt],
        decoyBefore: '1|',
        needsSecret: true,
        key: PEPPERED,
      },
      { before: /(?=[0-9a-f])/, inner: [bareSha1] },
    ],
  }),
  defineEnvelope({
    name: 'wordpress-compat',
    displayName: 'WordPress without a mark',
    looksLike:
      '`$2y$…`, `$argon2id$…`, `<32 lower-case hex digits>`: what WordPress verifies besides its own',
    shape: /^(?:\$2[abxy]\$|\$argon2|[0-9a-f]{32}$)/,
    byNameOnly: true,
    // Many other systems write hashes of the same form.
    rank: 1,
    secondReading: SLASHED,
    forms: [{ before: /(?:)/, inner: [bcrypt, argon2, algorithmOf(HEX_DIGESTS, 'hex-md5')] }],
  }),
  defineEnvelope({
    name: 'phpbb',
    displayName: 'phpBB',
    looksLike: '`$2y$…`, `$argon2id$…`, `$H$…`: hashes of passwords that are escaped for HTML',
    shape: /^\$(?:2[abxy]\$|argon2|H\$)/,
    byNameOnly: true,
    rank: 1,
    forms: [
      {
        // phpBB writes no phpass hashes with the prefix `$P$`.
        before: /(?!\$P\$)/,
        inner: [bcrypt, argon2, algorithmOf(PHPASS, 'phpass')],
        key: {
          of: (password) => AS_PHPBB_READS.of(password),
          isOnly(password, { isOnlyInner }) {
            const read = AS_PHPBB_READS.of(password);
            return read !== undefined && AS_PHPBB_READS.isOnly(password) && isOnlyInner(read);
          },
        },
      },
    ],
  }),
  ldapCrypt,
  djangoCrypt,
  dovecot,
  mediawiki,
  springDelegating,
];
