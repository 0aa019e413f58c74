import type { Trial } from '../hashing/passwords.ts';

/**
 * Limit on the work of one request for testing whether a password matches a hash. Tests run one after
 * another, so their memory does not add up.
 */
export class TrialBudget {
  #runs: number;
  /**
   * Remaining tests of fast digests, which take microseconds each. They are limited separately from key
   * derivations.
   */
  #digests = 32;
  readonly #time: { ms: number };

  /**
   * @param runs maximum number of key derivations
   * @param time remaining time for key derivations on the reference machine; all budgets of one request share
   * this object, so the time limits all of them together
   */
  constructor(runs: number, time: { ms: number }) {
    this.#runs = runs;
    this.#time = time;
  }

  /**
   * Returns the password tests that the request may still make, in order, and deducts their cost from its
   * budget.
   */
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
