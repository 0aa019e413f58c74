import { createHmac, randomBytes } from 'node:crypto';
import type { HashRegistry } from './registry.ts';
import { HashRefused, type PasswordHash, type StoredHash } from './verifier.ts';

/** Distinct cost settings remembered; a population has a handful. */
const MAX_SHAPES = 64;

/**
 * What to verify for an e-mail that has no password, so that the answer takes as long as for one that has.
 * Imported users carry the costs of the systems they came from, so no single decoy looks like all of them:
 * decoys are dealt out in the proportions of the hashes seen here, and one e-mail always gets the same share
 * of them (picked by a keyed digest), as a real user's cost does not change from call to call.
 */
export class Decoys {
  readonly #registry: HashRegistry;
  readonly #key = randomBytes(32);
  readonly #shapes = new Map<StoredHash, { algorithm: string; count: number }>();
  readonly #fallback: PasswordHash;
  #total = 0;

  /** `fallback` is dealt out until a hash has been seen. */
  constructor(registry: HashRegistry, fallback: PasswordHash) {
    this.#registry = registry;
    this.#fallback = fallback;
  }

  /** Learns the cost of a hash; its salt and digest are not kept. */
  learn({ encoded, algorithm }: PasswordHash): void {
    const verifier = this.#registry.find(algorithm);
    if (verifier === undefined) return;
    let shape: StoredHash;
    try {
      shape = verifier.decoy(verifier.accept(encoded));
    } catch (error) {
      // A hash stored under wider bounds, or whose signer key is gone: it cannot be verified, so neither can its decoy.
      if (error instanceof HashRefused) return;
      throw error;
    }
    const known = this.#shapes.get(shape);
    if (known === undefined && this.#shapes.size >= MAX_SHAPES) return;
    if (known === undefined) this.#shapes.set(shape, { algorithm, count: 1 });
    else known.count += 1;
    this.#total += 1;
  }

  /** The decoy of this e-mail. */
  pick(email: string): PasswordHash {
    const digest = createHmac('sha256', this.#key).update(email).digest();
    let place = (digest.readUIntBE(0, 6) / 2 ** 48) * this.#total;
    for (const [encoded, { algorithm, count }] of this.#shapes) {
      place -= count;
      if (place < 0) return { encoded, algorithm };
    }
    return this.#fallback;
  }
}
