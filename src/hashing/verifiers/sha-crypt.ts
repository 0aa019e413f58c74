import { defineAlgorithm, type HashAlgorithm, type ReferenceTime } from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { CRYPT64, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { type Groups, HashPattern } from '../formats/hash-pattern.ts';
import type { PasswordReading } from '../kdf/password-reading.ts';
import { type ShaCryptDigest, shaCrypt } from '../kdf/sha-crypt.ts';
import type { HashCost } from '../verifier.ts';
import { SHACRYPT_LIMITS, type ShaCryptLimit } from './crypt-limits.ts';
import { C_STRING, MAX_PASSWORD_BYTES, WHOLE_PASSWORD } from './crypt-password.ts';

const DEFAULT_ROUNDS = 5000;
/** glibc raises lower numbers of rounds to this one, so no hash has fewer; other programs refuse fewer. */
const MIN_ROUNDS = 1000;

/**
 * Milliseconds of a round for the longest password: the length is not known beforehand. Usual ones take half.
 */
const ROUND_MS = 0.003;
/** sha-crypt repeats the password as many times as it has bytes. */
const MEMORY_BYTES = 2 * MAX_PASSWORD_BYTES ** 2;

export const SHA_CRYPT_REFERENCE: ReferenceTime = {
  formula: '3 µs × rounds, for the longest password; 1.5 µs for usual ones',
  examples: '5000 rounds: 15 ms; 535,000: 1605 ms; 656,000: 1968 ms',
  measured:
    'SHA-512, 656,000: 1967 ms for 511 bytes, 1055 ms for 24; SHA-256, 535,000: 1019 and 673 ms; 5000: 13 and 6 ms',
};

export const shaCryptCost = (rounds: number): HashCost => ({
  memoryBytes: MEMORY_BYTES,
  ms: rounds * ROUND_MS,
  runsOn: 'worker',
});

interface ShaCryptHash {
  rounds: number;
  salt: HashPart;
  digest: HashPart;
}

function defineShaCrypt(row: {
  name: string;
  aliases?: readonly string[];
  displayName: string;
  digest: ShaCryptDigest;
  prefix: string;
  reading: PasswordReading;
}): HashAlgorithm<ShaCryptLimit, never> {
  const { name, aliases, displayName, digest: hash, prefix, reading } = row;
  const escaped = prefix.replaceAll('$', '\\$');
  const characters = hash === 'sha256' ? 43 : 86;
  const pattern = new HashPattern(
    new RegExp(
      `${escaped}(?:rounds=(?<rounds>[^$]*)\\$)?(?<salt>[./0-9A-Za-z]{0,16})\\$(?<digest>[./0-9A-Za-z]{${characters}})`,
    ),
    {
      parts: { salt: TEXT, digest: CRYPT64 },
      looksLike: `${prefix}[rounds=<rounds>$]<salt, up to 16>$<digest, ${characters}>`,
    },
  );
  return defineAlgorithm<ShaCryptHash, ShaCryptLimit>({
    name,
    ...(aliases && { aliases }),
    displayName,
    looksLike: `\`${prefix}[rounds=<rounds>$]<salt>$<digest>\`, ${DEFAULT_ROUNDS} rounds where none are named`,
    strength: 'legacy',
    reference: SHA_CRYPT_REFERENCE,
    limits: SHACRYPT_LIMITS,
    shape: new RegExp(`^${escaped}`),
    parser:
      ({ settings }) =>
      (encoded) => {
        const groups = pattern.read(encoded);
        const salt = pattern.part(groups, 'salt');
        const digest = pattern.part(groups, 'digest');
        return { rounds: roundsOf(groups, settings.shacrypt_max_rounds), salt, digest };
      },
    cost: ({ rounds }) => shaCryptCost(rounds),
    decoy: ({ rounds }, encoded) => decoyOf(pattern.zeroed(encoded), prefix, rounds),
    password: () => reading,
    portable: (_parsed, encoded) => ({
      ...{ kind: 'crypt', prefix: hash === 'sha256' ? '$5$' : '$6$' },
      rest: encoded.slice(prefix.length),
    }),
    compute: {
      digest: ({ digest }) => bytesOf(digest),
      of: ({ rounds, salt }, password) => shaCrypt({ digest: hash, password, salt: bytesOf(salt), rounds }),
    },
  });
}

function roundsOf({ rounds }: Groups, max: number): number {
  return parseCost(rounds ?? String(DEFAULT_ROUNDS), {
    name: 'rounds',
    min: MIN_ROUNDS,
    max,
    setting: 'shacrypt_max_rounds',
  });
}

/** Leaves out the default number of rounds, so that the decoy does not show whether the hash states it. */
const decoyOf = (zeroed: string, prefix: string, rounds: number) =>
  rounds === DEFAULT_ROUNDS ? zeroed.replace(`${prefix}rounds=${rounds}$`, () => prefix) : zeroed;

export const SHA_CRYPT = [
  defineShaCrypt({
    name: 'sha256-crypt',
    displayName: 'SHA-256 crypt',
    digest: 'sha256',
    prefix: '$5$',
    reading: C_STRING,
  }),
  defineShaCrypt({
    name: 'sha512-crypt',
    aliases: ['moodle'],
    displayName: 'SHA-512 crypt',
    digest: 'sha512',
    prefix: '$6$',
    reading: C_STRING,
  }),
  defineShaCrypt({
    name: 'sha256-crypt-kratos',
    displayName: 'Kratos SHA-256 crypt',
    digest: 'sha256',
    prefix: '$sha256-crypt$',
    reading: WHOLE_PASSWORD,
  }),
  defineShaCrypt({
    name: 'sha512-crypt-kratos',
    displayName: 'Kratos SHA-512 crypt',
    digest: 'sha512',
    prefix: '$sha512-crypt$',
    reading: WHOLE_PASSWORD,
  }),
];
