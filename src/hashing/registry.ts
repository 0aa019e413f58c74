import { FAMILIES, OWN_FAMILIES } from './families.ts';
import { type Family, MAX_LENGTH } from './family.ts';
import type { HashCost, Strength } from './form.ts';
import { HashRefused } from './refused.ts';
import { repairsOf } from './repairs.ts';
import { type HashingSecret, HashingSecrets, type SecretLookup } from './secrets.ts';
import {
  type HashVerifier,
  type KnownSecret,
  ParsedHash,
  type PasswordHash,
  type Repair,
  type SecretId,
  type SubmittedHash,
  secretFor,
  tryParse,
} from './verifier.ts';
import { wrappedOf } from './wrapped.ts';

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

/** All families with the secrets and bounds of a service. */
export class HashRegistry {
  readonly secrets: SecretLookup;
  readonly all: readonly HashVerifier[];
  readonly #byName: ReadonlyMap<string, HashVerifier>;
  readonly #byNameOrAlias: ReadonlyMap<string, HashVerifier>;
  /**
   * Verifiers that recognise hashes. That of the last hash comes first, because the hashes of one system have the same
   * beginning.
   */
  readonly #recognisable: HashVerifier[];
  readonly #byRank: readonly HashVerifier[];

  constructor(limits: HashingLimits, secrets: SecretLookup, families: readonly Family[]) {
    this.secrets = secrets;
    this.all = families.map((family) => verifierOf(family, secrets, limits));
    // Only this service makes wrapped hashes: no request can name their family, and no imported hash is recognised
    // as one.
    const wrapped = verifierOf(wrappedOf(families), secrets, limits);
    this.#byName = new Map([...this.all, wrapped].map((one) => [one.name, one]));
    this.#byNameOrAlias = new Map(
      this.all.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one])),
    );
    this.#recognisable = this.all.filter(({ byName }) => !byName);
    this.#byRank = this.all.toSorted((a, b) => a.rank - b.rank);
  }

  /** Returns the verifier with exactly this name, as it is saved beside a hash. */
  find(algorithm: string): HashVerifier | undefined {
    return this.#byName.get(algorithm);
  }

  /** Returns the verifier with this name or alias, in upper or lower case, as requests name it. */
  named(nameOrAlias: string): HashVerifier | undefined {
    return this.#byNameOrAlias.get(nameOrAlias.toLowerCase());
  }

  recognise(encoded: string): HashVerifier | undefined {
    const index = this.#recognisable.findIndex((verifier) => verifier.recognises(encoded));
    // The list is nearly always in this order already.
    if (index > 0) this.#recognisable.unshift(...this.#recognisable.splice(index, 1));
    return index === -1 ? undefined : this.#recognisable[0];
  }

  /**
   * Returns the verifiers of all families that have hashes with this beginning, the most plausible first: the one of
   * `recognise`, then by rank, then in the order of the families.
   */
  resembling(encoded: string): HashVerifier[] {
    return this.#byRank
      .filter((verifier) => verifier.resembles(encoded))
      .sort((a, b) => Number(b.recognises(encoded)) - Number(a.recognises(encoded)));
  }

  /**
   * Parses a stored hash. If a stored hash is refused now (a limit was lowered, the signer key changed), this is a
   * failure of the service and not of the caller.
   * @throws {Error} with the reason why the hash can no longer be verified
   */
  read(hash: PasswordHash): ParsedHash {
    const parsed = this.#readStored(hash);
    if (parsed instanceof ParsedHash) return parsed;
    if (parsed === undefined) throw new Error(`no verifier for the stored algorithm ${hash.algorithm}`);
    const kind = hash.secretId === undefined ? '' : `, made with the secret ${hash.secretId},`;
    throw new Error(`a stored ${hash.algorithm} hash${kind} can no longer be verified: ${parsed.message}`, {
      cause: parsed,
    });
  }

  tryRead(hash: PasswordHash): ParsedHash | undefined {
    const parsed = this.#readStored(hash);
    return parsed instanceof ParsedHash ? parsed : undefined;
  }

  #readStored(hash: PasswordHash): ParsedHash | HashRefused | undefined {
    const verifier = this.find(hash.algorithm);
    if (hash instanceof ParsedHash && hash.verifier === verifier) return hash;
    return verifier && tryParse(verifier, hash.encoded, hash.secretId ?? null);
  }
}

