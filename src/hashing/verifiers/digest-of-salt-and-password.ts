import { ANY_HEX, PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, partOf } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { BYTES } from '../kdf/password-reading.ts';
import type { RoundDigest } from '../kdf/round-hasher.ts';
import { HashRefused } from '../verifier.ts';
import { type DigestRounds, defineDigestRounds, type RoundSteps } from './define-digest-rounds.ts';

const FSHP_DIGESTS: readonly RoundDigest[] = ['sha1', 'sha256', 'sha384', 'sha512'];

const FSHP = new HashPattern(
  /\{FSHP(?<variant>[0-3])\|(?<saltBytes>0|[1-9][0-9]{0,3})\|(?<rounds>[0-9]+)\}(?<packed>[^{}]+)/,
  { parts: { packed: PADDED_BASE64 }, looksLike: '{FSHP<0|1|2|3>|<salt bytes>|<rounds>}<base64>' },
);

/** The salt, and behind it the hash. Both are parts of `packed`, not copies. */
function openFshp(encoded: string) {
  const groups = FSHP.read(encoded);
  const packed = bytesOf(FSHP.part(groups, 'packed'));
  const saltBytes = Number(groups.saltBytes);
  if (saltBytes > packed.length) throw new HashRefused('format', 'the salt is longer than all of the base64');
  const [salt, hash] = [packed.subarray(0, saltBytes), packed.subarray(saltBytes)];
  const digest = FSHP_DIGESTS[Number(groups.variant)] ?? 'sha1';
  return { packed, digest, rounds: groups.rounds ?? '', salt, hash };
}

const TOMCAT = new HashPattern(/(?<salt>[0-9A-Fa-f]*)\$(?<rounds>[0-9]+)\$(?<hash>[0-9A-Fa-f]+)/, {
  // Tomcat compares without regard to case.
  parts: { salt: ANY_HEX, hash: ANY_HEX },
  looksLike: '<salt>$<rounds>$<hash>, both in hexadecimal digits',
});

/** Tomcat is told the digest by its configuration. The length tells it, too. */
const DIGEST_BY_BYTES: ReadonlyMap<number, RoundDigest> = new Map([
  [16, 'md5'],
  [20, 'sha1'],
  [28, 'sha224'],
  [32, 'sha256'],
  [48, 'sha384'],
  [64, 'sha512'],
]);

function readTomcat(encoded: string) {
  const groups = TOMCAT.read(encoded);
  const hash = TOMCAT.part(groups, 'hash');
  const digest = DIGEST_BY_BYTES.get(hash.length);
  if (digest === undefined)
    throw new HashRefused('format', `no digest is ${hash.length} bytes long: expected that of MD5 or SHA`);
  return { digest, rounds: groups.rounds ?? '', salt: TOMCAT.part(groups, 'salt'), hash };
}

const tomcat: Pick<
  DigestRounds,
  'looksLike' | 'shape' | 'byNameOnly' | 'strength' | 'reference' | 'reader' | 'decoy'
> = {
  looksLike: '`<salt: hexadecimal>$<rounds>$<hash: hexadecimal>`',
  shape: /^(?:[0-9A-Fa-f]{2})*\$[1-9][0-9]*\$(?:[0-9A-Fa-f]{2}){16,64}$/,
  byNameOnly: true,
  strength: 'legacy',
  reference: {
    examples: 'one round: below 1 ms for usual passwords',
    measured: 'as the digests of other families',
  },
  reader: () => readTomcat,
  decoy: (_parsed, encoded) => TOMCAT.zeroed(encoded),
};

const again = (last: Uint8Array) => [last];
const SALT_FIRST = ({ salt, password }: { salt: Buffer; password: Buffer }): RoundSteps => ({
  first: [salt, password],
  next: again,
});

/** A digest of salt and password, digested again and again. */
export const DIGESTS_OF_SALT_AND_PASSWORD = [
  defineDigestRounds({
    name: 'fshp',
    displayName: 'FSHP',
    looksLike: '`{FSHP<0|1|2|3>|<salt bytes>|<rounds>}<base64 of salt and hash>`',
    shape: /^\{FSHP[0-9]\|/,
    strength: 'legacy',
    reference: { examples: 'SHA-512, 8192: 8 ms', measured: 'SHA-512, 8192: 7 ms; SHA-256, 4096: 3 ms' },
    reader: () => (encoded) => {
      const { digest, rounds, salt, hash } = openFshp(encoded);
      return { digest, rounds, salt: partOf(salt), hash: partOf(hash) };
    },
    decoy(_parsed, encoded) {
      const zeros = Buffer.alloc(openFshp(encoded).packed.length).toString('base64');
      return FSHP.rewritten(encoded, () => zeros);
    },
    // PBKDF1 (RFC 8018) with password and salt in each other's place.
    password: BYTES,
    steps: SALT_FIRST,
  }),
  defineDigestRounds({
    name: 'tomcat-digest',
    displayName: 'Tomcat digest',
    ...tomcat,
    password: BYTES,
    steps: SALT_FIRST,
  }),
  defineDigestRounds({
    name: 'tomcat-digest-rfc3112',
    displayName: 'Tomcat digest (password first)',
    ...tomcat,
    looksLike: `${tomcat.looksLike}; Tomcat with \`digestInRfc3112Order\`, the default of newer versions`,
    password: BYTES,
    steps: ({ salt, password }) => ({ first: [password, salt], next: again }),
  }),
];
