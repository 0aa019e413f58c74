import { ANY_HEX } from '../formats/encodings.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { BYTES } from '../kdf/password-reading.ts';
import type { RoundDigest } from '../kdf/round-hasher.ts';
import { HashRefused } from '../verifier.ts';
import { type DigestRounds, defineDigestRounds } from './define-digest-rounds.ts';

const PATTERN = new HashPattern(/(?<salt>[0-9A-Fa-f]*)\$(?<rounds>[0-9]+)\$(?<hash>[0-9A-Fa-f]+)/, {
  // Tomcat compares hashes without regard to upper and lower case.
  parts: { salt: ANY_HEX, hash: ANY_HEX },
  looksLike: '<salt>$<rounds>$<hash>, both in hexadecimal digits',
});

/** Tomcat's configuration names the digest, but the length of the hash determines it. */
const DIGEST_BY_BYTES: ReadonlyMap<number, RoundDigest> = new Map([
  [16, 'md5'],
  [20, 'sha1'],
  [28, 'sha224'],
  [32, 'sha256'],
  [48, 'sha384'],
  [64, 'sha512'],
]);

function read(encoded: string) {
  const groups = PATTERN.read(encoded);
  const hash = PATTERN.part(groups, 'hash');
  const digest = DIGEST_BY_BYTES.get(hash.length);
  if (digest === undefined)
    throw new HashRefused(
      'format',
      `hash has ${hash.length} bytes, which is not the length of an MD5 or SHA digest`,
    );
  return { digest, rounds: groups.rounds ?? '', salt: PATTERN.part(groups, 'salt'), hash };
}

const LOOKS_LIKE = '`<salt: hexadecimal>$<rounds>$<hash: hexadecimal>`';

const shared: Pick<DigestRounds, 'shape' | 'byNameOnly' | 'strength' | 'reference' | 'reader' | 'decoy'> = {
  shape: /^(?:[0-9A-Fa-f]{2})*\$[1-9][0-9]*\$(?:[0-9A-Fa-f]{2}){16,64}$/,
  byNameOnly: true,
  strength: 'legacy',
  reference: {
    examples: 'one round: below 1 ms for usual passwords',
    measured: 'as the digests of other families',
  },
  reader: () => read,
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded),
};

/**
 * Tomcat's MessageDigestCredentialHandler digests salt and password, and the result in each further round.
 */
export const TOMCAT_DIGESTS = [
  defineDigestRounds({
    name: 'tomcat-digest',
    displayName: 'Tomcat digest',
    looksLike: LOOKS_LIKE,
    ...shared,
    password: BYTES,
    steps: ({ salt, password }) => ({ first: [salt, password], next: (last) => [last] }),
  }),
  defineDigestRounds({
    name: 'tomcat-digest-rfc3112',
    displayName: 'Tomcat digest (password first)',
    looksLike: `${LOOKS_LIKE}; Tomcat with \`digestInRfc3112Order\`, the default of newer versions`,
    ...shared,
    password: BYTES,
    steps: ({ salt, password }) => ({ first: [password, salt], next: (last) => [last] }),
  }),
];
