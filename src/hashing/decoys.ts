import { createHmac } from 'node:crypto';
import { isExpensive } from './kdf-gate.ts';
import type { HashRegistry } from './registry.ts';
import { HashRefused, type PasswordHash, type StoredHash } from './verifier.ts';

/** Distinct cost settings remembered; a population has a handful. */
const MAX_SHAPES = 64;

/**
 * Users below which expensive hashes are not yet a population: the service's own hash stands in for those missing, so that
 * the first few hashes of a new service do not decide alone what every unknown e-mail costs.
 */
const FEW = 32;

interface Shape {
  encoded: StoredHash;
  algorithm: string;
  isExpensive: boolean;
  /** Hashes like it. */
  count: number;
}

/**
 * What to verify for an e-mail that has no password, so that the answer takes as long as for one that has.
 * Imported users carry the costs of the systems they came from, so no single decoy looks like all of them: decoys are
 * dealt out in the proportions of the hashes seen here (docs/adr/0006-decoys.md).
 */
export class Decoys {
  readonly #registry: HashRegistry;
  readonly #fallback: PasswordHash;
  readonly #secret: string;
  readonly #shapes = new Map<StoredHash, Shape>();

  /** `fallback` is dealt out until a hash has been seen. Instances with one `secret` deal alike. */
  constructor(registry: HashRegistry, fallback: PasswordHash, secret: string) {
    this.#registry = registry;
    this.#fallback = fallback;
    this.#secret = secret;
  }

  /**
   * Counts the cost of a new hash that is kept, or of `count` like it; its salt and digest are not remembered. With more
   * costs than places the least one gives its place up at a chance that leaves every expected count what it is
   * ("unbiased space saving", Ting 2018): no costs that come first, or last, count for more than they are.
   */
  learn(hash: PasswordHash, count = 1): void {
    const shape = this.#shapeOf(hash);
    if (shape === undefined) return;
    const known = this.#shapes.get(shape.encoded);
    if (known !== undefined) {
      known.count += count;
    } else if (this.#shapes.size < MAX_SHAPES) {
      this.#shapes.set(shape.encoded, { ...shape, count });
    } else {
      const least = [...this.#shapes.values()].reduce((a, b) => (b.count < a.count ? b : a));
      least.count += count;
      if (Math.random() * least.count >= count) return;
      this.#shapes.delete(least.encoded);
      this.#shapes.set(shape.encoded, { ...shape, count: least.count });
    }
  }

  /** Makes sure that this cost is known, while there is room. It is not counted: nobody changes the proportions by signing in. */
  notice(hash: PasswordHash): void {
    const shape = this.#shapeOf(hash);
    if (shape === undefined || this.#shapes.has(shape.encoded) || this.#shapes.size >= MAX_SHAPES) return;
    this.#shapes.set(shape.encoded, { ...shape, count: 1 });
  }

  #shapeOf({ encoded, algorithm }: PasswordHash): Omit<Shape, 'count'> | undefined {
    const verifier = this.#registry.find(algorithm);
    if (verifier === undefined) return undefined;
    try {
      const decoy = verifier.decoy(verifier.accept(encoded));
      return { encoded: decoy, algorithm, isExpensive: isExpensive(verifier.cost(decoy)) };
    } catch (error) {
      // A hash stored under wider bounds, or whose signer key is gone: it cannot be verified, so neither can its decoy.
      if (error instanceof HashRefused) return undefined;
      throw error;
    }
  }

  /**
   * The decoy of this e-mail, by weighted rendezvous hashing: while proportions shift, an address keeps its decoy or
   * goes over to one that grew; it never wanders, as a real user's cost does not.
   */
  pick(email: string): PasswordHash {
    const shapes = [...this.#shapes.values()];
    let best = this.#fallback;
    let bestScore = this.#score(email, this.#fallback.encoded, this.#missing(shapes));
    for (const { encoded, algorithm, count } of shapes) {
      const score = this.#score(email, encoded, count);
      if (score < bestScore) [best, bestScore] = [{ encoded, algorithm }, score];
    }
    return best;
  }

  /** Users whom the fallback stands in for. */
  #missing(shapes: readonly Shape[]): number {
    if (shapes.every((shape) => !shape.isExpensive)) return 0;
    return Math.max(
      0,
      shapes.reduce((missing, { count }) => missing - count, FEW),
    );
  }

  /** The least of all wins: infinite where nothing counts for it. */
  #score(email: string, shape: StoredHash, count: number): number {
    return count === 0 ? Number.POSITIVE_INFINITY : -Math.log(this.#draw(email, shape)) / count;
  }

  /** A number above 0 and up to 1 that only this e-mail, this shape and the secret decide. */
  #draw(email: string, shape: StoredHash): number {
    const digest = createHmac('sha256', this.#secret).update(`${shape}\0${email}`).digest();
    return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
  }
}
