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
import { fshp } from './verifiers/fshp.ts';
import { PBKDF2 } from './verifiers/pbkdf2-dialects.ts';
import { PHPASS } from './verifiers/phpass.ts';
import { SALTED_DIGESTS } from './verifiers/salted-digests.ts';
import { SCRAM } from './verifiers/scram.ts';
import { SCRYPT } from './verifiers/scrypt-dialects.ts';
import { TOMCAT_DIGESTS } from './verifiers/tomcat-digest.ts';
import { WRAPPED, wrappedVerifier } from './verifiers/wrapped.ts';

/** All hash algorithms. Settings, documentation, messages and tests follow from this list, in this order. */
export const ALGORITHMS = [
  bcrypt,
  argon2,
  externalScrypt,
  ...PBKDF2,
  fshp,
  ...TOMCAT_DIGESTS,
  ...SCRYPT,
  ...BCRYPT_WRAPPED,
  ...ENVELOPES,
  ...PHPASS,
  ...DIGEST_ROUNDS,
  ...CRYPT,
  ...SALTED_DIGESTS,
  ...SCRAM,
  ...DATABASE_LOGINS,
] as const;

/** Firebase's scrypt, whose default secret may be configured by external_password_hashing_signer_key. */
export const SIGNER_KEY_ALGORITHM = externalScrypt.name;

export const OWN_ALGORITHMS: readonly HashAlgorithm[] = [
  argon2,
  ...ALGORITHMS.filter((one: HashAlgorithm) => one !== argon2 && one.own !== undefined),
];

type SettingOf<Algorithm> =
  Algorithm extends HashAlgorithm<infer Limit extends string, infer Own extends string> ? Limit | Own : never;

export type AlgorithmSetting = SettingOf<(typeof ALGORITHMS)[number]>;
export type AlgorithmSettings = Readonly<Record<AlgorithmSetting, number>>;

export const LIMITS = [...new Map(ALGORITHMS.flatMap(({ limits }: HashAlgorithm) => Object.entries(limits)))];
export const OWN_SETTINGS = OWN_ALGORITHMS.flatMap(({ own }) => Object.entries(own?.settings ?? {}));

export function pickAlgorithmSettings(all: AlgorithmSettings): AlgorithmSettings {
  const names = [...LIMITS, ...OWN_SETTINGS].map(([name]) => name as AlgorithmSetting);
  return Object.fromEntries(names.map((name) => [name, all[name]])) as AlgorithmSettings;
}

export interface HashingLimits extends SharedBounds {
  settings: AlgorithmSettings;
}

export interface HashRegistry {
  /** Returns the verifier with exactly this name, as it is saved beside a hash. */
  find(algorithm: string): HashVerifier | undefined;
  /** Returns the verifier with this name or alias, in upper or lower case, as requests name it. */
  named(nameOrAlias: string): HashVerifier | undefined;
  recognise(encoded: string): HashVerifier | undefined;
  /**
   * Returns the verifiers of all families whose shape the hash has, the most plausible first: the one of
   * `recognise`, then by rank, then in registry order.
   */
  resembling(encoded: string): HashVerifier[];
  /** Returns whether a secret with this id is configured, and hashes of the algorithm may use it. */
  hasSecret(id: string, algorithm?: string): boolean;
  secretIdsFor(algorithm: string): readonly string[];
  /**
   * Returns fingerprints of the signer keys, so that a caller can compare a key without sending it.
   * @param nonce chosen by the caller
   */
  signerKeyFingerprints(nonce: Uint8Array): readonly SecretFingerprint[];
  /**
   * Returns a stored hash parsed. A stored hash that is refused now (a limit was lowered, the signer key
   * changed) is a failure of the service and not of the caller.
   * @throws {Error} with the reason why the hash can no longer be verified
   */
  read(hash: PasswordHash): ParsedHash;
  tryRead(hash: PasswordHash): ParsedHash | undefined;
  readonly all: readonly HashVerifier[];
}

export const buildRegistry = (
  limits: HashingLimits,
  secrets: readonly HashingSecret[] = [],
  algorithms: readonly HashAlgorithm[] = ALGORITHMS,
): HashRegistry => registryWith(limits, new HashingSecrets(secrets), algorithms);

export function registryWith(
  { settings, ...bounds }: HashingLimits,
  secrets: SecretLookup,
  algorithms: readonly HashAlgorithm[],
): HashRegistry {
  const context = { settings, secrets, bounds };
  const byName = new Map<string, HashVerifier>();
  const byNameOrAlias = new Map<string, HashVerifier>();
  for (const algorithm of algorithms) {
    const verifier = buildVerifier(algorithm, context);
    byName.set(algorithm.name, verifier);
    for (const name of [algorithm.name, ...algorithm.aliases]) byNameOrAlias.set(name, verifier);
  }
  const all = [...byName.values()];
  // Only this service makes wrapped hashes: no request can name their algorithm, and no imported hash is
  // recognised as one.
  const inner = new Map(byName);
  byName.set(
    WRAPPED,
    wrappedVerifier((algorithm) => inner.get(algorithm), bounds),
  );
  /** The verifier of the last hash comes first, because the hashes of one system have the same shape. */
  const recognisable = [...all];
  const byRank = [...algorithms]
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .flatMap(({ name }) => byName.get(name) ?? []);
  return {
    find: (algorithm) => byName.get(algorithm),
    named: (nameOrAlias) => byNameOrAlias.get(nameOrAlias.toLowerCase()),
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
  if (hash instanceof ParsedHash && hash.verifier === verifier) return hash;
  return tryParse(verifier, hash.encoded, hash.secretId ?? null);
}
