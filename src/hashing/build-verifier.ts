import type { HashAlgorithm, ParserContext } from './algorithm.ts';
import { checkMemory, checkMs } from './formats/cost-bounds.ts';
import { HashRefused, type HashVerifier, ParsedHash } from './verifier.ts';

/** Room for a salt and a digest of 1024 bytes and 512 of associated data, far above any in use. */
const MAX_LENGTH = 4096;

/** What no hash of any algorithm may exceed. Parameters that are each within their bounds can still multiply to half a minute. */
export interface SharedBounds {
  /** hashing_memory_mb, in bytes: no single hash may need more than all of them together. */
  memoryBudgetBytes: number;
  /** hashing_max_ms, by the reference. */
  maxMs: number;
}

/** What all algorithms share: the input is bounded before it is looked at, and so is what a verification takes. */
export function buildVerifier(
  algorithm: HashAlgorithm,
  context: ParserContext<string>,
  bounds: SharedBounds,
): HashVerifier {
  const parseWhole = algorithm.parser(context);
  const verifier: HashVerifier = {
    algorithm: algorithm.name,
    displayName: algorithm.displayName,
    superTokensName: algorithm.superTokensName,
    operations: algorithm,
    loopsInJavaScript: algorithm.loopsInJavaScript === true,
    recognises: (encoded) => algorithm.prefix.test(encoded),
    parse(encoded) {
      if (encoded.length > MAX_LENGTH) {
        throw new HashRefused('format', `expected at most ${MAX_LENGTH} characters, got ${encoded.length}`);
      }
      const parsed = parseWhole(encoded);
      const cost = algorithm.cost(parsed);
      checkMemory(cost.memoryBytes, bounds.memoryBudgetBytes);
      checkMs(cost.ms, bounds.maxMs);
      return new ParsedHash(verifier, encoded, parsed, cost);
    },
    repairs(encoded) {
      if (encoded.length > MAX_LENGTH) return [];
      return algorithm.repairs(encoded, context).flatMap(({ signerKey, ...repair }) => {
        if (signerKey === undefined) return repair.encoded === encoded ? [] : [repair];
        return [{ ...repair, verifier: buildVerifier(algorithm, { ...context, signerKey }, bounds) }];
      });
    },
  };
  return verifier;
}
