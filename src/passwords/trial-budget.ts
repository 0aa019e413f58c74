import type { Trial } from '../hashing/passwords.ts';

/** Budget for one kind of trial in one request. Trials run one after another, so their memory does not add up. */
export class TrialBudget {
  #runs: number;
  /** Remaining trials that take only microseconds. They are no key derivations, but still have a cost. */
  #digests = 32;
  readonly #time: { ms: number };

  /**
   * @param runs maximum number of key derivations
   * @param time time for key derivations on the reference machine; all budgets of a request share this object
   */
  constructor(runs: number, time: { ms: number }) {
    this.#runs = runs;
    this.#time = time;
  }

  /** Returns those password tests that fit in the budget, in order, and deducts their cost. */
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
