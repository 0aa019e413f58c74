import { timingSafeEqual } from 'node:crypto';
import type { MistakeCode } from './diagnose/mistakes.ts';
import { identityOf } from './formats/hash-identity.ts';
import { numbersAndLengths } from './formats/hash-part.ts';
import { zeroedDigest } from './formats/zeroed-digest.ts';
import type { PasswordReading, SecondReading } from './kdf/password-reading.ts';
import type { PortableHash } from './portable-hash.ts';
import type { Computation, HashCost, HashOperations, HashParameters, Strength } from './verifier.ts';

export interface WholeNumberSetting {
  min: number;
  max: number;
  default: number;
  description: string;
}

export interface ParserContext<Setting extends string> {
  settings: Readonly<Record<Setting, number>>;
  /** Decoded secret of the hash: a pepper, a site key or a signer key. Undefined if none is configured. */
  secret: Uint8Array | undefined;
}

/**
 * A hash string that may be the original one, if a mistake has changed it in the export.
 * `secret` is set if the configured secret is wrong instead: the hash then parses with `secret`.
 */
export interface PossibleRepair {
  mistake: MistakeCode;
  encoded: string;
  secret?: Uint8Array;
}

export interface HashMaker {
  readonly example: string;
  make(password: Buffer): Promise<string>;
}

export interface OwnHashes<Limit extends string, Setting extends string> {
  /**
   * `atMost` names the limit on imported hashes that the setting must not exceed, so that the
   * service accepts its own hashes.
   */
  settings: Record<Setting, WholeNumberSetting & { atMost?: NoInfer<Limit> }>;
  /** Setting to which messages refer if a new hash would take too much memory or time. */
  mainSetting: NoInfer<Setting>;
  cost(settings: Readonly<Record<Setting, number>>): HashCost;
  /** Returns a sentence for each broken rule between settings, except `atMost`. */
  conflicts?(settings: Readonly<Record<Setting, number>>): string[];
  maker(settings: Readonly<Record<Setting, number>>): HashMaker;
}

export interface ReferenceTime {
  formula: string;
  examples: string;
  /** Measured time of one verification, from which the times in docs/hash-reference.md are rounded. */
  measured: string;
}

interface Traits<Limit extends string, Own extends string> {
  /** Name in `hashingAlgorithm`, which is saved beside each hash. */
  name: string;
  /** Name in messages, such as `BCrypt` in "Password hash is in invalid BCrypt format". */
  displayName: string;
  /** Syntax of the family's hashes in one line of Markdown. */
  looksLike: string;
  /** Strength of the family's usual hashes. `strengthOf` returns the strength of one hash. */
  strength: Strength;
  reference: ReferenceTime;
  /** Matches the start of every hash of the family, and of no other family unless `byNameOnly` is set. */
  shape: RegExp;
  /**
   * Set if other families' hashes look the same. Requests must then name the family: a wrong guess would lock
   * the user out.
   */
  byNameOnly?: true;
  /** Matches further hashes of the family, which are accepted only if the request names the family. */
  shapeByName?: RegExp;
  /** Returns why this machine cannot verify the family's hashes, for operators. Called for each hash. */
  unavailable?(): string | undefined;
  /** Rank among the families that fit a hash: lower ranks are suggested first. Defaults to 0. */
  rank?: number;
  /** `required`: a hash is refused without a configured secret. `optional`: only some hashes need one. */
  secret?: 'required' | 'optional';
  /**
   * Called once; the returned function, a million times in a bulk import. It reads the hash to its last
   * character.
   * @throws {HashRefused} from the function
   */
  parser(context: ParserContext<Limit>): (encoded: string) => unknown;
  own?: OwnHashes<Limit, Own>;
}

export interface AlgorithmDefinition<Parsed extends object, Limit extends string, Own extends string>
  extends Traits<Limit, Own> {
  /** Further names that requests may use, in lower case. They are never stored. */
  aliases?: readonly string[];
  superTokensName?: string;
  limits?: Record<Limit, WholeNumberSetting>;
  parser(context: ParserContext<Limit>): (encoded: string) => Parsed;
  cost(parsed: NoInfer<Parsed>): HashCost;
  /**
   * Returns which bytes of a password are digested (those that `verify` and `compute` receive), and whether
   * another password gives the same bytes.
   */
  password(parsed: NoInfer<Parsed>, secret: Buffer): PasswordReading;
  /** Returns the second form of a password, tried if the first does not match. */
  secondReading?(parsed: NoInfer<Parsed>): SecondReading | undefined;
  /** Returns the strength of a hash, by default the `strength` of the family. */
  strengthOf?(parsed: NoInfer<Parsed>): Strength;
  /**
   * Defaults to comparing the result of `compute`.
   * @throws what the library throws: a failure must never count as a wrong password
   */
  verify?(parsed: Parsed, password: Buffer, secret: Buffer): Promise<boolean>;
  compute?: Computation<Parsed>;
  /** Returns a hash of zeros with the same cost, which is verified for unknown e-mails. */
  decoy(parsed: NoInfer<Parsed>, encoded: string): string;
  /**
   * Returns the hash with zeros in place of its digest, as a wrapped hash keeps it, or undefined if that is
   * impossible. `compute.of` must return the same digests for the result. The result must not contain
   * anything else by which passwords could be guessed, such as a second digest.
   */
  withoutDigest?(parsed: NoInfer<Parsed>, encoded: string): string | undefined;
  /** Returns the password if the hash contains it in the clear or in reversible form. */
  clearText?(parsed: NoInfer<Parsed>): string | undefined;
  /** Returns the hash in terms of a public algorithm that digests the password's bytes as they are. */
  portable?(parsed: NoInfer<Parsed>, encoded: string): PortableHash | undefined;
  /** Returns the parts that identify the hash in all spellings. Defaults to all of `parsed`, decoded. */
  identity?(parsed: NoInfer<Parsed>): object;
  describe?(parsed: Parsed): HashParameters;
  /**
   * Returns strings that the text may have been before a mistake, the most likely first. The input is text,
   * because most strings that need a repair do not parse.
   */
  repairs?(encoded: string, context: ParserContext<Limit>): PossibleRepair[];
}

/**
 * A hash algorithm with its defaults. `unknown` lets algorithms with different parsed hashes fit into one
 * list.
 */
export interface HashAlgorithm<Limit extends string = string, Own extends string = string>
  extends Traits<Limit, Own>,
    HashOperations {
  readonly aliases: readonly string[];
  readonly superTokensName: string;
  readonly limits: Readonly<Record<Limit, WholeNumberSetting>>;
  readonly compute?: Computation<unknown>;
  cost(parsed: unknown): HashCost;
  repairs(encoded: string, context: ParserContext<Limit>): PossibleRepair[];
}

export const hasShapeOf = (
  { shape, shapeByName }: Pick<DialectTraits, 'shape' | 'shapeByName'>,
  encoded: string,
) => shape.test(encoded) || shapeByName?.test(encoded) === true;

/** One system's variant of a hash family. */
export interface DialectTraits {
  name: string;
  aliases?: readonly string[];
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
 * A shorter digest lets another password be found by trying: four bytes take 2^32 attempts. DES has eight.
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
