import { createHmac } from 'node:crypto';
import { isExpensive } from './kdf-gate.ts';
import type { ParsedHash } from './verifier.ts';

/** Distinct costs remembered; the hashes of a service have a handful. */
const MAX_SHAPES = 64;

/**
 * Below so many users, expensive hashes are not yet a population: the service's own hash stands in for the users missing, so
 * that the first few hashes of a new service do not decide alone what every unknown e-mail costs.
 */
const FEW = 32;

/** Key of the stored hashes that can no longer be verified: their secret is not configured, say, or a bound was lowered. */
const UNVERIFIABLE = 'unverifiable';

/** A decoy, and how many hashes it looks like. */
interface Shape {
  /** The text of the decoy, or UNVERIFIABLE. */
  key: string;
  /** Undefined: it fails, as the hashes that it stands for do. */
  decoy: ParsedHash | undefined;
  count: number;
}

/**
 * What to verify for an e-mail that has no password, so that the answer takes as long as for one that has.
 * Imported users have hashes of the costs that their former systems chose, so no single decoy looks like all of them. Decoys
 * are dealt out in the proportions of the hashes seen here (docs/adr/0006-decoys.md).
 */
export class Decoys {
  readonly #fallback: ParsedHash;
  readonly #secret: string;
  /** By their keys. */
  readonly #shapes = new Map<string, Shape>();

  /**
   * @param fallback dealt out until a hash has been seen, and for users missing to FEW while some hashes are expensive
   * @param secret instances that share it deal alike
   */
  constructor(fallback: ParsedHash, secret: string) {
    this.#fallback = fallback;
    this.#secret = secret;
  }

  /**
   * Counts the cost of a new hash that is kept, or of `count` hashes like it. Its salt and digest are not remembered.
   * Where there are more costs than places, a new cost may take the place of the rarest one. The chance of that is such that
   * no expected count changes ("unbiased space saving", Ting 2018): costs do not count for more because they came first or last.
   */
  learn(hash: ParsedHash, count = 1): void {
    const text = hash.decoy();
    this.#count(text, () => parseLike(hash, text), count);
  }

  /** Counts stored hashes that can no longer be verified. Sign-ins with unknown e-mails fail in the same proportion. */
  learnUnverifiable(count = 1): void {
    this.#count(UNVERIFIABLE, () => undefined, count);
  }

  #count(key: string, makeDecoy: () => ParsedHash | undefined, count: number): void {
    const known = this.#shapes.get(key);
    if (known !== undefined) {
      known.count += count;
    } else if (this.#shapes.size < MAX_SHAPES) {
      this.#shapes.set(key, { key, decoy: makeDecoy(), count });
    } else {
      const least = [...this.#shapes.values()].reduce((a, b) => (b.count < a.count ? b : a));
      least.count += count;
      if (Math.random() * least.count >= count) return;
      this.#shapes.delete(least.key);
      this.#shapes.set(key, { key, decoy: makeDecoy(), count: least.count });
    }
  }

  /** Counts one hash less of a known cost: it is kept no more. */
  forget(hash: ParsedHash): void {
    const text = hash.decoy();
    const known = this.#shapes.get(text);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count <= 0) this.#shapes.delete(text);
  }

  /**
   * Remembers a cost that was not met before, as one hash, while there is room. A known cost is not counted again: signing
   * in must not change the proportions.
   */
  notice(hash: ParsedHash): void {
    if (this.#shapes.size >= MAX_SHAPES) return;
    const text = hash.decoy();
    if (!this.#shapes.has(text)) this.learn(hash);
  }

  /** As `notice`, for a hash that can no longer be verified. */
  noticeUnverifiable(): void {
    if (this.#shapes.size < MAX_SHAPES && !this.#shapes.has(UNVERIFIABLE)) this.learnUnverifiable();
  }

  /**
   * Returns the decoy of this e-mail, by weighted rendezvous hashing. While proportions shift, an address keeps its decoy or
   * goes over to one whose share grew. It does not change otherwise, as the cost of a real user does not.
   * @throws {Error} where the e-mail is dealt the failure of hashes that can no longer be verified
   */
  pick(email: string): ParsedHash {
    const shapes = [...this.#shapes.values()];
    let best: ParsedHash | undefined = this.#fallback;
    let bestScore = this.#score(email, this.#fallback.encoded, this.#missing(shapes));
    for (const { key, decoy, count } of shapes) {
      const score = this.#score(email, key, count);
      if (score < bestScore) [best, bestScore] = [decoy, score];
    }
    if (best !== undefined) return best;
    throw new Error(
      'an unknown e-mail fails as stored hashes do that can no longer be verified: so it does not show who has an account',
    );
  }

  /** How many users the fallback stands in for. */
  #missing(shapes: readonly Shape[]): number {
    if (shapes.every(({ decoy }) => decoy === undefined || !isExpensive(decoy.cost))) return 0;
    return Math.max(
      0,
      shapes.reduce((missing, { count }) => missing - count, FEW),
    );
  }

  /** The least score of all wins. It is infinite where nothing counts for the decoy. */
  #score(email: string, key: string, count: number): number {
    return count === 0 ? Number.POSITIVE_INFINITY : -Math.log(this.#draw(email, key)) / count;
  }

  /** A number above 0 and up to 1 that only this e-mail, this decoy and the secret decide. */
  #draw(email: string, key: string): number {
    const digest = createHmac('sha256', this.#secret).update(`${key}\0${email}`).digest();
    return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
  }
}

/** Parses a text as another hash of the algorithm and the secret of `hash`. */
const parseLike = ({ verifier, secretId }: ParsedHash, text: string) =>
  verifier.parse(text, secretId ?? null);
