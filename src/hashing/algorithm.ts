import { timingSafeEqual } from 'node:crypto';
import type { MistakeCode } from './diagnose/mistakes.ts';
import { identityOf } from './formats/hash-identity.ts';
import { numbersAndLengths } from './formats/hash-part.ts';
import { zeroedDigest } from './formats/zeroed-digest.ts';
import type { PasswordReading, SecondReading } from './kdf/password-reading.ts';
import type { Computation, HashCost, HashOperations, HashParameters, Strength } from './verifier.ts';

/** A setting of the service that belongs to one algorithm. Its name is that of the configuration. */
export interface WholeNumberSetting {
  min: number;
  max: number;
  default: number;
  /** A sentence for the documentation, ending in a full stop. */
  description: string;
}

/** What hashes are parsed by. */
export interface ParserContext<Setting extends string> {
  settings: Readonly<Record<Setting, number>>;
  /** The secret that the hash was made with (a pepper, a site key, a signer key), decoded; undefined where none is configured. */
  secret: Uint8Array | undefined;
}

/** What a hash may have been before a mistake. `secret`: the one to parse it with, where that is at fault. */
export interface PossibleRepair {
  mistake: MistakeCode;
  encoded: string;
  secret?: Uint8Array;
}

/** Makes hashes of passwords that are set through this service. */
export interface HashMaker {
  /** What the hashes look like: the same settings over a fixed salt and digest. */
  readonly example: string;
  /** Returns a hash with a fresh random salt. */
  make(password: Buffer): Promise<string>;
}

/** How an algorithm hashes passwords that are set through this service: what `password_hashing_alg` can name. */
export interface OwnHashes<Limit extends string, Setting extends string> {
  /** `atMost` names the limit that the setting must not be above: what is made here must be accepted here. */
  settings: Record<Setting, WholeNumberSetting & { atMost?: NoInfer<Limit> }>;
  /** The setting that messages name when a hash would take too much memory or time. */
  mainSetting: NoInfer<Setting>;
  cost(settings: Readonly<Record<Setting, number>>): HashCost;
  /** Returns a sentence for each rule between settings that is broken, `atMost` aside. Left out: there are no such rules. */
  conflicts?(settings: Readonly<Record<Setting, number>>): string[];
  maker(settings: Readonly<Record<Setting, number>>): HashMaker;
}

/** How long one verification takes by the reference, for the table of docs/hash-formats.md. */
export interface ReferenceTime {
  formula: string;
  examples: string;
  /** What the figure was rounded from. */
  measured: string;
}

interface Traits<Limit extends string, Own extends string> {
  /** The wire name, saved beside each hash. */
  name: string;
  /** How messages name the algorithm, e.g. `BCrypt` in "Password hash is in invalid BCrypt format". */
  displayName: string;
  /** What its hashes look like: one line of Markdown for tables. */
  looksLike: string;
  /** Of its usual hashes; `strengthOf` tells it of one hash. */
  strength: Strength;
  reference: ReferenceTime;
  /** Anchored at the start: what its hashes look like at a glance. It tells the family from all others, unless `byNameOnly`. */
  shape: RegExp;
  /** Its hashes look like those of other families, so that a request must name it: a false guess locks a user out. */
  byNameOnly?: true;
  /** What else its hashes look like, where a request must name it and `shape` need not be named. */
  shapeByName?: RegExp;
  /** Why its hashes cannot be verified on this machine, for people. Undefined, or left out: they can. Asked for each hash. */
  unavailable?(): string | undefined;
  /** Where several families fit a hash, those of lower rank are named first, and among equals those that the registry lists first. Left out: 0. */
  rank?: number;
  /** `required`: without a configured secret its hashes are refused. `optional`: some need one; the parser refuses those. */
  secret?: 'required' | 'optional';
  /**
   * Returns the function that reads hash strings. It reads the whole string, to the last character, and checks the bounds of
   * each parameter. It is called a million times in a bulk import, and `parser` once.
   * @throws {HashRefused} from the function
   */
  parser(context: ParserContext<Limit>): (encoded: string) => unknown;
  own?: OwnHashes<Limit, Own>;
}

