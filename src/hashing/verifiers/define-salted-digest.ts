import { defineAlgorithm, type HashAlgorithm } from '../algorithm.ts';
import { type CanonicalMistakes, canonicalRepairs } from '../diagnose/canonical-repairs.ts';
import type { DigestSpelling, DigestText } from '../formats/digest-spelling.ts';
import { bytesOf, numbersAndLengths } from '../formats/hash-part.ts';
import type { PasswordReading, SecondReading } from '../kdf/password-reading.ts';
import type { PortableHash } from '../portable-hash.ts';
import type { HashParameters, Strength } from '../verifier.ts';

/** Data that a hash digests. Parts that a hash does not have are empty. */
export interface DigestInput {
  password: Buffer;
  salt: Buffer;
  user: Buffer;
  secret: Buffer;
}

export interface SaltedDigest<Text extends DigestText> {
  name: string;
  aliases?: readonly string[];
  displayName?: string;
  spelling: DigestSpelling<Text>;
  byNameOnly?: true;
  secret?: 'required';
  strength?: Strength;
  /** Mistakes that are possible in the canonical form. By default, the salt may be text or decoded bytes. */
  mistakes?: CanonicalMistakes;
  password: PasswordReading | ((parsed: Text) => PasswordReading);
  secondReading?(parsed: Text): SecondReading | undefined;
  /** Returns undefined if no password of these bytes can match the hash. */
  digest(input: DigestInput, parsed: Text): Promise<Buffer> | Buffer | undefined;
  identity?(parsed: Text): object;
  withoutDigest?(parsed: Text, encoded: string): string;
  portable?(parsed: Text): PortableHash | undefined;
  /** Returns parameters of the hash to show to operators, besides numbers and lengths. */
  describe?(parsed: Text): HashParameters;
}

const NOTHING = Buffer.alloc(0);

/** Memory in bytes for the state of a hash function and for copies of the password. */
export const DIGEST_MEMORY_BYTES = 8 * 1024;

/** Cost of a few digests on the event loop, for passwords of up to 1 KiB. */
export const DIGEST_COST = { memoryBytes: DIGEST_MEMORY_BYTES, ms: 0.05, runsOn: 'event-loop' } as const;

export const DIGEST_REFERENCE = {
  formula: '0.05 ms',
  examples: 'any: 0.05 ms',
  measured: '0.002 to 0.05 ms, for passwords of up to 1 KiB',
};

export function defineSaltedDigest<Text extends DigestText>(
  row: SaltedDigest<Text>,
): HashAlgorithm<never, never> {
  const { name, spelling, digest, password: reading, describe, mistakes = { salt: true }, ...traits } = row;
  const repairs = canonicalRepairs(mistakes);
  return defineAlgorithm<Text>({
    name,
    displayName: name,
    strength: 'broken',
    ...traits,
    looksLike: spelling.looksLike,
    shape: spelling.shape,
    reference: DIGEST_REFERENCE,
    parser: () => spelling.read,
    cost: () => DIGEST_COST,
    password: (parsed) => (typeof reading === 'function' ? reading(parsed) : reading),
    decoy: spelling.decoy,
    repairs: (encoded) => (encoded.startsWith(`$${name}$`) ? repairs(encoded) : []),
    describe: (parsed) => ({ ...describe?.(parsed), ...numbersAndLengths(parsed) }),
    compute: {
      digest: ({ hash }) => bytesOf(hash),
      of(parsed, password, secret) {
        const { salt, user } = parsed;
        const input = {
          password,
          salt: salt ? bytesOf(salt) : NOTHING,
          user: user ? bytesOf(user) : NOTHING,
        };
        return digest({ ...input, secret }, parsed);
      },
    },
  });
}