export const buildRegistry = (
  limits: HashingLimits,
  secrets: readonly HashingSecret[] = [],
  families: readonly Family[] = FAMILIES,
): HashRegistry => new HashRegistry(limits, new HashingSecrets(secrets), families);

/** Returns a verifier with the checks that all families share: length, secret, memory and time. */
function verifierOf(family: Family, secrets: SecretLookup, limits: HashingLimits): HashVerifier {
  const { name } = family;

  function findSecret(secretId: SecretId, encoded: string): KnownSecret | undefined {
    const owner = family.innerOf === undefined ? family : family.innerOf(encoded);
    if (owner?.secret !== undefined) return secrets.find(owner.name, secretId);
    if (typeof secretId === 'string' && owner === family)
      throw new HashRefused('secret', `hashes of ${name} have no secret: leave out hashingSecretId`);
    return undefined;
  }

  function verifierWith(
    secretFor: (secretId: SecretId, encoded: string) => KnownSecret | undefined,
  ): HashVerifier {
    // `Object.assign` is used, because a spread of the family takes four times as long.
    const verifier: HashVerifier = Object.assign({}, family, {
      algorithm: name,
      takesSecret: family.secret !== undefined,
      parse(encoded: string, secretId: SecretId) {
        const secret = secretFor(secretId, encoded);
        if (encoded.length > MAX_LENGTH)
          throw new HashRefused('format', `expected at most ${MAX_LENGTH} characters, got ${encoded.length}`);
        const opened = family.read(encoded);
        const { cost } = opened;
        checkBounds(cost, limits);
        opened.checkUsable(name, secret?.bytes);
        if (!limits.ignoresLibraries) opened.checkAvailable(name);
        return new ParsedHash(verifier, opened, cost, secret);
      },
      repairs(encoded: string, secretId: SecretId): Repair[] {
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
    });
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
  /** Strength of the hash, or of the family's usual hashes if the hash is refused. */
  strength: Strength;
  lacksSecret: boolean;
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
  // An unknown id fits every family that takes a secret, so that the error says that the id is wrong.
  const mayHave = ({ algorithm, takesSecret }: HashVerifier, id: string) =>
    takesSecret && (!registry.secrets.has(id) || registry.secrets.has(id, algorithm));
  const others = registry.resembling(encoded).filter((one) => one !== named);
  const possible = others.filter((one) => secret.id === undefined || mayHave(one, secret.id));
  return [...(named ? [named] : []), ...possible].flatMap((verifier) => {
    const read = tryParse(verifier, encoded, secretFor(verifier, secret));
    const reason = read instanceof HashRefused ? read.reason : undefined;
    if (verifier !== named && reason === 'format') return [];
    const { strength } = read instanceof HashRefused ? verifier : read;
    return [
      { verifier, read, strength, lacksSecret: reason === 'secret' || reason === 'signer-key-missing' },
    ];
  });
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

export function describeCandidate(
  { verifier, read, strength, lacksSecret }: CandidateFamily,
  { encoded }: SubmittedHash,
): DescribedCandidate {
  const { name, aliases, secret } = verifier;
  return {
    hashingAlgorithm: name,
    ...(aliases.length > 0 && { aliases: [...aliases] }),
    strength,
    needsSecret: secret === 'required' || lacksSecret,
    mustBeNamed: !verifier.recognises(encoded),
    parses: read instanceof ParsedHash,
    ...(read instanceof HashRefused && { reason: read.message }),
  };
}

export interface NewHashSettings {
  algorithm: string;
  /** Settings of the family, such as `argon2_memory_kb`. */
  settings: Readonly<Record<string, number>>;
}

export interface NewHashMaker {
  /**
   * Example of a hash with these settings, with a fixed salt and digest. It has the cost of a new hash, and is a decoy.
   */
  readonly example: ParsedHash;
  /** Hashes a password with a fresh random salt. bcrypt reads only the first 72 bytes of `password`. */
  make(password: Uint8Array): Promise<ParsedHash>;
}

/** Returns a maker whose hashes pass the same parser as imported hashes. */
export function newHashMaker(
  { algorithm, settings }: NewHashSettings,
  registry: Pick<HashRegistry, 'find'>,
): NewHashMaker {
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
  return new HashRegistry(
    { memoryBudgetBytes: Number.POSITIVE_INFINITY, maxMs: MAX_MS, ignoresLibraries: true },
    { find: () => secret, idsFor: () => [], has: () => true, fingerprints: () => [] },
    FAMILIES,
  );
}
