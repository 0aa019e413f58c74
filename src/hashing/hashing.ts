import { isUint8Array } from 'node:util/types';
import { FAMILIES } from './families.ts';
import { HashingProcesses } from './process/hashing-processes.ts';
import { needsProcess } from './process/hashing-work.ts';
import { HashRefused, whyHashIsNotTaken } from './refused.ts';
import { buildRegistry, type CandidateFamily, candidateFamilies, type HashRegistry } from './registry.ts';
import type { HashVerifier, ParsedHash } from './verifier.ts';

// The package's export `user-import-core/hashing` (docs/hashing-library.md). Its types are all in this file,
// so that the package needs no other declarations.

export interface HashingOptions {
  /**
   * Maximum time of one verification, in milliseconds on the reference machine (docs/hash-reference.md): 1 to
   * 600,000. Defaults to 2000.
   */
  maxMs?: number | undefined;
  /** Maximum memory of one verification, in MiB: 1 to 1,048,576. Defaults to 1024. */
  memoryMb?: number | undefined;
  /** Peppers, site keys and signer keys with which hashes were made, by ids of your choice. */
  secrets?: Readonly<Record<string, Uint8Array>> | undefined;
}

export interface VerifyOptions {
  /** Name or alias of the family. Without it, the family is found; if several fit, the hash is refused. */
  family?: string | undefined;
  /** Id of the secret with which the hash was made: a member of `secrets`. */
  secret?: string | undefined;
}

/** `broken`: guessed at billions of passwords a second. `legacy`: slower, but below what is recommended now. */
export type HashStrength = 'strong' | 'legacy' | 'broken';

export interface HashFamilyInfo {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Syntax, with names in angle brackets. */
  readonly looksLike: string;
  /** Strength of the usual hashes of the family. */
  readonly strength: HashStrength;
  /** Whether hashes need a secret. Undefined: none does. */
  readonly secret: 'required' | 'optional' | undefined;
  /** Whether hashes of other families look the same, so that `verify` needs the name. */
  readonly mustBeNamed: boolean;
}

export interface FittingFamily {
  readonly name: string;
  /** Strength of this hash. */
  readonly strength: HashStrength;
  /** Whether `verify` takes the hash for this family only if it is named. */
  readonly mustBeNamed: boolean;
  /** Whether `verify` needs the id of a secret. */
  readonly needsSecret: boolean;
  /** Why `verify` refuses the hash, such as a cost above `maxMs`. Undefined if it does not. */
  readonly refusal?: string;
}

export interface Hashing {
  /**
   * Returns whether the password matches the hash. The password may have at most 65,536 bytes. A string is hashed as
   * UTF-8, bytes as they are.
   * @throws {HashingError} if the hash is refused; {TypeError} or {RangeError} for arguments of a wrong type or a
   * longer password; {Error} if the computation failed. None of them means a wrong password.
   */
  verify(hash: string, password: string | Uint8Array, options?: VerifyOptions): Promise<boolean>;
  /** Returns the families whose format the hash has, the most plausible first. Computes no hash. */
  identify(hash: string): FittingFamily[];
  /** All families, whether or not their libraries are installed. */
  readonly families: readonly HashFamilyInfo[];
}

export type HashingErrorCode = 'FAMILY' | 'FORMAT' | 'COST' | 'SECRET' | 'UNAVAILABLE';

/** Refusal of a hash. The message never contains the hash, the password or a secret. */
export class HashingError extends Error {
  /**
   * `FAMILY`: the name is unknown, or without a name no family or several fit. `FORMAT`: the hash does not
   * have the family's format. `COST`: above `maxMs`, `memoryMb` or what the family permits. `SECRET`: the id
   * is missing or unknown, or the family takes no secret. `UNAVAILABLE`: a library is not installed.
   */
  readonly code: HashingErrorCode;
  constructor(code: HashingErrorCode, message: string) {
    super(message);
    this.name = 'HashingError';
    this.code = code;
  }
}

const DEFAULT_MAX_MS = 2000;
const DEFAULT_MEMORY_MB = 1024;
/** Upper bounds of the options, which are those of the settings hashing_max_ms and hashing_memory_mb. */
const HIGHEST_MAX_MS = 600_000;
const HIGHEST_MEMORY_MB = 1_048_576;
const MIB = 1024 * 1024;
/**
 * Maximum bytes of a password. Longer ones are refused, because nobody types them, and some families need seconds for
 * them.
 */
const MAX_PASSWORD_BYTES = 65_536;
/** Maximum number of processes for hashing that may block the event loop, or crash. */
const PROCESSES = 2;

/**
 * Returns functions that parse and verify hashes of all families. Call it once, because the result has processes of its
 * own.
 * @throws {TypeError} or {RangeError} for options that are not as described
 */
