import { createHmac } from 'node:crypto';
import { isExpensive } from './kdf-gate.ts';
import type { ParsedHash } from './verifier.ts';

/** Maximum number of distinct costs to remember. The hashes of a service have a handful. */
const MAX_SHAPES = 64;

/**
 * Number of users from which expensive hashes count as representative. Below it, the service's own hash stands in for
 * the missing users, so that the first few hashes of a new service do not decide what every unknown e-mail costs.
 */
const REPRESENTATIVE_USERS = 32;

/**
 * Key of all stored hashes that can no longer be verified, for example because their secret is not configured or a
 * bound was lowered.
 */
const UNVERIFIABLE = 'unverifiable';

/** A decoy, and the number of stored hashes that have the same cost and look like it. */
interface Shape {
  /** The text of the decoy, or UNVERIFIABLE. */
  key: string;
  /**
   * The parsed decoy. Undefined for UNVERIFIABLE: every sign-in with such a stored hash fails, and so must a sign-in
   * with this decoy.
   */
  decoy: ParsedHash | undefined;
  count: number;
}

/**
 * Chooses the hash to verify for an e-mail that has no password, so that the answer takes as long as for a user with
 * one. Imported users have hashes of the costs that their former systems chose, so no single decoy looks like all of
 * them. Decoys are chosen in the proportions of the hashes seen here (docs/adr/0006-decoys.md).
 */
export class Decoys {
  readonly #fallback: ParsedHash;
  #secret: string;
  readonly #shapes = new Map<string, Shape>();

  /**
   * @param fallback the decoy until a hash has been seen, and for the users missing to REPRESENTATIVE_USERS if some
   * hashes are expensive
   * @param secret instances that share it choose the same decoys
   */
  constructor(fallback: ParsedHash, secret: string) {
    this.#fallback = fallback;
    this.#secret = secret;
  }

  /** Replaces the secret, so that other instances with the new one choose the same decoys. */
  useSecret(secret: string): void {
    this.#secret = secret;
  }

  /**
   * Counts a stored hash by its cost, or `count` hashes like it. Its salt and digest are not remembered. If all
   * MAX_SHAPES entries are taken, a new cost may replace the rarest one. The probability of replacement keeps every
   * expected count unchanged ("unbiased space saving", Ting 2018), so the order in which costs arrive gives none of
   * them an advantage.
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

  /** Removes one hash from the count of its cost, because it is no longer stored. */
  forget(hash: ParsedHash): void {
    const text = hash.decoy();
    const known = this.#shapes.get(text);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count <= 0) this.#shapes.delete(text);
  }

  /**
   * Counts a hash once if its cost is new and there is room. A known cost is not counted again, because signing in must
   * not change the proportions.
   */
  notice(hash: ParsedHash): void {
    if (this.#shapes.size >= MAX_SHAPES) return;
    const text = hash.decoy();
    if (!this.#shapes.has(text)) this.learn(hash);
  }

  /** Counts a hash that can no longer be verified, under the same conditions as `notice`. */
  noticeUnverifiable(): void {
    if (this.#shapes.size < MAX_SHAPES && !this.#shapes.has(UNVERIFIABLE)) this.learnUnverifiable();
  }

  /**
   * Returns the decoy of an e-mail, chosen by weighted rendezvous hashing. When the proportions change, an address
   * keeps its decoy or moves to one whose share grew. Otherwise its decoy never changes, just as the hash of a real
   * user does not.
   * @throws {Error} if the e-mail is assigned the failure of hashes that can no longer be verified
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

  /**
   * Returns the number of users that the fallback represents: as many as are missing to REPRESENTATIVE_USERS, or none
   * if no decoy is expensive.
   */
  #missing(shapes: readonly Shape[]): number {
    if (shapes.every(({ decoy }) => decoy === undefined || !isExpensive(decoy.cost))) return 0;
    return Math.max(
      0,
      shapes.reduce((missing, { count }) => missing - count, REPRESENTATIVE_USERS),
    );
  }

  /** Returns the score of a decoy; the lowest score wins. It is infinite for a decoy that represents no hash. */
  #score(email: string, key: string, count: number): number {
    return count === 0 ? Number.POSITIVE_INFINITY : -Math.log(this.#draw(email, key)) / count;
  }

  /** Returns a number in (0, 1] that depends only on the e-mail, the decoy and the secret. */
  #draw(email: string, key: string): number {
    const digest = createHmac('sha256', this.#secret).update(`${key}\0${email}`).digest();
    return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
  }
}

/** Parses a text with the algorithm and the secret of `hash`. */
const parseLike = ({ verifier, secretId }: ParsedHash, text: string) =>
  verifier.parse(text, secretId ?? null);
