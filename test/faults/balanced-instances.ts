import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { until } from '../../src/lib/async/until.ts';
import { HaProxy, type Triple } from '../support/haproxy.ts';

/** Starts an instance that listens on this address. Resolves when it is ready. */
export type StartInstance = (host: string, port: number) => Promise<{ child: ChildProcess }>;

const COUNT = 3;

/** Three instances behind HAProxy. Each keeps its address across restarts. */
export class BalancedInstances {
  readonly #start: StartInstance;
  readonly #addresses: Triple<AddressInfo>;
  readonly #children: ChildProcess[] = [];
  readonly balancer: HaProxy;

  private constructor(start: StartInstance, addresses: Triple<AddressInfo>, balancer: HaProxy) {
    this.#start = start;
    this.#addresses = addresses;
    this.balancer = balancer;
  }

  static async start(haproxy: string, start: StartInstance): Promise<BalancedInstances> {
    const addresses: Triple<AddressInfo> = [await keptAddress(), await keptAddress(), await keptAddress()];
    const instances = new BalancedInstances(start, addresses, await HaProxy.start(haproxy, addresses));
    for (let index = 0; index < COUNT; index += 1) await instances.#begin(index);
    return instances;
  }

  /** URL for callers. */
  get url(): string {
    return this.balancer.url;
  }

  /** Restarts the instances one at a time, ending each with `signal`. */
  async roll(signal?: NodeJS.Signals): Promise<void> {
    for (let index = 0; index < COUNT; index += 1) await this.restart(index, signal);
  }

  /**
   * Restarts an instance. Resolves when it receives requests again.
   * @throws if it did not exit as expected
   */
  async restart(index: number, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#children[index];
    const ended = child && once(child, 'exit');
    child?.kill(signal);
    await ended;
    if (signal === 'SIGTERM' && child?.exitCode !== 0)
      throw new Error(`a stop ended with ${child?.exitCode}`);
    await this.#begin(index);
  }

  async #begin(index: number): Promise<void> {
    const { address, port } = this.#addresses[index] as AddressInfo;
    const { child } = await this.#start(address, port);
    this.#children[index] = child;
    const isUp = async () => (await this.balancer.states())[index]?.isUp === true;
    if (!(await until(isUp, 30_000))) throw new Error(`HAProxy does not take up instance ${index + 1}`);
  }

  async close(): Promise<void> {
    await this.balancer.stop();
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }
}

/**
 * Returns an address that nobody else takes while its instance restarts. On Linux the whole of 127.0.0.0/8 is
 * loopback, so each instance gets a host of its own. Elsewhere the port lies below the range of outgoing
 * connections (32,768 and up).
 */
async function keptAddress(): Promise<AddressInfo> {
  const port = 20_000 + below(10_000);
  const host =
    process.platform === 'linux' ? `127.${1 + below(254)}.${below(256)}.${1 + below(254)}` : '127.0.0.1';
  const server = createServer().listen(port, host);
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return keptAddress();
  const address = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return address;
}

const below = (limit: number) => Math.floor(Math.random() * limit);
