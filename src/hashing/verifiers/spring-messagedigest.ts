import { canonicalReader, emptyCanonical } from '../formats/canonical.ts';
import {
  base64Source,
  canonicalShape,
  type DigestSpelling,
  type DigestText,
  eitherSpelling,
  sized,
  wholeShape,
} from '../formats/digest-spelling.ts';
import { HEX, PADDED_BASE64, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { requiredField } from '../formats/named-fields.ts';
import { oneOf } from '../formats/one-of.ts';
import { DIGEST_BYTES, type DigestName, digestFunction } from '../kdf/digests.ts';
import { MD4_BYTES, md4 } from '../kdf/md4.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { HashRefused } from '../verifier.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

export type SpringDigest = DigestName | 'md4';

interface SpringHash extends DigestText {
  digest: SpringDigest;
  /** Salt of the hash, with the braces that Spring puts around it. */
  salt: HashPart;
}

const SIZES: Record<SpringDigest, number> = { md4: MD4_BYTES, ...DIGEST_BYTES };

/** The braces are part of the salt, as in Spring. An empty `bracedSalt` means no salt. */
export function springDigest(digest: SpringDigest, password: Buffer, bracedSalt: Buffer): Buffer {
  return digest === 'md4' ? md4(password, bracedSalt) : digestFunction(digest)(password, bracedSalt);
}

const NAME = 'spring-messagedigest';
const readCanonical = canonicalReader(NAME, ['d']);

const CANONICAL: DigestSpelling<SpringHash> = {
  looksLike: `\`$${NAME}$d=<md4|md5|sha1|…|sha512>$<salt>$<hash>\``,
  shape: canonicalShape(NAME),
  read(encoded) {
    const { fields, salt, hash } = readCanonical(encoded);
    const digest = oneOf('d', requiredField(fields, 'd'), SIZES);
    return { digest, salt: braced(salt), hash: sized('hash', hash, SIZES[digest]) };
  },
  decoy: ({ digest, salt, hash }) => emptyCanonical(NAME, { d: digest, salt: bracedZeros(salt), hash }),
};

const DIGEST_SIZES = Object.values(DIGEST_BYTES);
const HEX_SOURCE = DIGEST_SIZES.map((bytes) => `[0-9a-f]{${2 * bytes}}`).join('|');
const BASE64_SOURCE = DIGEST_SIZES.map(base64Source).join('|');
const STORED_SOURCE = new RegExp(
  `(?<salt>\\{[^{}\\p{Cc}\\p{Cs}]*\\})?(?:(?<hex>${HEX_SOURCE})|(?<base64>${BASE64_SOURCE}))`,
  'u',
);
const STORED_PATTERN = new HashPattern(STORED_SOURCE, {
  parts: { salt: TEXT, hex: HEX, base64: PADDED_BASE64 },
  looksLike: '[{<salt>}]<hex or base64>',
});
const BY_SIZE = new Map(
  Object.entries(DIGEST_BYTES).map(([name, bytes]) => [bytes as number, name as DigestName]),
);

/** Syntax in which Spring stores hashes. 16 bytes are MD5; Spring's separate MD4 needs the canonical form. */
const STORED: DigestSpelling<SpringHash> = {
  looksLike: '`[{<salt>}]<hex or base64>`',
  shape: wholeShape(STORED_SOURCE),
  read(encoded) {
    const groups = STORED_PATTERN.read(encoded);
    const hash = STORED_PATTERN.part(groups, groups.hex === undefined ? 'base64' : 'hex');
    const digest = BY_SIZE.get(hash.length);
    if (digest === undefined)
      throw new HashRefused(
        'format',
        `hash has ${hash.length} bytes, which is not the length of an MD5 or SHA digest`,
      );
    return { digest, salt: STORED_PATTERN.part(groups, 'salt'), hash };
  },
  decoy: ({ digest, salt, hash }) => CANONICAL.decoy({ digest, salt, hash }, ''),
};

/**
 * A salt from a column of its own has no braces, which Spring adds; one cut from the stored hash has them.
 */
function braced(salt: HashPart): HashPart {
  const text = bytesOf(salt).toString('latin1');
  if (text === '' || /^\{[^{}]*\}$/.test(text)) return salt;
  return { text: btoa(`{${text}}`), length: salt.length + 2 };
}

function bracedZeros({ length }: HashPart): string {
  return length === 0 ? '' : btoa(`{${'0'.repeat(length - 2)}}`);
}

/** Hashes of Spring Security's MessageDigestPasswordEncoder and Md4PasswordEncoder. */
export const springMessageDigest = defineSaltedDigest<SpringHash>({
  name: NAME,
  displayName: 'Spring message digest',
  byNameOnly: true,
  spelling: eitherSpelling(CANONICAL, STORED),
  password: BYTES,
  digest: ({ password, salt }, { digest }) => springDigest(digest, password, salt),
  describe: ({ digest }) => ({ digest }),
});
