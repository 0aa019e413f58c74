import { canonicalSpelling, type DigestSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { DIGEST_BYTES, hex, md5, sha1 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { escapeHtml } from '../kdf/password-text.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

/** The salt may be any text, including colons, but may not contain a hash of the same form. */
const HASH_AND_SALT: DigestSpelling = patternSpelling(
  /(?<hash>[0-9a-f]{32}):(?!.*[0-9a-f]{32}:)(?<salt>[^\p{Cc}\p{Cs}]+)/u,
  {
    looksLike: '`<32 lower-case hex digits>:<salt>`',
    hash: HEX,
    salt: TEXT,
    bytes: DIGEST_BYTES.md5,
  },
);

export const SHOP_DIGESTS = [
  defineSaltedDigest({
    name: 'joomla-md5',
    displayName: 'Joomla MD5',
    spelling: HASH_AND_SALT,
    byNameOnly: true,
    password: BYTES,
    digest: ({ password, salt }) => md5(password, salt),
  }),
  defineSaltedDigest({
    name: 'oscommerce',
    aliases: ['xtcommerce', 'zencart'],
    displayName: 'osCommerce',
    spelling: HASH_AND_SALT,
    byNameOnly: true,
    password: BYTES,
    digest: ({ password, salt }) => md5(salt, password),
  }),
  defineSaltedDigest({
    name: 'magento1',
    displayName: 'Magento 1',
    spelling: HASH_AND_SALT,
    byNameOnly: true,
    password: BYTES,
    digest: ({ password, salt }) => md5(salt, password),
  }),
  defineSaltedDigest({
    name: 'opencart',
    displayName: 'OpenCart',
    spelling: canonicalSpelling('opencart', { bytes: DIGEST_BYTES.sha1 }),
    password: BYTES,
    digest({ password, salt }) {
      // OpenCart up to 3.0 applied htmlspecialchars to all its input. Later versions make other hashes.
      return sha1(salt, hex(sha1(salt, hex(sha1(escapeHtml(password))))));
    },
  }),
  defineSaltedDigest({
    name: 'prestashop',
    displayName: 'PrestaShop',
    secret: 'required',
    spelling: canonicalSpelling('prestashop', { bytes: DIGEST_BYTES.md5, salt: 'none' }),
    password: BYTES,
    digest: ({ password, secret }) => md5(secret, password),
  }),
];
