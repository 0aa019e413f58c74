import { defineAlgorithm, type HashAlgorithm } from '../algorithm.ts';
import { canonicalRepairs } from '../diagnose/canonical-repairs.ts';
import { canonicalReader, emptyCanonical } from '../formats/canonical.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { canonicalShape, type DigestText, sized } from '../formats/digest-spelling.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { requiredField } from '../formats/named-fields.ts';
import { oneOf } from '../formats/one-of.ts';
import { DIGEST_BYTES, type DigestName, digestFunction } from '../kdf/digests.ts';
import { PASSWORD_ENCODINGS, type PasswordEncoding } from '../kdf/password-reading.ts';
import { MAX_EVENT_LOOP_ROUNDS, roundHasher } from '../kdf/round-hasher.ts';
import type { HashCost } from '../verifier.ts';
import { DIGEST_COST, DIGEST_MEMORY_BYTES } from './define-salted-digest.ts';
import { DIGEST_MAX_ROUNDS } from './digest-max-rounds.ts';

interface SaltedHash extends DigestText {
  salt: NonNullable<DigestText['salt']>;
  order: keyof typeof ORDERS;
  encoding: PasswordEncoding;
  rounds: number;
}

/** Orders of salt (`s`) and password (`p`) in the first round of a repeated digest. */
const ORDERS = {
  sp: (salt: Buffer, password: Buffer) => [salt, password],
  ps: (salt: Buffer, password: Buffer) => [password, salt],
  sps: (salt: Buffer, password: Buffer) => [salt, password, salt],
} as const;

/** Milliseconds of one round on the event loop. The call of OpenSSL takes most of this time. */
const IN_PLACE_ROUND_MS = 0.003;
/**
 * Milliseconds of one round on a thread of the hashing process. These figures are higher than those of
 * `roundMs` and must not change: the computed cost decides whether a stored hash is accepted.
 */
const ROUND_MS: Record<DigestName, number> = {
  md5: 0.0008,
  sha1: 0.001,
  sha224: 0.001,
  sha256: 0.001,
  sha384: 0.0012,
  sha512: 0.0012,
};

const MEASURED: Record<DigestName, string> = {
  md5: '0.79 µs × rounds',
  sha1: '1.00 µs × rounds',
  sha224: '0.91 µs × rounds',
  sha256: '0.92 µs × rounds',
  sha384: '1.18 µs × rounds',
  sha512: '1.07 µs × rounds',
};

const FAMILIES: readonly [name: string, digest: DigestName][] = [
  ['salted-md5', 'md5'],
  ['salted-sha1', 'sha1'],
  ['salted-sha224', 'sha224'],
  ['salted-sha256', 'sha256'],
  ['salted-sha384', 'sha384'],
  ['salted-sha512', 'sha512'],
];

const REPAIRS = canonicalRepairs({
  order: true,
  salt: true,
  encoding: true,
  digests: Object.fromEntries(FAMILIES.map(([name, digest]) => [name, DIGEST_BYTES[digest]])),
});

function defineSalted(name: string, digest: DigestName): HashAlgorithm<'digest_max_rounds', never> {
  const read = canonicalReader(name, ['o', 'i', 'e']);
  return defineAlgorithm<SaltedHash, 'digest_max_rounds'>({
    name,
    displayName: name,
    looksLike: `\`$${name}$o=<sp|ps|sps>[,i=<rounds>][,e=utf16le]$<salt>$<hash>\``,
    strength: 'broken',
    reference: {
      formula: `${ROUND_MS[digest] * 1000} µs × rounds, and 0.05 ms; up to ${MAX_EVENT_LOOP_ROUNDS} rounds 3 µs × rounds`,
      examples: `1,000,000 rounds: ${ROUND_MS[digest] * 1_000_000} ms`,
      measured: MEASURED[digest],
    },
    limits: DIGEST_MAX_ROUNDS,
    shape: canonicalShape(name),
    parser:
      ({ settings }) =>
      (encoded) => {
        const { fields, salt, hash } = read(encoded);
        return {
          order: oneOf('o', requiredField(fields, 'o'), ORDERS),
          encoding: oneOf('e', fields.get('e') ?? 'utf8', PASSWORD_ENCODINGS),
          salt,
          hash: sized('hash', hash, DIGEST_BYTES[digest]),
          rounds: parseCost(fields.get('i') ?? '1', {
            name: 'i',
            min: 1,
            max: settings.digest_max_rounds,
            setting: 'digest_max_rounds',
          }),
        };
      },
    cost: ({ rounds }) => costOf(digest, rounds),
    password: ({ encoding }) => PASSWORD_ENCODINGS[encoding],
    repairs: REPAIRS,
    portable: ({ order, encoding, rounds, salt, hash }) =>
      order === 'sps' || encoding !== 'utf8' || rounds !== 1
        ? undefined
        : {
            ...{ kind: 'digest', digest, isSaltFirst: order === 'sp' },
            ...{ salt: bytesOf(salt), hash: bytesOf(hash) },
          },
    decoy: ({ order, encoding, rounds, salt, hash }) =>
      emptyCanonical(name, { o: order, i: rounds, e: encoding, salt, hash }),
    describe: ({ order, encoding, rounds, salt }) => ({ order, encoding, rounds, saltBytes: salt.length }),
    compute: {
      digest: ({ hash }) => bytesOf(hash),
      of: ({ order, rounds, salt }, password) =>
        digestRounds(digest, rounds, ORDERS[order](bytesOf(salt), password)),
    },
  });
}

function costOf(digest: DigestName, rounds: number): HashCost {
  if (rounds <= MAX_EVENT_LOOP_ROUNDS)
    return { ...DIGEST_COST, ms: DIGEST_COST.ms + rounds * IN_PLACE_ROUND_MS };
  return {
    memoryBytes: DIGEST_MEMORY_BYTES,
    ms: DIGEST_COST.ms + rounds * ROUND_MS[digest],
    runsOn: 'worker',
  };
}

/**
 * Unlike the loop of `define-digest-rounds.ts`, this loop makes no arrays, and computes few rounds without
 * WebAssembly.
 */
export async function digestRounds(
  digest: DigestName,
  rounds: number,
  parts: readonly Buffer[],
): Promise<Buffer> {
  const hash = rounds > MAX_EVENT_LOOP_ROUNDS ? await roundHasher(digest) : digestFunction(digest);
  let state = hash(...parts);
  for (let round = 1; round < rounds; round += 1) state = hash(state);
  return Buffer.from(state);
}

export const SALTED_ROUNDS = FAMILIES.map(([name, digest]) => defineSalted(name, digest));
