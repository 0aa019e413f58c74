import { canonicalSpelling, type DigestSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { DIGEST_BYTES, hex, md5, sha1 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

/** The looks of three families, which differ in the order. The salt may be any text and have colons, but is not another such hash. */
const HASH_AND_SALT: DigestSpelling = patternSpelling(
  /(?<hash>[0-9a-f]{32}):(?!.*[0-9a-f]{32}:)(?<salt>[^\p{Cc}\p{Cs}]+)/u,
  {
    looksLike: '`<32 lower-case hex digits>:<salt>`',
    hash: HEX,
    salt: TEXT,
    bytes: DIGEST_BYTES.md5,
  },
);

/** Digests of shops, and of a content system that writes them as shops do. */
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
      return sha1(salt, hex(sha1(salt, hex(sha1(asOpencartEscapes(password))))));
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

const ENTITIES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

/**
 * OpenCart up to 3.0, which is all that made these hashes, runs htmlspecialchars over all that it is sent, passwords too. Latin-1
 * stands for bytes here: all that is replaced is ASCII.
 */
function asOpencartEscapes(password: Buffer): Buffer {
  const text = password.toString('latin1').replace(/[&"<>]/g, (one) => ENTITIES[one] ?? one);
  return Buffer.from(text, 'latin1');
}
