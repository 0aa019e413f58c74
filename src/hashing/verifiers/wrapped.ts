import type { SharedBounds } from '../build-verifier.ts';
import { checkMemory, checkMs } from '../formats/cost-bounds.ts';
import {
  type HashCost,
  type HashOperations,
  HashRefused,
  type HashVerifier,
  ParsedHash,
} from '../verifier.ts';

/** Algorithm name that is saved beside wrapped hashes, in which argon2id hashes the digest of a weak hash. */
export const WRAPPED = 'wrapped';

/**
 * `inner` is an imported hash with zeros in place of its digest; `outer` is an argon2id hash of that digest.
 * The database then contains nothing that is as cheap to guess as the imported hash was.
 */
interface WrappedHash {
  inner: ParsedHash;
  outer: ParsedHash;
}

/** The inner hash comes last, because it may contain any character. */
const FORM =
  /^\$wrapped\$(?<name>[a-z0-9_-]+)(?<outer>\$argon2id\$v=19\$[^$]+\$[^$]+\$[^$]+)\$(?<inner>.+)$/s;

/** An arbitrary password. Its digest shows whether a computed digest is as long as the stored one. */
const TRIAL = Buffer.from('password');

/**
 * Wrapped hashes are not registered: no system exports them, and no request may contain one.
 * @param find returns the verifiers of argon2 and of algorithms whose hashes can be wrapped
 */
export function wrappedVerifier(
  find: (algorithm: string) => HashVerifier | undefined,
  bounds: SharedBounds,
): HashVerifier {
  const verifier: HashVerifier = {
    algorithm: WRAPPED,
    displayName: 'wrapped',
    superTokensName: WRAPPED,
    aliases: [],
    strength: 'strong',
    operations: OPERATIONS,
    needsSecret: false,
    takesSecret: true,
    recognises: () => false,
    resembles: () => false,
    parse(encoded, secretId) {
      const { name = '', outer: outerText = '', inner: innerText = '' } = FORM.exec(encoded)?.groups ?? {};
      const [inner, outer] = [find(name)?.parse(innerText, secretId), find('argon2')?.parse(outerText)];
      if (inner?.digest === undefined || outer === undefined)
        throw new HashRefused(
          'format',
          'expected $wrapped$, an algorithm, an argon2id hash and the inner hash',
        );
      const cost = costOf(inner, outer);
      checkMemory(cost.memoryBytes, bounds.memoryBudgetBytes);
      checkMs(cost.ms, bounds.maxMs);
      const secret =
        inner.secretId === undefined ? undefined : { id: inner.secretId, bytes: Buffer.alloc(0) };
      return new ParsedHash(verifier, encoded, {
        parsed: { inner, outer } satisfies WrappedHash,
        cost,
        secret,
      });
    },
    repairs: () => [],
  };
  return verifier;
}

/** Both hashes are computed where the inner hash must be computed, unless that is the event loop. */
function costOf({ cost: inner }: ParsedHash, { cost: outer }: ParsedHash): HashCost {
  return {
    memoryBytes: Math.max(inner.memoryBytes, outer.memoryBytes),
    ms: inner.ms + outer.ms,
    ...(inner.runsOn !== undefined && inner.runsOn !== 'event-loop' && { runsOn: inner.runsOn }),
  };
}

const OPERATIONS: HashOperations = {
  decoy: (parsed) => textOf(parsed as WrappedHash, (hash) => hash.decoy()),
  describe(parsed) {
    const { inner, outer } = parsed as WrappedHash;
    return { ...outer.describe(), inner: inner.algorithm };
  },
  identity: (parsed) => textOf(parsed as WrappedHash, ({ encoded }) => encoded),
  strengthOf: () => 'strong',
  isOnlyPassword: (parsed, password) => (parsed as WrappedHash).inner.isOnlyPassword(password),
  async verify(parsed, password) {
    const { inner, outer } = parsed as WrappedHash;
    const digest = await inner.digestOf(password);
    return digest !== undefined && outer.verify(digest);
  },
  secondReading: (parsed) => (parsed as WrappedHash).inner.secondReading,
  // Only wrapping needs a hash without its digest, and a wrapped hash is never wrapped again.
  withoutDigest: () => undefined,
};

const textOf = ({ inner, outer }: WrappedHash, text: (hash: ParsedHash) => string) =>
  `$${WRAPPED}$${inner.algorithm}${text(outer)}$${text(inner)}`;

function innerOf(hash: ParsedHash): ParsedHash | undefined {
  const text = hash.withoutDigest();
  try {
    return text === undefined ? undefined : hash.verifier.parse(text, hash.secretId ?? null);
  } catch (error) {
    if (error instanceof HashRefused) return undefined;
    throw error;
  }
}

export interface Wrapping {
  digest: Buffer;
  /** @param outer argon2id hash of the digest in the broken hash */
  around(outer: ParsedHash): string;
}

/**
 * Returns undefined if the digest cannot be removed, or if verification needs it. Such a hash must not be
 * wrapped: without its digest, every password would seem wrong.
 */
export async function wrappingOf(hash: ParsedHash): Promise<Wrapping | undefined> {
  const { digest } = hash;
  const inner = innerOf(hash);
  if (digest === undefined || inner?.digest?.equals(digest) !== false) return undefined;
  // Checking the digest's length computes a hash. A native library that may crash must not run in this
  // process.
  if (hash.cost.runsOn === 'sandbox') return wrapping(digest, inner);
  // Some algorithms stop computing when the stored digest differs, so their digest is shorter. They are not
  // wrapped.
  const tried = await inner.digestOf(TRIAL);
  if (tried !== undefined && tried.length !== digest.length) return undefined;
  return wrapping(digest, inner);
}

const wrapping = (digest: Buffer, inner: ParsedHash): Wrapping => ({
  digest,
  around: (outer) => textOf({ inner, outer }, ({ encoded }) => encoded),
});
