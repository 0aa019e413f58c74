import { objectsIn } from '../../lib/json/json-object.ts';
import { CliError } from '../cli-error.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { callService, greetService } from './call-service.ts';
import { ServiceProblem } from './service-problem.ts';

/** Time for which an address of the service is avoided after a failure there. */
const REST_MS = 60_000;

interface AddressesDeps {
  now?: () => number;
  greet?: (service: ServiceAddress) => Promise<void>;
}

/** Addresses of the service: one for each of its instances, or one for all of them. */
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

  get text(): string {
    return this.all.map(({ url }) => url).join(',');
  }

  /**
   * Returns the addresses in rotation. Addresses that failed in the last minute are avoided unless all did.
   * @param turn number of the use, from 0
   */
  of(turn: number): ServiceAddress {
    const good = this.all.filter((one) => this.#now() - (this.#failedAtMs.get(one) ?? -REST_MS) >= REST_MS);
    return good[turn % good.length] ?? this.all[turn % this.all.length] ?? this.all[0];
  }

  /**
   * Checks an address before the API key is sent there. A single address of `--url` is not checked.
   * @throws as `greetService`
   */
  async greet(service: ServiceAddress): Promise<void> {
    if (this.all.length === 1 || this.#greeted.has(service)) return;
    await this.#greet(service);
    this.#greeted.add(service);
  }

  /**
   * Calls the service at the address whose turn it is. After a failure that may
   * pass, the address is avoided for a while.
   * @param culprit returns the turn whose address caused the problem, or undefined if none did
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

const TIMEOUT_MS = 5000;

/** Number of newest imports by which databases are compared. */
const NEWEST = 20;
const TRIES = 3;

/**
 * Checks that all addresses of --url lead to one database. Otherwise each database would get a part of the
 * users. Databases are compared by their newest imports, so two empty ones look the same. Different answers
 * are requested again, because another client may have begun an import between them.
 * @throws {CliError} if the databases still differ
 */
export async function assertOneService(addresses: Addresses): Promise<void> {
  if (addresses.all.length === 1) return;
  // All addresses must lead to user-import-core before any gets the API key. A silent one is checked later.
  for (const greeting of await Promise.allSettled(addresses.all.map((one) => addresses.greet(one))))
    if (greeting.status === 'rejected' && !isPassing(greeting.reason)) throw greeting.reason;
  for (let tries = 1; ; tries += 1) {
    // Later tries leave out addresses that have failed.
    const answers = await Promise.all(addresses.all.map((_, turn) => newestImports(addresses, turn)));
    const lists = answers.filter((list) => list !== undefined);
    if (new Set(lists).size <= 1) return;
    if (tries === TRIES)
      throw new CliError(
        '--url: the addresses are not instances of one service, because they know different imports. Nothing was imported.',
      );
  }
}

async function newestImports(addresses: Addresses, turn: number): Promise<string | undefined> {
  try {
    const answer = await addresses.ask(turn, (service) =>
      callService(service, `/bulk-import/imports?limit=${NEWEST}`, { timeoutMs: TIMEOUT_MS }),
    );
    return objectsIn(answer.imports)
      .map(({ importId }) => String(importId))
      .join('\n');
  } catch (error) {
    if (isPassing(error)) return undefined;
    throw error;
  }
}

const isPassing = (error: unknown) => error instanceof ServiceProblem && error.retry !== 'never';
