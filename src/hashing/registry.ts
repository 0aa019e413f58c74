import type { HashAlgorithm } from './algorithm.ts';
import { buildVerifier, type SharedBounds } from './build-verifier.ts';
import { type HashingSecret, HashingSecrets, type SecretFingerprint, type SecretLookup } from './secrets.ts';
import { type HashRefused, type HashVerifier, ParsedHash, type PasswordHash, tryParse } from './verifier.ts';
import { argon2 } from './verifiers/argon2.ts';
import { bcrypt } from './verifiers/bcrypt.ts';
import { BCRYPT_WRAPPED } from './verifiers/bcrypt-wrapped.ts';
import { CRYPT } from './verifiers/crypt.ts';
import { DATABASE_LOGINS } from './verifiers/database-logins.ts';
import { DIGEST_ROUNDS } from './verifiers/digest-rounds.ts';
import { ENVELOPES } from './verifiers/envelopes.ts';
import { externalScrypt } from './verifiers/external-scrypt.ts';
import { PBKDF2 } from './verifiers/pbkdf2-dialects.ts';
import { phpass } from './verifiers/phpass.ts';
import { SALTED_DIGESTS } from './verifiers/salted-digests.ts';
import { SCRAM } from './verifiers/scram.ts';
import { SCRYPT } from './verifiers/scrypt-dialects.ts';
import { WRAPPED, wrappedVerifier } from './verifiers/wrapped.ts';

/**
 * Every algorithm of this service. To add one, write its file, name it here and give it test vectors: settings,
 * documentation, messages and tests follow from this list, in this order.
 */
export const ALGORITHMS = [
  bcrypt,
  argon2,
  externalScrypt,
  ...PBKDF2,
  ...SCRYPT,
  ...BCRYPT_WRAPPED,
  ...ENVELOPES,
  phpass,
  ...DIGEST_ROUNDS,
  ...CRYPT,
  ...SALTED_DIGESTS,
  ...SCRAM,
  ...DATABASE_LOGINS,
] as const;

/** The algorithm whose default secret may stand in a setting of its own: external_password_hashing_signer_key. */
export const SIGNER_KEY_ALGORITHM = externalScrypt.name;

/** The algorithms that passwords set here can be hashed with, the default first. */
export const OWN_ALGORITHMS: readonly HashAlgorithm[] = [
  argon2,
  ...ALGORITHMS.filter((one: HashAlgorithm) => one !== argon2 && one.own !== undefined),
];

type SettingOf<Algorithm> =
  Algorithm extends HashAlgorithm<infer Limit extends string, infer Own extends string> ? Limit | Own : never;

/** The names of the settings that algorithms bring. */
export type AlgorithmSetting = SettingOf<(typeof ALGORITHMS)[number]>;
export type AlgorithmSettings = Readonly<Record<AlgorithmSetting, number>>;

/** The limits of all algorithms, each once, and the settings of those that passwords set here can be hashed with. */
export const LIMITS = [...new Map(ALGORITHMS.flatMap(({ limits }: HashAlgorithm) => Object.entries(limits)))];
export const OWN_SETTINGS = OWN_ALGORITHMS.flatMap(({ own }) => Object.entries(own?.settings ?? {}));

export function pickAlgorithmSettings(all: AlgorithmSettings): AlgorithmSettings {
  const names = [...LIMITS, ...OWN_SETTINGS].map(([name]) => name as AlgorithmSetting);
  return Object.fromEntries(names.map((name) => [name, all[name]])) as AlgorithmSettings;
}

/** By what hashes are accepted and verified. */
export interface HashingLimits extends SharedBounds {
  settings: AlgorithmSettings;
}

