import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { until } from '../../src/lib/async/until.ts';
import { HaProxy } from '../support/haproxy.ts';

/** Starts an instance on this port. Resolves when it is ready. */
export type StartInstance = (port: number) => Promise<{ child: ChildProcess }>;

const COUNT = 3;

/** Three instances behind HAProxy. Each keeps its port across restarts. */
export class BalancedInstances {
  readonly #start: StartInstance;
  readonly #ports: [number, number, number];
  readonly #children: ChildProcess[] = [];
  readonly balancer: HaProxy;

  private constructor(start: StartInstance, ports: [number, number, number], balancer: HaProxy) {
    this.#start = start;
    this.#ports = ports;
    this.balancer = balancer;
  }

  static async start(haproxy: string, start: StartInstance): Promise<BalancedInstances> {
    const ports = [await keptPort(), await keptPort(), await keptPort()] as const;
    const instances = new BalancedInstances(start, [...ports], await HaProxy.start(haproxy, ports));
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
    const { child } = await this.#start(this.#ports[index] ?? 0);
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
 * Returns a free port below the range of outgoing connections (32,768 and up). Otherwise an outgoing
 * connection could take the port while its instance restarts.
 */
async function keptPort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return keptPort();
  server.close();
  await once(server, 'close');
  return port;
}
