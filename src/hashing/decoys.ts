import { createHmac } from 'node:crypto';
import { isExpensive } from './kdf-gate.ts';
import type { ParsedHash } from './verifier.ts';

/** Maximum number of distinct costs of stored hashes to remember. The hashes of a service have a handful. */
const MAX_SHAPES = 64;

/**
 * With fewer users, the service's own algorithm stands in for the missing ones. The first few expensive
 * hashes of a new service must not decide how long a sign-in with an unknown e-mail takes.
 */
const REPRESENTATIVE_USERS = 32;

/** Key under which stored hashes are counted that can no longer be verified. */
const UNVERIFIABLE = 'unverifiable';

interface Shape {
  /** Text of the decoy hash, or UNVERIFIABLE. */
  key: string;
  /** Undefined for UNVERIFIABLE: sign-ins with such stored hashes end in an error, so those with decoys must, too. */
  decoy: ParsedHash | undefined;
  count: number;
}

/**
 * Chooses the decoy: the hash to verify for an e-mail that has no password, so that the answer takes as long
 * as for a user with one. Imported users have hashes of many costs, so decoys are chosen in the proportions
 * of the stored hashes (docs/adr/0006-decoys.md).
 */
export class Decoys {
  readonly #fallback: ParsedHash;
  #secret: string;
  readonly #shapes = new Map<string, Shape>();

  /**
   * @param fallback hash of the service's own algorithm, and the decoy until a stored hash is known
   * @param secret instances with the same secret choose the same decoys
   */
  constructor(fallback: ParsedHash, secret: string) {
    this.#fallback = fallback;
    this.#secret = secret;
  }

  useSecret(secret: string): void {
    this.#secret = secret;
  }

  /**
   * Counts `count` hashes like this one by cost, without salt and digest. If all MAX_SHAPES entries are
   * taken, a new cost may replace the rarest one. The probability of replacement keeps every expected count
   * unchanged ("unbiased space saving", Ting 2018), so the order in which costs arrive gives none of them an
   * advantage.
   */
  learn(hash: ParsedHash, count = 1): void {
    const text = hash.decoy();
    this.#count(text, () => parseLike(hash, text), count);
  }

  /**
   * Counts hashes that can no longer be verified. Sign-ins with unknown e-mails fail in the same proportion.
   */
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

  forget(hash: ParsedHash): void {
    const text = hash.decoy();
    const known = this.#shapes.get(text);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count <= 0) this.#shapes.delete(text);
  }

  /**
   * Counts a hash that was seen at a sign-in only if its cost is new: signing in must not change the
   * proportions.
   */
  notice(hash: ParsedHash): void {
    if (this.#shapes.size >= MAX_SHAPES) return;
    const text = hash.decoy();
    if (!this.#shapes.has(text)) this.learn(hash);
  }

  noticeUnverifiable(): void {
    if (this.#shapes.size < MAX_SHAPES && !this.#shapes.has(UNVERIFIABLE)) this.learnUnverifiable();
  }

  /**
   * Returns the decoy hash for an e-mail, by weighted rendezvous hashing: it stays the same as long as the
   * proportions of the stored hashes do, as the hash of a real user does. When they change, an e-mail keeps
   * its decoy or gets one whose proportion grew.
   * @throws {Error} if the e-mail must fail like users whose stored hashes can no longer be verified
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

  /** Returns the number of users that the fallback decoy represents, which is 0 if no decoy is expensive. */
  #missing(shapes: readonly Shape[]): number {
    if (shapes.every(({ decoy }) => decoy === undefined || !isExpensive(decoy.cost))) return 0;
    return Math.max(
      0,
      shapes.reduce((missing, { count }) => missing - count, REPRESENTATIVE_USERS),
    );
  }

  #score(email: string, key: string, count: number): number {
    return count === 0 ? Number.POSITIVE_INFINITY : -Math.log(this.#draw(email, key)) / count;
  }

  #draw(email: string, key: string): number {
    const digest = createHmac('sha256', this.#secret).update(`${key}\0${email}`).digest();
    return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
  }
}

const parseLike = ({ verifier, secretId }: ParsedHash, text: string) =>
  verifier.parse(text, secretId ?? null);