export interface HashRegistry {
  /** By the exact name saved beside a hash. */
  find(algorithm: string): HashVerifier | undefined;
  /** By a name in a request, trimmed by the caller: in any case, and aliases too. */
  named(wireName: string): HashVerifier | undefined;
  /** By the look of the hash, where only one family looks so. */
  recognise(encoded: string): HashVerifier | undefined;
  /** Every family that the hash looks like, most plausible first: one that is recognised, then by rank, then in the order of the list. */
  resembling(encoded: string): HashVerifier[];
  /** Returns whether a secret with this id is configured and, if an algorithm is given, serves it. */
  hasSecret(id: string, algorithm?: string): boolean;
  /** Returns the ids of the configured secrets that serve an algorithm. */
  secretIdsFor(algorithm: string): readonly string[];
  /** Returns the configured signer keys by their fingerprints. @param nonce of the caller */
  signerKeyFingerprints(nonce: Uint8Array): readonly SecretFingerprint[];
  /**
   * Parses a hash from the store, unless it is parsed already. One that is refused by now (a bound was lowered, the signer key
   * changed) is our failure and not the caller's.
   * @throws {Error} saying why the hash can no longer be verified
   */
  read(hash: PasswordHash): ParsedHash;
  /** As `read`, for callers who can do without the hash. */
  tryRead(hash: PasswordHash): ParsedHash | undefined;
  /** Those whose hashes may be imported. */
  readonly all: readonly HashVerifier[];
}

export const buildRegistry = (
  limits: HashingLimits,
  secrets: readonly HashingSecret[] = [],
  algorithms: readonly HashAlgorithm[] = ALGORITHMS,
): HashRegistry => registryWith(limits, new HashingSecrets(secrets), algorithms);

/** As `buildRegistry`, for callers who find secrets in their own way. */
export function registryWith(
  { settings, ...bounds }: HashingLimits,
  secrets: SecretLookup,
  algorithms: readonly HashAlgorithm[],
): HashRegistry {
  const context = { settings, secrets, bounds };
  const byName = new Map<string, HashVerifier>();
  const byWireName = new Map<string, HashVerifier>();
  for (const algorithm of algorithms) {
    const verifier = buildVerifier(algorithm, context);
    byName.set(algorithm.name, verifier);
    for (const name of [algorithm.name, ...algorithm.aliases]) byWireName.set(name, verifier);
  }
  const all = [...byName.values()];
  // Only this service wraps hashes: no request can name them, and nothing looks like them.
  const inner = new Map(byName);
  byName.set(
    WRAPPED,
    wrappedVerifier((algorithm) => inner.get(algorithm), bounds),
  );
  /** The last one recognised comes first: the hashes of one system have one look. */
  const recognisable = [...all];
  const byRank = [...algorithms]
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .flatMap(({ name }) => byName.get(name) ?? []);
  return {
    find: (algorithm) => byName.get(algorithm),
    named: (wireName) => byWireName.get(wireName.toLowerCase()),
    recognise(encoded) {
      const index = recognisable.findIndex((verifier) => verifier.recognises(encoded));
      const [found] = index === -1 ? [] : recognisable.splice(index, 1);
      if (found !== undefined) recognisable.unshift(found);
      return found;
    },
    resembling: (encoded) =>
      byRank
        .filter((verifier) => verifier.resembles(encoded))
        .sort((a, b) => Number(b.recognises(encoded)) - Number(a.recognises(encoded))),
    hasSecret: (id, algorithm) => secrets.has(id, algorithm),
    secretIdsFor: (algorithm) => secrets.idsFor(algorithm),
    signerKeyFingerprints: (nonce) => secrets.fingerprints(SIGNER_KEY_ALGORITHM, nonce),
    read(hash) {
      const verifier = byName.get(hash.algorithm);
      if (verifier === undefined) throw new Error(`no verifier for the stored algorithm ${hash.algorithm}`);
      const parsed = readStored(verifier, hash);
      if (parsed instanceof ParsedHash) return parsed;
      const kind = hash.secretId === undefined ? '' : `, made with the secret ${hash.secretId},`;
      const { message } = parsed;
      throw new Error(`a stored ${hash.algorithm} hash${kind} can no longer be verified: ${message}`, {
        cause: parsed,
      });
    },
    tryRead(hash) {
      const verifier = byName.get(hash.algorithm);
      const parsed = verifier && readStored(verifier, hash);
      return parsed instanceof ParsedHash ? parsed : undefined;
    },
    all,
  };
}

function readStored(verifier: HashVerifier, hash: PasswordHash): ParsedHash | HashRefused {
  // A hash that was parsed by other bounds counts for nothing here.
  if (hash instanceof ParsedHash && hash.verifier === verifier) return hash;
  return tryParse(verifier, hash.encoded, hash.secretId ?? null);
}
