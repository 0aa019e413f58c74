import type { ServiceAddress } from '../options/service-options.ts';
import { ServiceProblem } from './service-problem.ts';

/** How long an address is passed over that did not answer as it should, in ms. */
const REST_MS = 60_000;

/** The instances of a service, where each has an address of its own; or the one address of all of them. */
export class Addresses {
  readonly all: readonly [ServiceAddress, ...ServiceAddress[]];
  readonly #failedAtMs = new Map<ServiceAddress, number>();
  readonly #now: () => number;

  constructor(all: Addresses['all'], now: () => number = () => performance.now()) {
    this.all = all;
    this.#now = now;
  }

  /** For people and reports. */
  get text(): string {
    return this.all.map(({ url }) => url).join(',');
  }

  /** In turn; those that failed a moment ago are passed over while there are others. @param turn from 0 */
  of(turn: number): ServiceAddress {
    const good = this.all.filter((one) => this.#now() - (this.#failedAtMs.get(one) ?? -REST_MS) >= REST_MS);
    return good[turn % good.length] ?? this.all[turn % this.all.length] ?? this.all[0];
  }

  /**
   * Asks at the address whose turn it is. Where that fails and may pass, the address has a rest.
   * @param culprit whose turn it was that made it fail, where it may be another's; undefined: nobody's
   */
  async ask<T>(
    turn: number,
    work: (service: ServiceAddress) => Promise<T>,
    culprit: (problem: ServiceProblem) => number | undefined = () => turn,
  ): Promise<T> {
    const service = this.of(turn);
    try {
      return await work(service);
    } catch (error) {
      if (error instanceof ServiceProblem && error.retry !== 'never') {
        const failed = culprit(error);
        if (failed !== undefined)
          this.#failedAtMs.set(failed === turn ? service : this.of(failed), this.#now());
      }
      throw error;
    }
  }
}
