import {
  type DigestSpelling,
  type DigestText,
  patternSpelling,
  sized,
  wholeShape,
} from '../formats/digest-spelling.ts';
import { PADDED_BASE64, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { DIGEST_BYTES, type DigestName, digestFunction, hex, hmac, md5 } from '../kdf/digests.ts';
import { hmacMd4, MD4_BYTES } from '../kdf/md4.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { HashRefused } from '../verifier.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

interface FormatHash extends DigestText {
  digest: DigestName;
  /** Text to digest, with {SALT} and {PASSWORD} as placeholders. Undefined for the password alone. */
  format: HashPart | undefined;
}

/** @see ory/kratos hash/hash_comparator.go */
function formatSpelling(
  source: RegExp,
  options: { digest: (name: string) => DigestName; looksLike: string },
): DigestSpelling<FormatHash> {
  const pattern = new HashPattern(source, {
    parts: { format: PADDED_BASE64, salt: PADDED_BASE64, hash: PADDED_BASE64 },
    looksLike: options.looksLike.replaceAll('`', ''),
  });
  return {
    looksLike: options.looksLike,
    shape: wholeShape(source),
    read(encoded) {
      const groups = pattern.read(encoded);
      const digest = options.digest(groups.digest ?? '');
      const hash = sized('hash', pattern.part(groups, 'hash'), DIGEST_BYTES[digest]);
      if (groups.format === undefined) return { digest, format: undefined, hash };
      const format = pattern.part(groups, 'format');
      checkHoles(bytesOf(format).toString('latin1'));
      return { digest, format, salt: pattern.part(groups, 'salt'), hash };
    },
    decoy({ digest, format, salt, hash }) {
      const zeros = (length = 0) => Buffer.alloc(length).toString('base64');
      // A decoy may show the length of the format in Kratos' hashes, but not the format.
      const text = '{PASSWORD}'.padEnd(format?.length ?? 0, '0');
      const parts = format === undefined ? [] : [`pf=${btoa(text)}`, zeros(salt?.length)];
      return ['', digest, ...parts, zeros(hash.length)].join('$');
    },
  };
}

const HOLES = /\{SALT\}|\{PASSWORD\}/g;
/** Kratos has no limit on placeholders, but 300 of them would turn a long password into megabytes. */
const MAX_HOLES = 8;

function checkHoles(format: string): void {
  const holes: readonly string[] = format.match(HOLES) ?? [];
  // Every password would match the hashes of a format without the placeholder {PASSWORD}.
  if (!holes.includes('{PASSWORD}')) throw new HashRefused('format', 'pf does not have {PASSWORD}');
  if (holes.length > MAX_HOLES)
    throw new HashRefused('cost', `pf has ${holes.length} placeholders, above the limit of ${MAX_HOLES}`);
}

function fillFormat(format: HashPart, salt: Buffer, password: Buffer): Buffer {
  const text = bytesOf(format)
    .toString('latin1')
    .replace(HOLES, (hole) => (hole === '{SALT}' ? salt : password).toString('latin1'));
  return Buffer.from(text, 'latin1');
}

const defineFormat = (name: string, spelling: DigestSpelling<FormatHash>) =>
  defineSaltedDigest<FormatHash>({
    name,
    spelling,
    password: BYTES,
    digest: ({ password, salt }, { digest, format }) =>
      digestFunction(digest)(format === undefined ? password : fillFormat(format, salt, password)),
    describe: ({ digest }) => ({ digest }),
  });

interface HmacHash extends DigestText {
  digest: DigestName | 'md4';
}

const HMAC_PATTERN =
  /\$hmac-(?<digest>md4|md5|sha1|sha224|sha256|sha384|sha512)\$(?<hash>[A-Za-z0-9+/]+={0,2})\$(?<key>[A-Za-z0-9+/]+={0,2})/;
const HMAC_LOOKS_LIKE = '`$hmac-<md4|md5|sha1|sha224|sha256|sha384|sha512>$<base64 of hex>$<key>`';
const HMAC = new HashPattern(HMAC_PATTERN, {
  parts: { hash: PADDED_BASE64, key: PADDED_BASE64 },
  looksLike: HMAC_LOOKS_LIKE.replaceAll('`', ''),
});

const HMAC_SPELLING: DigestSpelling<HmacHash> = {
  looksLike: HMAC_LOOKS_LIKE,
  shape: wholeShape(HMAC_PATTERN),
  read(encoded) {
    const groups = HMAC.read(encoded);
    const digest = groups.digest as HmacHash['digest'];
    const bytes = digest === 'md4' ? MD4_BYTES : DIGEST_BYTES[digest];
    const text = bytesOf(HMAC.part(groups, 'hash')).toString('latin1');
    if (!/^[0-9a-f]*$/.test(text)) throw new HashRefused('format', 'hash is not base64 of lower-case hex');
    const hash = sized('hash', { text: btoa(text), length: text.length }, 2 * bytes);
    return { digest, hash, salt: HMAC.part(groups, 'key') };
  },
  decoy: ({ digest, hash, salt }) =>
    `$hmac-${digest}$${btoa('0'.repeat(hash.length))}$${Buffer.alloc(salt?.length ?? 0).toString('base64')}`,
};

/** Hash families that Ory Kratos and zitadel/passwap defined for importing hashes of other systems. */
export const KRATOS_DIGESTS = [
  defineSaltedDigest<HmacHash>({
    name: 'hmac-kratos',
    spelling: HMAC_SPELLING,
    password: BYTES,
    digest: ({ password, salt }, { digest }) =>
      Buffer.from(hex(digest === 'md4' ? hmacMd4(salt, password) : hmac(digest, salt, password))),
    portable({ digest, hash, salt }) {
      if (digest === 'md4' || salt === undefined) return undefined;
      const digits = bytesOf(hash).toString('latin1');
      return { kind: 'hmac', digest, key: bytesOf(salt), hash: Buffer.from(digits, 'hex') };
    },
    describe: ({ digest }) => ({ digest }),
  }),
  defineFormat(
    'md5-kratos',
    formatSpelling(
      /\$md5\$(?:pf=(?<format>[A-Za-z0-9+/=]+)\$(?<salt>[A-Za-z0-9+/=]*)\$)?(?<hash>[A-Za-z0-9+/]{22}==)/,
      { digest: () => 'md5', looksLike: '`$md5$[pf=<format>$<salt>$]<hash>`, padded base64' },
    ),
  ),
  defineFormat(
    'sha-kratos',
    formatSpelling(
      /\$(?<digest>sha1|sha256|sha512)\$pf=(?<format>[A-Za-z0-9+/=]+)\$(?<salt>[A-Za-z0-9+/=]*)\$(?<hash>[A-Za-z0-9+/=]+)/,
      {
        digest: (name) => name as DigestName,
        looksLike: '`$<sha1|sha256|sha512>$pf=<format>$<salt>$<hash>`, padded base64',
      },
    ),
  ),
  // passwap's salt is base64, and its characters are digested without decoding.
  defineSaltedDigest<DigestText & { first: boolean }>({
    name: 'md5salted-passwap',
    spelling: passwapSpelling(),
    password: BYTES,
    digest: ({ password, salt }, { first }) => (first ? md5(salt, password) : md5(password, salt)),
    describe: ({ first }) => ({ salt: first ? 'prefix' : 'suffix' }),
  }),
];

function passwapSpelling(): DigestSpelling<DigestText & { first: boolean }> {
  const spelling = patternSpelling(
    /\$md5salted-(?:prefix|suffix)\$(?<salt>[A-Za-z0-9+/=_.-]*)\$(?<hash>[A-Za-z0-9+/]{22}==)/,
    {
      looksLike: '`$md5salted-<prefix|suffix>$<salt>$<hash>`, salt as it is',
      salt: TEXT,
      hash: PADDED_BASE64,
      bytes: DIGEST_BYTES.md5,
    },
  );
  return {
    ...spelling,
    read: (encoded) => ({ ...spelling.read(encoded), first: encoded.startsWith('$md5salted-prefix$') }),
  };
}