export function hashing(options: HashingOptions = {}): Hashing {
  checkPlain('options', options);
  const { maxMs = DEFAULT_MAX_MS, memoryMb = DEFAULT_MEMORY_MB, secrets = {} } = options;
  checkNumber('maxMs', maxMs, HIGHEST_MAX_MS);
  checkNumber('memoryMb', memoryMb, HIGHEST_MEMORY_MB);
  checkPlain('secrets', secrets);
  // These secrets are the default of no family, so each call must name the secret of its hash.
  const takers = FAMILIES.filter(({ secret }) => secret !== undefined).map(({ name }) => name);
  const setup = {
    limits: { memoryBudgetBytes: memoryMb * MIB, maxMs },
    secrets: Object.entries(secrets).map(([id, bytes]) => ({
      id,
      algorithm: undefined,
      algorithms: takers,
      bytes: copyOfSecret(id, bytes),
    })),
    newHashes: { algorithm: 'argon2', settings: {} },
  };
  const registry = buildRegistry(setup.limits, setup.secrets);
  // The processes start when they are first needed, do not keep the program running, and end after a minute without
  // work.
  const processes = new HashingProcesses(setup, { atMost: PROCESSES });

  async function computed(hash: ParsedHash, password: Uint8Array): Promise<boolean> {
    if (needsProcess(hash.cost, password)) return (await processes.verify(hash, password)).matches;
    return hash.verify(password);
  }

  return {
    async verify(hash, password, choice = {}) {
      checkString('hash', hash);
      checkPlain('options', choice);
      const { family, secret } = choice;
      if (secret !== undefined) checkString('secret', secret);
      const bytes = bytesOfPassword(password);
      const verifier = family === undefined ? foundFamily(registry, hash) : namedFamily(registry, family);
      // Null means that the hash has no secret. Undefined would mean a default secret.
      return computed(parsed(verifier, hash, secret ?? null), bytes);
    },
    identify(hash) {
      checkString('hash', hash);
      const found = registry.recognise(hash);
      return candidateFamilies(registry, {
        encoded: hash,
        named: undefined,
        secret: { otherwise: null },
      }).map((one) => described(one, found));
    },
    families: FAMILIES.map(({ name, aliases, looksLike, strength, secret, byName }) => ({
      name,
      aliases: [...aliases],
      looksLike: looksLike.replaceAll('`', ''),
      strength,
      secret,
      mustBeNamed: byName,
    })),
  };
}

/** @throws {TypeError} if it is no number; {RangeError} if it is below 1 or above the maximum */
function checkNumber(name: string, value: unknown, max: number): void {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number`);
  if (!(value >= 1 && value <= max)) throw new RangeError(`${name} must be from 1 to ${max}`);
}

/**
 * Accepts only plain objects, because a Map or a string would count as an object without members.
 * @throws {TypeError}
 */
function checkPlain(name: string, value: unknown): void {
  if (Object.prototype.toString.call(value) !== '[object Object]')
    throw new TypeError(`${name} must be an object`);
}

/** @throws {TypeError} */
function checkString(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`the ${name} must be a string`);
}

/**
 * Copies a secret. A text is refused, because it would be copied as zeros, and every password would be wrong. An empty
 * secret is permitted: it is the default site key of restful-authentication.
 * @throws {TypeError} if it is not bytes
 */
function copyOfSecret(id: string, bytes: unknown): Uint8Array {
  if (!isUint8Array(bytes)) throw new TypeError(`the secret ${id} must be a Uint8Array`);
  return Uint8Array.from(bytes);
}

/** @throws {TypeError} if there is no password; {RangeError} if it is longer than any that people type */
function bytesOfPassword(password: unknown): Uint8Array {
  if (typeof password !== 'string' && !isUint8Array(password))
    throw new TypeError('the password must be a string or a Uint8Array');
  const bytes = typeof password === 'string' ? Buffer.from(password) : password;
  if (bytes.length > MAX_PASSWORD_BYTES)
    throw new RangeError(`the password must have at most ${MAX_PASSWORD_BYTES} bytes`);
  return bytes;
}

/** @throws {HashingError} `FAMILY` */
function namedFamily(registry: HashRegistry, name: string): HashVerifier {
  checkString('family', name);
  const verifier = registry.named(name);
  if (verifier === undefined) throw new HashingError('FAMILY', 'no family has this name');
  return verifier;
}

/** @throws {HashingError} `FAMILY` */
function foundFamily(registry: HashRegistry, hash: string): HashVerifier {
  const verifier = registry.recognise(hash);
  if (verifier !== undefined) return verifier;
  const names = candidateFamilies(registry, { encoded: hash, named: undefined, secret: {} }).map(
    (one) => one.verifier.algorithm,
  );
  if (names.length > 0) throw new HashingError('FAMILY', `name the family, one of ${names.join(', ')}`);
  const why = whyHashIsNotTaken(hash);
  throw new HashingError(
    'FAMILY',
    why === undefined ? 'the hash fits no family' : `the hash is refused: ${why}`,
  );
}

const CODES: Readonly<Record<HashRefused['reason'], HashingErrorCode>> = {
  format: 'FORMAT',
  cost: 'COST',
  secret: 'SECRET',
  'signer-key-missing': 'SECRET',
  unavailable: 'UNAVAILABLE',
};

/** @throws {HashingError} */
function parsed(verifier: HashVerifier, hash: string, secret: string | null): ParsedHash {
  try {
    return verifier.parse(hash, secret);
  } catch (error) {
    if (!(error instanceof HashRefused)) throw error;
    throw new HashingError(CODES[error.reason], messageOf(error, verifier, secret));
  }
}

/**
 * Returns the message of a refusal. Refusals name settings of the service, which are replaced by options of the
 * library.
 */
function messageOf(
  { reason, message }: HashRefused,
  { algorithm, takesSecret }: HashVerifier,
  secret: string | null,
) {
  if (reason === 'signer-key-missing' || (reason === 'secret' && takesSecret))
    return secret === null
      ? `hashes of ${algorithm} need a secret: add it to \`secrets\` and pass its id as \`secret\``
      : 'no secret has this id';
  if (reason === 'secret') return `hashes of ${algorithm} have no secret`;
  return message.replace('hashing_max_ms', 'maxMs').replace('hashing_memory_mb', 'memoryMb');
}

function described(
  { verifier, read, strength, lacksSecret }: CandidateFamily,
  found: HashVerifier | undefined,
): FittingFamily {
  return {
    name: verifier.name,
    strength,
    mustBeNamed: verifier !== found,
    needsSecret: verifier.secret === 'required' || lacksSecret,
    ...(read instanceof HashRefused && !lacksSecret && { refusal: messageOf(read, verifier, null) }),
  };
}
