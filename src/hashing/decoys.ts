import { createHmac } from 'node:crypto';
import { isExpensive } from './kdf-gate.ts';
import type { ParsedHash } from './verifier.ts';

/** Maximum number of distinct costs of stored hashes to remember. The hashes of a service have a handful. */
const MAX_KINDS = 64;

/**
 * Minimum number of users that decoys represent. With fewer users, the service's own algorithm represents the missing
 * ones, because the first few expensive hashes of a new service must not decide how long a sign-in with an unknown
 * e-mail takes.
 */
const REPRESENTATIVE_USERS = 32;

/** Key under which stored hashes are counted that can no longer be verified. */
const UNVERIFIABLE = 'unverifiable';

const keyOf = (hash: ParsedHash | undefined) => hash?.decoy() ?? UNVERIFIABLE;

/** Stored hashes of the same cost. */
interface Kind {
  /** Text of the decoy hash, or UNVERIFIABLE. */
  key: string;
  /**
   * Undefined for UNVERIFIABLE: a sign-in with such a stored hash ends in an error, so one with this decoy
   * must, too.
   */
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
  readonly #kinds = new Map<string, Kind>();

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
   * Counts `count` hashes with the cost of this one. Keeps neither salt nor digest.
   * @param hash undefined for hashes that can no longer be verified. Sign-ins with unknown e-mails fail in the same
   * proportion
   */
  learn(hash: ParsedHash | undefined, count = 1): void {
    this.#count(keyOf(hash), hash, count);
  }

  /**
   * Counts a hash that was seen at a sign-in only if its cost is new, because signing in must not change the
   * proportions.
   */
  notice(hash: ParsedHash | undefined): void {
    if (this.#kinds.size < MAX_KINDS && !this.#kinds.has(keyOf(hash))) this.learn(hash);
  }

  forget(hash: ParsedHash): void {
    const kind = this.#kinds.get(hash.decoy());
    if (kind === undefined) return;
    kind.count -= 1;
    if (kind.count <= 0) this.#kinds.delete(kind.key);
  }

  /**
   * Returns the decoy hash for an e-mail, by weighted rendezvous hashing: it stays the same as long as the
   * proportions of the stored hashes do, as the hash of a real user does. When they change, an e-mail keeps
   * its decoy or gets one whose proportion grew.
   * @throws {Error} if the e-mail must fail like users whose stored hashes can no longer be verified
   */
  pick(email: string): ParsedHash {
    const own: Kind = { key: this.#fallback.encoded, decoy: this.#fallback, count: this.#missingUsers };
    let picked = own;
    let leastScore = Number.POSITIVE_INFINITY;
    for (const kind of [own, ...this.#kinds.values()].filter(({ count }) => count > 0)) {
      const score = -Math.log(this.#draw(email, kind.key)) / kind.count;
      if (score < leastScore) [picked, leastScore] = [kind, score];
    }
    if (picked.decoy !== undefined) return picked.decoy;
    throw new Error(
      'some stored hashes can no longer be verified (see the other errors). Unknown e-mails fail in the same proportion, so that errors do not reveal accounts',
    );
  }

  /**
   * If all MAX_KINDS entries are taken, a new kind is counted with the rarest one, and may replace it. The
   * probability of replacement keeps every expected count unchanged ("unbiased space saving", Ting 2018), so
   * the order in which kinds arrive gives none of them an advantage.
   */
  #count(key: string, hash: ParsedHash | undefined, count: number): void {
    const counted = this.#kinds.get(key) ?? this.#rarestIfFull;
    const total = (counted?.count ?? 0) + count;
    if (counted !== undefined) {
      counted.count = total;
      if (counted.key === key || Math.random() * total >= count) return;
      this.#kinds.delete(counted.key);
    }
    this.#kinds.set(key, { key, decoy: hash?.verifier.parse(key, hash.secretId ?? null), count: total });
  }

  get #rarestIfFull(): Kind | undefined {
    if (this.#kinds.size < MAX_KINDS) return undefined;
    return [...this.#kinds.values()].reduce((rarest, kind) => (kind.count < rarest.count ? kind : rarest));
  }

  /** Number of users that the fallback decoy represents. It is 0 if no decoy is expensive. */
  get #missingUsers(): number {
    const kinds = [...this.#kinds.values()];
    if (!kinds.some(({ decoy }) => decoy !== undefined && isExpensive(decoy.cost))) return 0;
    return kinds.reduce((missing, { count }) => Math.max(0, missing - count), REPRESENTATIVE_USERS);
  }

  /** Returns a number above 0 and up to 1 that depends only on the secret, the e-mail and the key. */
  #draw(email: string, key: string): number {
    const digest = createHmac('sha256', this.#secret).update(`${key}\0${email}`).digest();
    return (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
  }
}
