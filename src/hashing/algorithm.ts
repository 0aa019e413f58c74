import type { MistakeCode } from './diagnose/mistakes.ts';
import { numbersAndLengths, zeroedParts } from './formats/hash-part.ts';
import type { HashCost, HashOperations, HashParameters } from './verifier.ts';

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
  /** external_password_hashing_signer_key, decoded; undefined where none is configured. */
  signerKey: Uint8Array | undefined;
}

/** What a hash may have been before a mistake. `signerKey`: the one to parse it with, where that is at fault. */
export interface PossibleRepair {
  mistake: MistakeCode;
  encoded: string;
  signerKey?: Uint8Array;
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
  /** `legacy`: salted and iterated, but cheap today. `broken`: one or a few digests, or no salt. */
  strength: 'strong' | 'legacy' | 'broken';
  reference: ReferenceTime;
  /** Anchored at the start; tells this family from all others. */
  prefix: RegExp;
  /**
   * Returns the function that reads hash strings. It reads the whole string, to the last character, and checks the bounds of
   * each parameter. It is called a million times in a bulk import, and `parser` once.
   * @throws {HashRefused} from the function
   */
  parser(context: ParserContext<Limit>): (encoded: string) => unknown;
  /** `verify` is a loop in JavaScript. It runs in the hashing process, whatever it costs: the event loop here is for calls. */
  loopsInJavaScript?: true;
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
   * Is this the password? Runs the KDF on libuv's threads or, with `loopsInJavaScript`, in slices of a few milliseconds.
   * @throws what the library throws: a failure is never "no"
   */
  verify(parsed: Parsed, password: Buffer): Promise<boolean>;
  /** Returns another hash of the same cost. Left out: `parsed` has PlacedParts, which are filled with zeros. */
  decoy?(parsed: Parsed): string;
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
  cost(parsed: unknown): HashCost;
  repairs(encoded: string, context: ParserContext<Limit>): PossibleRepair[];
}

export function defineAlgorithm<
  Parsed extends object,
  Limit extends string = never,
  Own extends string = never,
>(definition: AlgorithmDefinition<Parsed, Limit, Own>): HashAlgorithm<Limit, Own> {
  const { decoy, name } = definition;
  return {
    aliases: [],
    superTokensName: name,
    limits: {} as Record<Limit, WholeNumberSetting>,
    describe: (parsed: Parsed) => numbersAndLengths(parsed),
    repairs: () => [],
    ...definition,
    decoy: (encoded: string, parsed: Parsed) =>
      decoy === undefined ? zeroedParts(encoded, parsed) : decoy(parsed),
  } as HashAlgorithm<Limit, Own>;
}
