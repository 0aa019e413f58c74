import type { Trial } from '../hashing/passwords.ts';

/** Limits the password tests of one request. They run one after another, so their memory does not add up. */
export class TrialBudget {
  #runs: number;
  /** Fast digests take microseconds each, and are limited separately from key derivations. */
  #digests = 32;
  readonly #time: { ms: number };

  /**
   * @param runs maximum number of key derivations
   * @param time remaining time on the reference machine, which all budgets of one request share
   */
  constructor(runs: number, time: { ms: number }) {
    this.#runs = runs;
    this.#time = time;
  }

  /** Returns the tests that the request may still make, in order, and deducts their cost. */
  take<Kind extends Trial>(trials: readonly Kind[]): Kind[] {
    return trials.filter(({ hash, password }) => {
      const cost = hash.costOf(password);
      const isDigest = cost.runsOn === 'event-loop';
      if (cost.ms > this.#time.ms || (isDigest ? this.#digests : this.#runs) <= 0) return false;
      this.#time.ms -= cost.ms;
      if (isDigest) this.#digests -= 1;
      else this.#runs -= 1;
      return true;
    });
  }
}
