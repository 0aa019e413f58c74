import { timingSafeEqual } from 'node:crypto';
import type { MistakeCode } from './diagnose/mistakes.ts';
import { identityOf } from './formats/hash-identity.ts';
import { numbersAndLengths } from './formats/hash-part.ts';
import { zeroedDigest } from './formats/zeroed-digest.ts';
import type { PasswordReading, SecondReading } from './kdf/password-reading.ts';
import type { PortableHash } from './portable-hash.ts';
import type { Computation, HashCost, HashOperations, HashParameters, Strength } from './verifier.ts';

/**
 * A setting of the service that belongs to one hash algorithm. The settings are keyed by their configuration
 * names.
 */
export interface WholeNumberSetting {
  min: number;
  max: number;
  default: number;
  /** Description of the setting for the documentation: a sentence with a full stop. */
  description: string;
}

/** Settings and the configured secret that a parser of hashes may use. */
export interface ParserContext<Setting extends string> {
  settings: Readonly<Record<Setting, number>>;
  /**
   * Secret that the hash was made with (a pepper, a site key, a signer key), decoded. Undefined if none is configured.
   */
  secret: Uint8Array | undefined;
}

/**
 * A hash string that may be the original one, if a mistake has changed it in the export. `secret` is set if
 * the hash string is right and the configured secret is wrong: the hash then parses with this secret.
 */
export interface PossibleRepair {
  mistake: MistakeCode;
  encoded: string;
  secret?: Uint8Array;
}

/** Makes hashes of passwords that are set through this service, with the configured algorithm. */
export interface HashMaker {
  /** Example of a hash with the same settings, with a fixed salt and digest. */
  readonly example: string;
  /** Returns a hash of the password with a new random salt. */
  make(password: Buffer): Promise<string>;
}

/**
 * Way in which an algorithm hashes passwords that are set through this service. `password_hashing_alg` names
 * the algorithm.
 */
export interface OwnHashes<Limit extends string, Setting extends string> {
  /**
   * Settings of new hashes. `atMost` names the limit on imported hashes that the setting must not exceed, so
   * that this service accepts all of its own hashes.
   */
  settings: Record<Setting, WholeNumberSetting & { atMost?: NoInfer<Limit> }>;
  /** Name of the setting to which messages refer if a new hash would take too much memory or time. */
  mainSetting: NoInfer<Setting>;
  cost(settings: Readonly<Record<Setting, number>>): HashCost;
  /** Returns a sentence for each broken rule between settings, except `atMost`. Omitted if there are no such rules. */
  conflicts?(settings: Readonly<Record<Setting, number>>): string[];
  maker(settings: Readonly<Record<Setting, number>>): HashMaker;
}

/** Time of one verification on the reference machine, for the table in docs/hash-reference.md. */
export interface ReferenceTime {
  formula: string;
  examples: string;
  /** Measured time of one verification. The times that the documentation shows are rounded from it. */
  measured: string;
}

interface Traits<Limit extends string, Own extends string> {
  /** Name of the algorithm in `hashingAlgorithm`, which is saved beside each hash. */
  name: string;
  /** Name of the algorithm in messages, such as `BCrypt` in "Password hash is in invalid BCrypt format". */
  displayName: string;
  /** The syntax of the family's hashes in one line of Markdown, for tables. */
  looksLike: string;
  /** Strength of the family's usual hashes. `strengthOf` returns the strength of one hash. */
  strength: Strength;
  reference: ReferenceTime;
  /**
   * Matches the start of every hash of the family. No other family's `shape` matches the same hash, unless `byNameOnly`
   * is set.
   */
  shape: RegExp;
  /**
   * Set if the hashes look like those of other families. A request must then name the family, because a wrong guess
   * would lock the user out.
   */
  byNameOnly?: true;
  /** Matches further hashes of the family. They are accepted only if the request names the family. */
  shapeByName?: RegExp;
  /**
   * Returns the reason why this machine cannot verify the family's hashes, as text for operators, or
   * undefined if it can. Called for each hash. Omitted if every machine can.
   */
  unavailable?(): string | undefined;
  /**
   * Rank of the family among those that fit a hash: lower ranks are suggested first, and equal ranks in the
   * order of the registry. Defaults to 0.
   */
  rank?: number;
  /**
   * Whether hashes of the family need a configured secret, such as a pepper. `required`: a hash is refused
   * without one. `optional`: only some hashes need one, and the parser refuses those if it is missing.
   */
  secret?: 'required' | 'optional';
  /**
   * Returns the function that parses hash strings. The function reads the string to its last character and checks the
   * bounds of each parameter. A bulk import calls the function a million times, and `parser` once.
   * @throws {HashRefused} from the function
   */
  parser(context: ParserContext<Limit>): (encoded: string) => unknown;
  own?: OwnHashes<Limit, Own>;
}

