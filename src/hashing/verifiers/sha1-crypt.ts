import { defineAlgorithm } from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { CRYPT64, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { hmacKey } from '../kdf/password-reading.ts';
import { sha1Crypt } from '../kdf/sha1-crypt.ts';
import { HashRefused } from '../verifier.ts';
import { CRYPT_LIMITS, type CryptLimit } from './crypt-limits.ts';
import { C_STRING } from './crypt-password.ts';

interface Sha1CryptHash {
  rounds: number;
  salt: HashPart;
  digest: HashPart;
}

const READING = hmacKey('sha1', C_STRING);
const ROUND_MS = 0.002;
const MEMORY_BYTES = 16 * 1024;

const PATTERN = new HashPattern(
  /\$sha1\$(?<rounds>[^$]*)\$(?<salt>[./0-9A-Za-z]{1,64})\$(?<digest>[./0-9A-Za-z]{28})/,
  { parts: { salt: TEXT, digest: CRYPT64 }, looksLike: '$sha1$<rounds>$<salt, up to 64>$<digest, 28>' },
);

/** Hashes of NetBSD's SHA-1 crypt, by Simon Gerraty. */
export const sha1CryptVerifier = defineAlgorithm<Sha1CryptHash, CryptLimit>({
  name: 'sha1-crypt',
  displayName: 'SHA-1 crypt',
  looksLike: '`$sha1$<rounds>$<salt>$<digest>`, NetBSD',
  strength: 'legacy',
  reference: {
    formula: '2 µs × rounds',
    examples: '40,000: 80 ms; 500,000: 1000 ms',
    measured: '40,000: 55 ms, whatever the password',
  },
  limits: CRYPT_LIMITS,
  // Excludes hashes of Kratos, which begin with `$sha1$pf=`.
  shape: /^\$sha1\$[0-9]*\$/,
  parser:
    ({ settings }) =>
    (encoded) => {
      const groups = PATTERN.read(encoded);
      const salt = PATTERN.part(groups, 'salt');
      const digest = PATTERN.part(groups, 'digest');
      // The last group of base64 digits has room for one more byte, which repeats the first byte of the
      // digest.
      const bytes = bytesOf(digest);
      if (bytes[18] !== bytes[2])
        throw new HashRefused('format', 'digest is malformed: its last group does not repeat the first byte');
      const max = settings.crypt_max_rounds;
      const bounds = { name: 'rounds', min: 1, max, setting: 'crypt_max_rounds' };
      return { rounds: parseCost(groups.rounds ?? '', bounds), salt, digest };
    },
  cost: ({ rounds }) => ({ memoryBytes: MEMORY_BYTES, ms: rounds * ROUND_MS, runsOn: 'worker' }),
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded),
  password: () => READING,
  compute: {
    digest: ({ digest }) => bytesOf(digest),
    of: ({ rounds, salt }, password) => sha1Crypt(password, bytesOf(salt), rounds),
  },
});
