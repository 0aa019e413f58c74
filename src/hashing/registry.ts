import { FAMILIES, OWN_FAMILIES, SIGNER_KEY_ALGORITHM } from './families.ts';
import type { Family } from './family.ts';
import type { HashCost, Strength } from './form.ts';
import { HashRefused } from './refused.ts';
import { repairsOf } from './repairs.ts';
import { type HashingSecret, HashingSecrets, type SecretFingerprint, type SecretLookup } from './secrets.ts';
import {
  type HashVerifier,
  type KnownSecret,
  ParsedHash,
  type PasswordHash,
  type SecretId,
  type SubmittedHash,
  secretFor,
  tryParse,
} from './verifier.ts';
import { WRAPPED, wrappedOf } from './wrapped.ts';

/**
 * Leaves room for 1024 bytes each of salt and digest and 512 of associated data, more than any known hash
 * has.
 */
const MAX_LENGTH = 4096;
const MIB = 1024 * 1024;

/** Bounds for hashes of every family. */
export interface HashingLimits {
  /** Memory for all hashing together (hashing_memory_mb), in bytes. No single hash may need more. */
  memoryBudgetBytes: number;
  /** Maximum time of one verification on the reference machine, in milliseconds (hashing_max_ms). */
  maxMs: number;
  /** Whether hashes are only parsed, so that libraries which this machine lacks are not needed. */
  ignoresLibraries?: true;
}

