import { createHash, createHmac } from 'node:crypto';
import { BASE64 } from '../formats/encodings.ts';
import { bytesOf, encodedPart } from '../formats/hash-part.ts';
import type { Groups } from '../formats/hash-pattern.ts';
import { PHP_TRIMMED, SLASHED } from '../kdf/password-reading.ts';
import { phpTrim, textOf } from '../kdf/password-text.ts';
import { HashRefused } from '../verifier.ts';
import { BCRYPT_SHAPE, BCRYPT_WITH_SECRET_SHAPE, bcrypt, bcryptLike, PEPPERED } from './bcrypt.ts';
import { fromAdonis, fromPasslib, inAdonis, inPasslib } from './bcrypt-spellings.ts';
import { defineEnvelope, digestKey, type Envelope, type EnvelopeForm } from './define-envelope.ts';

type BcryptForm = Omit<EnvelopeForm, 'inner'>;
type Row = Omit<Envelope<never>, 'forms'>;

const bcryptIn = (row: Row, ...forms: BcryptForm[]) =>
  defineEnvelope({ ...row, forms: forms.map((form) => ({ ...form, inner: [bcrypt] })) });

const LOOKS_LIKE_BCRYPT = '`$2<a|b|x|y>$…`, as bcrypt';

const hexOf = (digest: string) => (password: Buffer) =>
  Buffer.from(createHash(digest).update(password).digest('hex'), 'latin1');

const base64Of = (bytes: Buffer) => Buffer.from(bytes.toString('base64'), 'latin1');

/** Families of bcrypt of a hexadecimal digest. Their hashes look exactly like plain bcrypt. */
const bcryptOfHex = (name: string, digest: string, aliases: readonly string[]) =>
  bcryptIn(
    {
      name,
      aliases,
      displayName: `BCrypt of ${digest.toUpperCase()}`,
      looksLike: LOOKS_LIKE_BCRYPT,
      shape: BCRYPT_SHAPE,
      byNameOnly: true,
    },
    { before: /(?:)/, key: digestKey(hexOf(digest)) },
  );

/** WordPress refuses longer passwords. */
const MAX_WORDPRESS_BYTES = 4096;

