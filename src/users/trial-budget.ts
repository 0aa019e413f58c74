import type { Trial } from '../hashing/passwords.ts';

/** Budget for one kind of trial in one request. Trials run one after another, so that their memory does not add up. */
export class TrialBudget {
  #runs: number;
  /** Digests that are done in microseconds. They are no key derivations, but they are not for nothing. */
  #digests = 32;
  readonly #time: { ms: number };

  /**
   * @param runs most key derivations
   * @param time by the reference, shared by the budgets of one request
   */
  constructor(runs: number, time: { ms: number }) {
    this.#runs = runs;
    this.#time = time;
  }

  /** Returns the trials that are within the budget, the first ones first, and takes them from it. */
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
