import type { DigestSpelling, DigestText } from '../formats/digest-spelling.ts';
import { sized, wholeShape } from '../formats/digest-spelling.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { DIGEST_BYTES, type DigestName, digestFunction, hmac } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

interface WerkzeugHash extends DigestText {
  digest: DigestName;
}

const SOURCE =
  /(?<digest>md5|sha1|sha224|sha256|sha384|sha512)\$(?<salt>[^$\p{Cc}\p{Cs}]*)\$(?<hash>[0-9a-f]+)/u;
const PATTERN = new HashPattern(SOURCE, {
  parts: { salt: TEXT, hash: HEX },
  looksLike: '<md5|sha1|sha224|sha256|sha384|sha512>$<salt>$<lower-case hex>',
});

const SPELLING: DigestSpelling<WerkzeugHash> = {
  looksLike: '`<md5|sha1|sha224|sha256|sha384|sha512>$<salt>$<lower-case hex>`',
  shape: wholeShape(SOURCE),
  read(encoded) {
    const groups = PATTERN.read(encoded);
    const digest = groups.digest as DigestName;
    const hash = sized('hash', PATTERN.part(groups, 'hash'), DIGEST_BYTES[digest]);
    return { digest, hash, salt: PATTERN.part(groups, 'salt') };
  },
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded),
};

/**
 * Single digests of Werkzeug before 2.3, HMACs if there is a salt. Django's salted digests look the same but
 * are no HMACs, so a request must name this family.
 */
export const werkzeugLegacy = defineSaltedDigest<WerkzeugHash>({
  name: 'werkzeug-legacy',
  displayName: 'old Werkzeug',
  byNameOnly: true,
  spelling: SPELLING,
  password: BYTES,
  digest: ({ password, salt }, { digest }) =>
    salt.length === 0 ? digestFunction(digest)(password) : hmac(digest, salt, password),
  describe: ({ digest }) => ({ digest }),
});