export const BCRYPT_WRAPPED = [
  bcryptOfHex('bcrypt-md5', 'md5', ['vbulletin5', 'drupal-md5-bcrypt']),
  bcryptOfHex('bcrypt-sha1', 'sha1', []),
  bcryptOfHex('bcrypt-sha256', 'sha256', ['meteor', 'rocketchat']),
  bcryptOfHex('bcrypt-sha512', 'sha512', ['nodebb']),
  bcryptIn(
    {
      name: 'bcrypt-sha256-passlib',
      displayName: 'passlib BCrypt-SHA256',
      looksLike: '`$bcrypt-sha256$v=2,t=2b,r=<cost>$<salt>$<digest>`, `$bcrypt-sha256$2b,<cost>$…`',
      shape: /^\$bcrypt-sha256\$/,
    },
    {
      before: /\$bcrypt-sha256\$(?=2)/,
      unwrap: fromPasslib,
      wrap: inPasslib,
      key: digestKey((password) => base64Of(createHash('sha256').update(password).digest())),
    },
    {
      before: /\$bcrypt-sha256\$(?=v)/,
      unwrap: fromPasslib,
      wrap: inPasslib,
      // The key of passlib's HMAC is the text of the bcrypt salt, not its decoded bytes.
      key: digestKey(
        (password, _secret, { encoded }) =>
          base64Of(createHmac('sha256', encoded.slice(7, 29)).update(password).digest()),
        ({ encoded }) => encoded.slice(7, 29),
      ),
    },
  ),
  bcryptIn(
    {
      name: 'django-bcrypt-sha256',
      displayName: 'Django BCrypt-SHA256',
      looksLike: '`bcrypt_sha256$$2b$…`',
      shape: /^bcrypt_sha256\$\$2/,
    },
    { before: /bcrypt_sha256\$/, key: digestKey(hexOf('sha256')) },
  ),
  bcryptIn(
    {
      name: 'django-bcrypt',
      displayName: 'Django BCrypt',
      looksLike: '`bcrypt$$2b$…`',
      shape: /^bcrypt\$\$2/,
    },
    { before: /bcrypt\$/ },
  ),
  bcryptIn(
    {
      name: 'wordpress-bcrypt',
      aliases: ['wordpress'],
      displayName: 'WordPress BCrypt',
      looksLike: '`$wp$2y$…` (WordPress from 6.8)',
      shape: /^\$wp\$2/,
      secondReading: SLASHED,
    },
    {
      before: /\$wp/,
      key: {
        of: (password) =>
          password.length > MAX_WORDPRESS_BYTES
            ? undefined
            : base64Of(createHmac('sha384', 'wp-sha384').update(phpTrim(password)).digest()),
        isOnly: PHP_TRIMMED.isOnly,
      },
    },
  ),
  bcryptIn(
    {
      name: 'bcrypt-pepper',
      aliases: ['devise', 'clearance'],
      displayName: 'BCrypt with a pepper',
      looksLike: '`$2<a|b|y>$…`, as bcrypt',
      shape: BCRYPT_WITH_SECRET_SHAPE,
      byNameOnly: true,
    },
    {
      before: /(?=\$2[aby]\$)/,
      needsSecret: true,
      key: PEPPERED,
    },
  ),
  bcryptIn(
    {
      name: 'smf2',
      displayName: 'SMF 2.1',
      looksLike: '`$smf2$u=<user name in base64>$2y$…`',
      shape: /^\$smf2\$u=/,
    },
    {
      before: /\$smf2\$u=(?<user>[^$]*)(?=\$)/,
      check: (groups) => void userOf(groups),
      decoyBefore: (groups) => `$smf2$u=${Buffer.alloc(userOf(groups).length).toString('base64')}`,
      describe: (groups) => ({ userBytes: userOf(groups).length }),
      key: {
        of: (password, _secret, { groups }) => withName(groups, password),
        identity: ({ groups }) => lowered(userOf(groups)).toString('base64'),
        isOnly: (password, { isOnlyInner, opened }) => isOnlyInner(withName(opened.groups, password)),
      },
    },
  ),
  bcryptIn(
    {
      name: 'wbb4',
      aliases: ['woltlab'],
      displayName: 'WoltLab double BCrypt',
      looksLike: '`DoubleBcrypt:$2a$08$…`, `Bcrypt:$2y$…`; without its mark the first must be named',
      reference: {
        formula: '100 ms × 2^(cost − 10), as bcrypt runs twice; half of it behind `Bcrypt:`',
        examples: 'cost 8: 25 ms',
        measured: 'as BCrypt',
      },
      shape: /^(?:Double)?Bcrypt:\$2/,
      shapeByName: BCRYPT_SHAPE,
    },
    { before: /Bcrypt:/ },
    {
      before: /(?:DoubleBcrypt:)?/,
      decoyBefore: 'DoubleBcrypt:',
      times: 2,
      // The second bcrypt hashes the output of the first with the same salt, as WoltLab Suite before 5.4 did.
      key: {
        of: async (password, _secret, { encoded }) =>
          Buffer.from(await bcryptLike(encoded, password), 'latin1'),
        // The second bcrypt hashes the whole first hash, which begins with the variant (`$2a$`, `$2b$`,
        // `$2y$`).
        identity: ({ encoded }) => encoded.slice(0, 4),
        isOnly: (password, { isOnlyInner }) => isOnlyInner(password),
      },
    },
  ),
  bcryptIn(
    {
      name: 'jenkins',
      displayName: 'Jenkins',
      looksLike: '`#jbcrypt:$2a$…`',
      shape: /^#jbcrypt:/,
    },
    { before: /#jbcrypt:/ },
  ),
  bcryptIn(
    {
      name: 'bcrypt-phc-adonis',
      displayName: 'Adonis BCrypt',
      looksLike: '`$bcrypt$v=98$r=<cost>$<salt>$<digest>`, both in base64',
      shape: /^\$bcrypt\$/,
    },
    { before: /\$bcrypt\$/, unwrap: fromAdonis, wrap: inAdonis },
  ),
];

function userOf({ user = '' }: Groups): Buffer {
  const bytes = bytesOf(encodedPart('user name', user, BASE64));
  if (textOf(bytes) === undefined) throw new HashRefused('format', 'user name is not UTF-8');
  return bytes;
}

const withName = (groups: Groups, password: Buffer) => Buffer.concat([lowered(userOf(groups)), password]);

const lowered = (user: Buffer) => Buffer.from(textOf(user)?.toLowerCase() ?? '', 'utf8');
