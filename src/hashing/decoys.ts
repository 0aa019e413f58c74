import { createHmac } from 'node:crypto';
import type { HashRegistry } from './registry.ts';
import { HashRefused, type PasswordHash, type StoredHash } from './verifier.ts';

/** Distinct cost settings remembered; a population has a handful. */
const MAX_SHAPES = 64;

/**
 * What to verify for an e-mail that has no password, so that the answer takes as long as for one that has.
 * Imported users carry the costs of the systems they came from, so no single decoy looks like all of them: decoys are
 * dealt out in the proportions of the hashes seen here (docs/adr/0006-decoys.md).
 */
export class Decoys {
  readonly #registry: HashRegistry;
  readonly #fallback: PasswordHash;
  readonly #secret: string;
  readonly #shapes = new Map<StoredHash, { algorithm: string; count: number }>();

  /** `fallback` is dealt out until a hash has been seen. Instances with one `secret` deal alike. */
  constructor(registry: HashRegistry, fallback: PasswordHash, secret: string) {
    this.#registry = registry;
    this.#fallback = fallback;
    this.#secret = secret;
  }

  /** Counts the cost of a hash that is kept, or of `count` like it; its salt and digest are not remembered. */
  learn(hash: PasswordHash, count = 1): void {
    const known = this.notice(hash);
    if (known !== undefined) known.count += count;
  }

  /** Makes sure that this cost is known. It is not counted: nobody changes the proportions by signing in. */
  notice({ encoded, algorithm }: PasswordHash): { count: number } | undefined {
    const verifier = this.#registry.find(algorithm);
    if (verifier === undefined) return undefined;
    let shape: StoredHash;
    try {
      shape = verifier.decoy(verifier.accept(encoded));
    } catch (error) {
      // A hash stored under wider bounds, or whose signer key is gone: it cannot be verified, so neither can its decoy.
      if (error instanceof HashRefused) return undefined;
      throw error;
    }
    if (!this.#shapes.has(shape) && this.#shapes.size < MAX_SHAPES) {
      this.#shapes.set(shape, { algorithm, count: 1 });
    }
    return this.#shapes.get(shape);
  }

  /**
   * The decoy of this e-mail, by weighted rendezvous hashing: while proportions shift, an address keeps its decoy or
   * goes over to one that grew; it never wanders, as a real user's cost does not.
   */
  pick(email: string): PasswordHash {
    let best = this.#fallback;
    let bestScore = Number.POSITIVE_INFINITY;
    for (const [encoded, { algorithm, count }] of this.#shapes) {
      const score = -Math.log(this.#draw(email, encoded)) / count;
      if (score < bestScore) [best, bestScore] = [{ encoded, algorithm }, score];
    }
    return best;
  }

  /** A number above 0 and up to 1 that only this e-mail, this shape and the secret decide. */
  #draw(email: string, shape: StoredHash): number {
    const digest = createHmac('sha256', this.#secret).update(`${shape}\0${email}`).digest();
    return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
  }
}
