import type { ServiceAddress } from '../options/service-options.ts';
import { greetService } from './greet-service.ts';
import { ServiceProblem } from './service-problem.ts';

/** How long an address is passed over that did not answer as it should, in ms. */
const REST_MS = 60_000;

interface AddressesDeps {
  now?: () => number;
  greet?: (service: ServiceAddress) => Promise<void>;
}

/** The instances of a service, where each has an address of its own; or the one address of all of them. */
export class Addresses {
  readonly all: readonly [ServiceAddress, ...ServiceAddress[]];
  readonly #failedAtMs = new Map<ServiceAddress, number>();
  readonly #now: () => number;
  readonly #greet: (service: ServiceAddress) => Promise<void>;
  readonly #greeted = new Set<ServiceAddress>();

  constructor(
    all: Addresses['all'],
    { now = () => performance.now(), greet = greetService }: AddressesDeps = {},
  ) {
    this.all = all;
    this.#now = now;
    this.#greet = greet;
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

  /** Makes sure that a service is at one of several addresses before it gets the key. @throws as `greetService` */
  async greet(service: ServiceAddress): Promise<void> {
    if (this.all.length === 1 || this.#greeted.has(service)) return;
    await this.#greet(service);
    this.#greeted.add(service);
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
      await this.greet(service);
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
