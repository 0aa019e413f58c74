import type { SharedBounds } from '../build-verifier.ts';
import { checkMemory, checkMs } from '../formats/cost-bounds.ts';
import {
  type HashCost,
  type HashOperations,
  HashRefused,
  type HashVerifier,
  ParsedHash,
} from '../verifier.ts';

/** The name that is saved beside wrapped hashes. */
export const WRAPPED = 'wrapped';

/**
 * `inner` is the hash as it was imported, but for its digest, which is zeros. `outer` is an argon2id hash of that digest, so that
 * nothing in the database is as cheap to guess as the imported hash was.
 */
interface WrappedHash {
  inner: ParsedHash;
  outer: ParsedHash;
}

/** The inner hash comes last, as it may hold any character. */
const FORM =
  /^\$wrapped\$(?<name>[a-z0-9_-]+)(?<outer>\$argon2id\$v=19\$[^$]+\$[^$]+\$[^$]+)\$(?<inner>.+)$/s;

/** Any password will do: does the digest come out as long as the stored one? */
const TRIAL = Buffer.from('password');

/**
 * Verifies hashes that were wrapped here: the password by the inner algorithm, then what it computed by argon2id. It is not one
 * of the registered algorithms, as no system exports such hashes and no request may bring one.
 * @param find the algorithms that can be wrapped, and argon2
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

/** One after the other. Where the inner one is computed, the outer one can be as well, but for the event loop. */
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
  // It is wrapped already.
  withoutDigest: () => undefined,
};

const textOf = ({ inner, outer }: WrappedHash, text: (hash: ParsedHash) => string) =>
  `$${WRAPPED}$${inner.algorithm}${text(outer)}$${text(inner)}`;

/** Undefined where the hash is none without its digest. */
function innerOf(hash: ParsedHash): ParsedHash | undefined {
  const text = hash.withoutDigest();
  try {
    return text === undefined ? undefined : hash.verifier.parse(text, hash.secretId ?? null);
  } catch (error) {
    if (error instanceof HashRefused) return undefined;
    throw error;
  }
}

/** What is to be hashed so that a hash is wrapped, and the rest of it. */
export interface Wrapping {
  digest: Buffer;
  /** Returns the wrapped hash. @param outer an argon2id hash of the digest */
  around(outer: ParsedHash): string;
}

/**
 * Takes a hash apart, to be wrapped. Undefined where it cannot be: its digest cannot be taken out, or is needed to verify a password.
 * Whoever lost the digest for nothing could not be told from one with a wrong password.
 */
export async function wrappingOf(hash: ParsedHash): Promise<Wrapping | undefined> {
  const { digest } = hash;
  const inner = innerOf(hash);
  if (digest === undefined || inner?.digest?.equals(digest) !== false) return undefined;
  // What may crash is not tried here.
  if (hash.cost.runsOn === 'sandbox') return wrapping(digest, inner);
  // Some compute no more than what they need to see that the stored digest differs.
  const tried = await inner.digestOf(TRIAL);
  if (tried !== undefined && tried.length !== digest.length) return undefined;
  return wrapping(digest, inner);
}

const wrapping = (digest: Buffer, inner: ParsedHash): Wrapping => ({
  digest,
  around: (outer) => textOf({ inner, outer }, ({ encoded }) => encoded),
});