export interface HashRegistry {
  /** Returns the verifier with exactly this name, as it is saved beside a hash. */
  find(algorithm: string): HashVerifier | undefined;
  /** Returns the verifier with this name or alias, in upper or lower case, as requests name it. */
  named(nameOrAlias: string): HashVerifier | undefined;
  recognise(encoded: string): HashVerifier | undefined;
  /**
   * Returns the verifiers of all families whose beginning the hash has, the most plausible first: the one of
   * `recognise`, then by rank, then in the order of the families.
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
  families: readonly Family[] = FAMILIES,
): HashRegistry => registryWith(limits, new HashingSecrets(secrets), families);

function registryWith(
  limits: HashingLimits,
  secrets: SecretLookup,
  families: readonly Family[],
): HashRegistry {
  const byName = new Map(families.map((family) => [family.name, verifierOf(family, secrets, limits)]));
  const all = [...byName.values()];
  const byNameOrAlias = new Map(
    all.flatMap((verifier) =>
      [verifier.algorithm, ...verifier.family.aliases].map((name) => [name, verifier]),
    ),
  );
  // Only this service makes wrapped hashes: no request can name their family, and no imported hash is recognised
  // as one.
  byName.set(WRAPPED, verifierOf(wrappedOf(families), secrets, limits));
  /** The verifier of the last hash comes first, because the hashes of one system have the same beginning. */
  const recognisable = all.filter(({ family }) => !family.byName);
  const byRank = [...all].sort((a, b) => a.family.rank - b.family.rank);
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

/** Returns a verifier with the checks that all families share: length, secret, memory and time. */
function verifierOf(family: Family, secrets: SecretLookup, limits: HashingLimits): HashVerifier {
  const { name } = family;
  const takesSecret = family.secret !== undefined;

  function findSecret(secretId: SecretId, encoded: string): KnownSecret | undefined {
    const isWrapped = family.innerOf !== undefined;
    const owner = family.innerOf === undefined ? family : family.innerOf(encoded);
    if (owner?.secret !== undefined) return secrets.find(owner.name, secretId);
    if (typeof secretId === 'string' && !isWrapped)
      throw new HashRefused('secret', `hashes of ${name} have no secret: leave out hashingSecretId`);
    return undefined;
  }

  function verifierWith(
    secretFor: (secretId: SecretId, encoded: string) => KnownSecret | undefined,
  ): HashVerifier {
    const verifier: HashVerifier = {
      algorithm: name,
      family,
      needsSecret: family.secret === 'required',
      takesSecret,
      recognises: (encoded) => encoded.length <= MAX_LENGTH && family.recognises(encoded),
      resembles: (encoded) => encoded.length <= MAX_LENGTH && family.resembles(encoded),
      parse(encoded, secretId) {
        const secret = secretFor(secretId, encoded);
        if (encoded.length > MAX_LENGTH) {
          throw new HashRefused('format', `expected at most ${MAX_LENGTH} characters, got ${encoded.length}`);
        }
        const opened = family.read(encoded);
        const { cost } = opened;
        checkBounds(cost, limits);
        opened.checkUsable(name, secret?.bytes);
        if (!limits.ignoresLibraries) opened.checkAvailable(name);
        return new ParsedHash(verifier, opened, cost, secret);
      },
      repairs(encoded, secretId) {
        if (encoded.length > MAX_LENGTH) return [];
        const secret = secretFor(secretId, encoded);
        const seen = new Set([encoded]);
        return repairsOf(family, encoded, secret?.bytes).flatMap(({ secret: other, ...repair }) => {
          if (other !== undefined)
            return [{ ...repair, verifier: verifierWith(() => ({ id: secret?.id, bytes: other })) }];
          if (seen.has(repair.encoded)) return [];
          seen.add(repair.encoded);
          return [repair];
        });
      },
    };
    return verifier;
  }
  return verifierWith(findSecret);
}

/** @throws {HashRefused} `cost` */
function checkBounds({ memoryBytes, ms }: HashCost, { memoryBudgetBytes, maxMs }: HashingLimits): void {
  if (memoryBytes > memoryBudgetBytes) {
    const [needed, available] = [Math.ceil(memoryBytes / MIB), Math.floor(memoryBudgetBytes / MIB)];
    throw new HashRefused(
      'cost',
      `needs ${needed} MiB of memory, above the limit of ${available} MiB (hashing_memory_mb)`,
    );
  }
  if (ms <= maxMs) return;
  throw new HashRefused(
    'cost',
    `takes ${Math.ceil(ms)} ms by the reference table, above the limit of ${maxMs} ms (hashing_max_ms)`,
  );
}

/** Family to which a hash may belong, with the parsed hash or the reason for the refusal. */
export interface CandidateFamily {
  verifier: HashVerifier;
  read: ParsedHash | HashRefused;
}

export interface DescribedCandidate {
  hashingAlgorithm: string;
  aliases?: string[];
  strength: Strength;
  needsSecret: boolean;
  /** Whether an import takes the hash for this family only if the request names the family. */
  mustBeNamed: boolean;
  parses: boolean;
  reason?: string;
}

/**
 * Returns the families whose format the hash has, the most plausible first; no hash is computed. A family
 * fits even if it refuses the hash for its cost or a missing secret. A family that the request names comes
 * first, whether it fits or not. If the request names a secret, the other families must have that secret.
 */
export function candidateFamilies(
  registry: HashRegistry,
  { encoded, named, secret }: SubmittedHash,
): CandidateFamily[] {
  const looksSo = registry.resembling(encoded);
  const verifiers = named === undefined ? looksSo : [named, ...looksSo.filter((one) => one !== named)];
  return verifiers
    .filter((verifier) => verifier === named || mayHave(registry, verifier, secret.id))
    .map((verifier) => ({ verifier, read: tryParse(verifier, encoded, secretFor(verifier, secret)) }))
    .filter(({ verifier, read }) => verifier === named || fits(read));
}

/** An unknown id fits every family that takes a secret, so that the error says that the id is wrong. */
function mayHave(registry: HashRegistry, { algorithm, takesSecret }: HashVerifier, id: string | undefined) {
  if (id === undefined) return true;
  return takesSecret && (!registry.hasSecret(id) || registry.hasSecret(id, algorithm));
}

const fits = (read: ParsedHash | HashRefused) => !(read instanceof HashRefused) || read.reason !== 'format';

export function describeCandidate(
  { verifier, read }: CandidateFamily,
  { encoded }: SubmittedHash,
): DescribedCandidate {
  const refused = read instanceof HashRefused ? read : undefined;
  const lacksSecret = refused?.reason === 'secret' || refused?.reason === 'signer-key-missing';
  return {
    hashingAlgorithm: verifier.algorithm,
    ...(verifier.family.aliases.length > 0 && { aliases: [...verifier.family.aliases] }),
    strength: read instanceof HashRefused ? verifier.family.strength : read.strength,
    needsSecret: verifier.needsSecret || lacksSecret,
    mustBeNamed: !verifier.recognises(encoded),
    parses: refused === undefined,
    ...(refused && { reason: refused.message }),
  };
}

export interface NewHashSettings {
  algorithm: string;
  /** Settings of the family, such as `argon2_memory_kb`. */
  settings: Readonly<Record<string, number>>;
}

export interface NewHashMaker {
  /**
   * Example of a hash with these settings, over fixed bytes. It has the cost of a new hash and is a decoy.
   */
  readonly example: ParsedHash;
  /** Hashes a password with a fresh random salt. bcrypt reads only the first 72 bytes of `password`. */
  make(password: Uint8Array): Promise<ParsedHash>;
}

/** Returns a maker whose hashes pass the same parser as imported hashes. */
export function newHashMaker({ algorithm, settings }: NewHashSettings, registry: HashRegistry): NewHashMaker {
  const own = OWN_FAMILIES.find(({ name }) => name === algorithm)?.own;
  const verifier = registry.find(algorithm);
  if (own === undefined || verifier === undefined) throw new Error(`no verifier for ${algorithm}`);
  const maker = own.maker(settings);
  return {
    example: verifier.parse(maker.example),
    make: async (password) => verifier.parse(await maker.make(Buffer.from(password))),
  };
}

/** Length of Firebase's signer keys. Its scrypt refuses hashes whose digest is not as long as its key. */
const SIGNER_KEY_BYTES = 64;

const MAX_MS = 600_000;

/**
 * Builds a registry that parses hashes as under the widest possible configuration: every secret, library and
 * limit. Every service refuses a hash that this registry refuses. The registry cannot verify hashes.
 * @param signerKey of the export, if known
 */
export function parseOnlyRegistry(signerKey?: Uint8Array): HashRegistry {
  const secret: KnownSecret = { id: undefined, bytes: signerKey ?? new Uint8Array(SIGNER_KEY_BYTES) };
  return registryWith(
    { memoryBudgetBytes: Number.POSITIVE_INFINITY, maxMs: MAX_MS, ignoresLibraries: true },
    { find: () => secret, idsFor: () => [], has: () => true, fingerprints: () => [] },
    FAMILIES,
  );
}
