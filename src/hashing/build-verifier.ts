import { type HashAlgorithm, hasShapeOf, type ParserContext } from './algorithm.ts';
import { checkMemory, checkMs } from './formats/cost-bounds.ts';
import type { SecretLookup } from './secrets.ts';
import { HashRefused, type HashVerifier, type KnownSecret, ParsedHash, type SecretId } from './verifier.ts';

/**
 * Leaves room for 1024 bytes each of salt and digest and 512 of associated data, more than any known hash
 * has.
 */
const MAX_LENGTH = 4096;

/** Bounds for hashes of every algorithm. Parameters within their own bounds can multiply to half a minute. */
export interface SharedBounds {
  /** Memory for all hashing together (hashing_memory_mb), in bytes. No single hash may need more. */
  memoryBudgetBytes: number;
  /** Maximum time of one verification on the reference machine, in milliseconds (hashing_max_ms). */
  maxMs: number;
}

export interface VerifierContext {
  settings: ParserContext<string>['settings'];
  secrets: SecretLookup;
  bounds: SharedBounds;
}

/** Builds a verifier with the checks that all algorithms share: length, memory and time. */
export function buildVerifier(
  algorithm: HashAlgorithm,
  { settings, secrets, bounds }: VerifierContext,
): HashVerifier {
  const { name, shape } = algorithm;
  const takesSecret = algorithm.secret !== undefined;
  const withoutSecret = algorithm.parser({ settings, secret: undefined });
  const parsers = new Map<KnownSecret, (encoded: string) => unknown>();

  function parserFor(secret: KnownSecret | undefined): (encoded: string) => unknown {
    if (secret === undefined) return withoutSecret;
    const parser = parsers.get(secret) ?? algorithm.parser({ settings, secret: secret.bytes });
    parsers.set(secret, parser);
    return parser;
  }

  function findSecret(secretId: SecretId): KnownSecret | undefined {
    if (takesSecret) return secrets.find(name, secretId);
    if (typeof secretId === 'string')
      throw new HashRefused('secret', `hashes of ${name} have no secret: leave out hashingSecretId`);
    return undefined;
  }

  function parseWith(secret: KnownSecret | undefined, encoded: string, owner: HashVerifier): ParsedHash {
    if (encoded.length > MAX_LENGTH) {
      throw new HashRefused('format', `expected at most ${MAX_LENGTH} characters, got ${encoded.length}`);
    }
    const parsed = parserFor(secret)(encoded);
    if (algorithm.secret === 'required' && secret === undefined) throw missingSecret(name);
    checkAvailable(algorithm);
    const cost = algorithm.cost(parsed);
    checkMemory(cost.memoryBytes, bounds.memoryBudgetBytes);
    checkMs(cost.ms, bounds.maxMs);
    return new ParsedHash(owner, encoded, { parsed, cost, secret });
  }

  function verifierWith(secretFor: (secretId: SecretId) => KnownSecret | undefined): HashVerifier {
    const verifier: HashVerifier = {
      algorithm: name,
      displayName: algorithm.displayName,
      superTokensName: algorithm.superTokensName,
      aliases: algorithm.aliases,
      strength: algorithm.strength,
      operations: algorithm,
      needsSecret: algorithm.secret === 'required',
      takesSecret,
      recognises: (encoded) =>
        algorithm.byNameOnly !== true && encoded.length <= MAX_LENGTH && shape.test(encoded),
      resembles: (encoded) => encoded.length <= MAX_LENGTH && hasShapeOf(algorithm, encoded),
      parse: (encoded, secretId) => parseWith(secretFor(secretId), encoded, verifier),
      repairs(encoded, secretId) {
        if (encoded.length > MAX_LENGTH) return [];
        const secret = secretFor(secretId);
        const seen = new Set([encoded]);
        return algorithm
          .repairs(encoded, { settings, secret: secret?.bytes })
          .flatMap(({ secret: other, ...repair }) => {
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

/** @throws {HashRefused} `unavailable`, such as for a library that is not installed */
export function checkAvailable({ name, unavailable }: HashAlgorithm): void {
  const why = unavailable?.();
  if (why === undefined) return;
  throw new HashRefused('unavailable', `${name} hashes cannot be verified here: ${why}`);
}

export const missingSecret = (algorithm: string) =>
  new HashRefused(
    'secret',
    `'hashing_secrets' has no entry for ${algorithm}: add one with that algorithm, or name another by its id (hashingSecretId)`,
  );