/** Definition of one hash algorithm. Each optional member has a default that suits most algorithms. */
export interface AlgorithmDefinition<Parsed extends object, Limit extends string, Own extends string>
  extends Traits<Limit, Own> {
  /** Other names of the algorithm that requests may use, in lower case. They are never stored. */
  aliases?: readonly string[];
  /** Name of the algorithm in SuperTokens core, if it differs. */
  superTokensName?: string;
  /** Settings of the service that limit the cost of imported hashes. */
  limits?: Record<Limit, WholeNumberSetting>;
  parser(context: ParserContext<Limit>): (encoded: string) => Parsed;
  cost(parsed: NoInfer<Parsed>): HashCost;
  /**
   * Returns the way in which the hash reads a password: which bytes of the password are digested (`verify`
   * and `compute` receive these bytes), and whether another password gives the same bytes. If so, the hash is
   * not upgraded.
   */
  password(parsed: NoInfer<Parsed>, secret: Buffer): PasswordReading;
  /**
   * Returns the second form of a password, such as another encoding, which is tried if the first form does
   * not match. Omitted if there is none.
   */
  secondReading?(parsed: NoInfer<Parsed>): SecondReading | undefined;
  /** Returns the strength of one hash. By default, all hashes have the family's `strength`. */
  strengthOf?(parsed: NoInfer<Parsed>): Strength;
  /**
   * Returns whether the password matches. Defaults to comparing the result of `compute`.
   * @throws what the library throws: a failure must never count as a wrong password
   */
  verify?(parsed: Parsed, password: Buffer, secret: Buffer): Promise<boolean>;
  /**
   * Functions that read the stored digest of a hash and compute the digest of a password. Omitted if the
   * algorithm can only `verify`.
   */
  compute?: Computation<Parsed>;
  /**
   * Returns a hash of the same cost that is made of zeros and reveals nothing of this hash. It is verified in
   * place of a hash for unknown e-mails.
   */
  decoy(parsed: NoInfer<Parsed>, encoded: string): string;
  /**
   * Returns the hash with zeros in place of its digest and nothing else changed, or undefined if that is
   * impossible. A wrapped hash, which hashes the digest of this hash once more, keeps the parameters of this
   * hash in that form. Therefore `compute.of` must return the same digests for the result as for the hash,
   * and the result must not contain anything by which passwords could be guessed, such as a second digest. By
   * default, formats/zeroed-digest.ts finds and clears the digest.
   */
  withoutDigest?(parsed: NoInfer<Parsed>, encoded: string): string | undefined;
  /** Returns the password if the hash contains it in the clear or in reversible form. Omitted if it never does. */
  clearText?(parsed: NoInfer<Parsed>): string | undefined;
  /**
   * Returns the hash in terms of a public algorithm that digests the bytes of the password as they are, for
   * other systems. Omitted or undefined if there is none.
   */
  portable?(parsed: NoInfer<Parsed>, encoded: string): PortableHash | undefined;
  /**
   * Returns the parts that identify the hash: parameters, salt and digest. The result is the same for all
   * spellings of the hash, and differs for different hashes. Defaults to all of `parsed`, with the decoded
   * bytes of its parts.
   */
  identity?(parsed: NoInfer<Parsed>): object;
  /**
   * Returns the parameters of the hash to show to operators. Defaults to the numbers of `parsed` and the
   * lengths of its parts.
   */
  describe?(parsed: Parsed): HashParameters;
  /**
   * Returns hash strings that the text may have been before a mistake, the most likely first, or `encoded`
   * itself if nothing fits. It works on the text, because most strings that need a repair do not parse.
   * Omitted if no mistakes are known.
   */
  repairs?(encoded: string, context: ParserContext<Limit>): PossibleRepair[];
}

/**
 * A hash algorithm with all defaults filled in, as the registry holds it. Its parsed hashes have the type
 * `unknown`, so that algorithms with different ones fit into one list.
 */
