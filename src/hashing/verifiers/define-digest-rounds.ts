import { type DialectTraits, defineAlgorithm, type HashAlgorithm } from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { bytesOf, checkLength, type HashPart } from '../formats/hash-part.ts';
import { DIGEST_BYTES } from '../kdf/digests.ts';
import type { PasswordReading } from '../kdf/password-reading.ts';
import { MAX_EVENT_LOOP_ROUNDS, type RoundDigest, roundHasher, roundMs } from '../kdf/round-hasher.ts';
import type { HashCost, Strength } from '../verifier.ts';
import { DIGEST_MAX_ROUNDS } from './digest-max-rounds.ts';

export interface RoundsHash {
  digest: RoundDigest;
  rounds: number;
  salt: HashPart;
  hash: HashPart;
}

export interface RoundsText extends Omit<RoundsHash, 'rounds'> {
  rounds: string;
}

type Parts = readonly Uint8Array[];

export interface RoundSteps {
  first: Parts;
  next(last: Uint8Array): Parts;
}

export interface DigestRounds extends DialectTraits {
  displayName: string;
  secret?: 'required' | 'optional';
  strength: Strength;
  /** Examples of usual hashes and their measured cost, for docs/hash-reference.md. */
  reference: { examples: string; measured: string };
  /** @throws {HashRefused} `format` from the function */
  reader(): (encoded: string) => RoundsText;
  decoy(parsed: RoundsHash, encoded: string): string;
  /** Maximum number of rounds, if it is lower than the setting `digest_max_rounds`. */
  maxRounds?: number;
  /**
   * Longer passwords never match. Required if every round digests the password, because the cost
   * has no bound otherwise.
   */
  maxPasswordBytes?: number;
  /** Whether each round digests the previous result in hexadecimal digits. */
  inHex?: true;
  password: PasswordReading;
  steps(inputs: { password: Buffer; salt: Buffer; secret: Buffer }): RoundSteps;
}

export type RoundsLimit = keyof typeof DIGEST_MAX_ROUNDS;

/** The longest password that a request can have: 65,536 characters of three bytes each. */
const LONGEST_PASSWORD = Buffer.alloc(3 * 65_536);
const FORMULA =
  'rounds × 0.4 µs with MD5, 0.6 with SHA-1 and SHA-256, 0.8 with SHA-512, and 1.5 to 3.6 for each 1000 bytes';
const NOTHING = Buffer.alloc(0);
const HEX_MS = 0.0008;
const hexDigits = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString('hex'));

export function defineDigestRounds(family: DigestRounds): HashAlgorithm<RoundsLimit, never> {
  const {
    reader,
    reference,
    maxRounds,
    maxPasswordBytes,
    inHex,
    password: reading,
    steps,
    ...traits
  } = family;

  function of({ digest, rounds, salt }: RoundsHash, password: Buffer, secret: Buffer) {
    if (password.length > (maxPasswordBytes ?? Number.POSITIVE_INFINITY)) return undefined;
    return digestRounds({ digest, rounds, ...steps({ password, salt: bytesOf(salt), secret }) });
  }

  async function digestRounds({
    digest,
    rounds,
    first,
    next,
  }: RoundSteps & Pick<RoundsHash, 'digest' | 'rounds'>) {
    const digestOf = await roundHasher(digest);
    let last = digestOf(...first);
    for (let round = 1; round < rounds; round += 1) last = digestOf(...next(inHex ? hexDigits(last) : last));
    return Buffer.from(last);
  }

  /** Returns the cost of a hash for the longest password. */
  function cost({ digest, rounds, salt }: RoundsHash): HashCost {
    const password = LONGEST_PASSWORD.subarray(0, maxPasswordBytes);
    const { first, next } = steps({ password, salt: Buffer.alloc(salt.length), secret: NOTHING });
    const last = Buffer.alloc(DIGEST_BYTES[digest] * (inHex ? 2 : 1));
    const nextMs = roundMs(digest, lengthOf(next(last))) + (inHex ? HEX_MS : 0);
    return {
      memoryBytes: 2 * password.length,
      ms: roundMs(digest, lengthOf(first)) + (rounds - 1) * nextMs,
      runsOn: rounds > MAX_EVENT_LOOP_ROUNDS ? 'worker' : 'event-loop',
    };
  }

  return defineAlgorithm<RoundsHash, RoundsLimit>({
    ...traits,
    reference: {
      formula: inHex ? `${FORMULA}, 0.8 more as the digests are handed on in hexadecimal` : FORMULA,
      ...reference,
    },
    limits: DIGEST_MAX_ROUNDS,
    parser({ settings }) {
      const read = reader();
      const bound = boundOf(settings.digest_max_rounds, maxRounds);
      return (encoded) => {
        const { rounds, digest, salt, hash } = read(encoded);
        const bytes = DIGEST_BYTES[digest];
        checkLength('hash', hash, { min: bytes, max: bytes });
        return { rounds: parseCost(rounds, bound), digest, salt, hash };
      };
    },
    cost,
    password: () => reading,
    // A hash with few rounds counts as broken, even if the family's usual hashes have many.
    strengthOf: ({ rounds }) => (rounds > MAX_EVENT_LOOP_ROUNDS ? family.strength : 'broken'),
    describe: ({ digest, rounds, salt, hash }) => ({
      digest,
      rounds,
      saltBytes: salt.length,
      hashBytes: hash.length,
    }),
    compute: { digest: ({ hash }) => bytesOf(hash), of },
  });
}

function boundOf(setting: number, maxRounds = Number.POSITIVE_INFINITY) {
  const own = { max: maxRounds, setting: 'no setting raises it' };
  return {
    name: 'rounds',
    min: 1,
    ...(setting <= maxRounds ? { max: setting, setting: 'digest_max_rounds' } : own),
  };
}

const lengthOf = (parts: Parts) => parts.reduce((sum, part) => sum + part.length, 0);