/** Everything this service knows of one algorithm. What is optional has a default that suits most. */
export interface AlgorithmDefinition<Parsed extends object, Limit extends string, Own extends string>
  extends Traits<Limit, Own> {
  /** Other names that requests may use, in lower case. They are never stored. */
  aliases?: readonly string[];
  /** How SuperTokens core calls it, if it knows it by another name. */
  superTokensName?: string;
  /** The bounds of imported hashes: settings of the service. */
  limits?: Record<Limit, WholeNumberSetting>;
  parser(context: ParserContext<Limit>): (encoded: string) => Parsed;
  cost(parsed: NoInfer<Parsed>): HashCost;
  /**
   * Returns what is digested of a password. `verify` and `compute` are given what it reads, so that whatever makes two passwords
   * one is known here, and neither is upgraded.
   */
  password(parsed: NoInfer<Parsed>, secret: Buffer): PasswordReading;
  /** Returns what is tried where the password itself does not match. Left out: nothing. */
  secondReading?(parsed: NoInfer<Parsed>): SecondReading | undefined;
  /** Left out: `strength`. */
  strengthOf?(parsed: NoInfer<Parsed>): Strength;
  /** Is this the password? Left out: `compute` says so. @throws what the library throws: a failure is never "no" */
  verify?(parsed: Parsed, password: Buffer, secret: Buffer): Promise<boolean>;
  /** The bytes that the hash would hold if this were the password, and those it holds. Left out: `verify` says all. */
  compute?: Computation<Parsed>;
  /** Returns another hash of the same cost, of zeros: it tells nothing of this one. */
  decoy(parsed: NoInfer<Parsed>, encoded: string): string;
  /**
   * Returns the hash with zeros in place of its digest, and of nothing else; undefined where that cannot be done. Hashes of class
   * broken are kept so within a strong one. `compute.of` must come to the same with it, and nothing may be left that passwords could be
   * guessed by, such as a second digest. Left out: the digest is zeroed where it stands (formats/zeroed-digest.ts).
   */
  withoutDigest?(parsed: NoInfer<Parsed>, encoded: string): string | undefined;
  /** Returns the password, if the hash holds it in the clear or in a form that can be reversed. Left out: it never does. */
  clearText?(parsed: NoInfer<Parsed>): string | undefined;
  /**
   * Returns what makes the hash this one: parameters, salt and digest, the same for all spellings of it, and others for any other hash.
   * Left out: all of `parsed`, the bytes of its parts.
   */
  identity?(parsed: NoInfer<Parsed>): object;
  /** Left out: the numbers of `parsed`, and the lengths of its parts. */
  describe?(parsed: Parsed): HashParameters;
  /**
   * Returns what the string may have been before a likely mistake, likeliest first; `encoded` itself where nothing fits. It works
   * on the text, as most of what needs a repair does not parse. Left out: no mistakes are known.
   */
  repairs?(encoded: string, context: ParserContext<Limit>): PossibleRepair[];
}

/** A definition with its defaults, as the registry holds it: it does not show what its hashes are parsed to. */
export interface HashAlgorithm<Limit extends string = string, Own extends string = string>
  extends Traits<Limit, Own>,
    HashOperations {
  readonly aliases: readonly string[];
  readonly superTokensName: string;
  readonly limits: Readonly<Record<Limit, WholeNumberSetting>>;
  /** Undefined where a hash is no single digest. */
  readonly compute?: Computation<unknown>;
  cost(parsed: unknown): HashCost;
  repairs(encoded: string, context: ParserContext<Limit>): PossibleRepair[];
}

/** Has the string a shape of this family, also one for which the family must be named? */
export const hasShapeOf = (
  { shape, shapeByName }: Pick<DialectTraits, 'shape' | 'shapeByName'>,
  encoded: string,
) => shape.test(encoded) || shapeByName?.test(encoded) === true;

/** How a dialect of a family is called and what it looks like, as in the definition of an algorithm. */
export interface DialectTraits {
  name: string;
  aliases?: readonly string[];
  /** Left out: the name. */
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
 * Shortest digest that counts as the digest of one password only. Whoever knows a hash with a shorter digest finds another
 * password by trying: four bytes take 2^32 digests. DES has eight bytes.
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