export interface HashAlgorithm<Limit extends string = string, Own extends string = string>
  extends Traits<Limit, Own>,
    HashOperations {
  readonly aliases: readonly string[];
  readonly superTokensName: string;
  readonly limits: Readonly<Record<Limit, WholeNumberSetting>>;
  /**
   * Functions that read the stored digest of a hash and compute the digest of a password. Undefined if hashes
   * can only be verified as a whole.
   */
  readonly compute?: Computation<unknown>;
  cost(parsed: unknown): HashCost;
  repairs(encoded: string, context: ParserContext<Limit>): PossibleRepair[];
}

/**
 * Returns whether the string has a shape of this family, including shapes that require a request to name the family.
 */
export const hasShapeOf = (
  { shape, shapeByName }: Pick<DialectTraits, 'shape' | 'shapeByName'>,
  encoded: string,
) => shape.test(encoded) || shapeByName?.test(encoded) === true;

/** Names and syntax of one system's variant of a hash family, as in the definition of an algorithm. */
export interface DialectTraits {
  name: string;
  aliases?: readonly string[];
  /** Name of the family in messages. Defaults to `name`. */
  displayName?: string;
  looksLike: string;
  shape: RegExp;
  shapeByName?: RegExp;
  byNameOnly?: true;
}

export function defineAlgorithm<
  Parsed extends object,
  Limit extends string = never,
  Own extends string = never,
>(definition: AlgorithmDefinition<Parsed, Limit, Own>): HashAlgorithm<Limit, Own> {
  const { name, strength, password: readingOf } = definition;
  const compute = definition.compute && computeOf(definition.compute, readingOf);
  const verify = definition.verify && verifyOf(definition.verify, readingOf);
  if (verify === undefined && compute === undefined) throw new Error(`${name} verifies nothing`);
  return {
    aliases: [],
    superTokensName: name,
    limits: {} as Record<Limit, WholeNumberSetting>,
    describe: (parsed: Parsed) => numbersAndLengths(parsed),
    repairs: () => [],
    strengthOf: () => strength,
    withoutDigest: (parsed: Parsed, encoded: string) =>
      compute && zeroedDigest(encoded, parsed, compute.digest(parsed)),
    ...definition,
    compute,
    verify: verify ?? (compute && verifyBy(compute)),
    identity: (parsed: Parsed) => `${name} ${identityOf(definition.identity?.(parsed) ?? parsed)}`,
    isOnlyPassword: (parsed: Parsed, password: Buffer, secret: Buffer) =>
      !(compute && compute.digest(parsed).length < MIN_ONLY_DIGEST_BYTES) &&
      readingOf(parsed, secret).isOnly(password) &&
      definition.secondReading?.(parsed)?.mayBeOfAnother(password) !== true,
  } as unknown as HashAlgorithm<Limit, Own>;
}

/**
 * Length in bytes from which a digest counts as the digest of one password only. For a shorter digest, another password
 * can be found by trying: four bytes take 2^32 attempts. The digest of DES has eight bytes.
 */
const MIN_ONLY_DIGEST_BYTES = 8;

type ReadingOf<Parsed> = (parsed: Parsed, secret: Buffer) => PasswordReading;
type Verify<Parsed> = (parsed: Parsed, password: Buffer, secret: Buffer) => Promise<boolean>;

function computeOf<Parsed>(
  { digest, of }: Computation<Parsed>,
  readingOf: ReadingOf<Parsed>,
): Computation<Parsed> {
  return {
    digest,
    of(parsed, password, secret) {
      const read = readingOf(parsed, secret).of(password);
      return read && of(parsed, read, secret);
    },
  };
}

function verifyOf<Parsed>(verify: Verify<Parsed>, readingOf: ReadingOf<Parsed>): Verify<Parsed> {
  return async (parsed, password, secret) => {
    const read = readingOf(parsed, secret).of(password);
    return read !== undefined && verify(parsed, read, secret);
  };
}

function verifyBy<Parsed>({ digest, of }: Computation<Parsed>) {
  return async (parsed: Parsed, password: Buffer, secret: Buffer): Promise<boolean> => {
    const computed = await of(parsed, password, secret);
    const stored = digest(parsed);
    return computed !== undefined && computed.length === stored.length && timingSafeEqual(computed, stored);
  };
}
