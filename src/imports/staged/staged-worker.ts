import type { Passwords } from '../../hashing/passwords.ts';
import { Poller } from '../../lib/async/poller.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import type { BulkPace } from '../bulk-pace.ts';
import { HashSample } from '../resolve/imported-hashes.ts';
import type { Decisions } from '../resolve/resolver.ts';
import { resolveStaged } from './resolve-staged.ts';
import type { StagedStore } from './staged-store.ts';

export interface StagedWorkerDeps {
  staged: StagedStore;
  passwords: Passwords;
  vault: FactorVault;
  now(): number;
  pace: BulkPace;
  /** Pause between looks for users that another instance accepted or left unfinished. Varied at random by a fifth. */
  pollMs: number;
  onError(error: unknown): void;
}

/** Imports staged users in batches. Several workers may share a database (docs/adr/0011-staged-import.md). */
export class StagedWorker {
  readonly #deps: StagedWorkerDeps;
  readonly #poller: Poller;

  constructor(deps: StagedWorkerDeps) {
    const { pollMs, onError } = deps;
    this.#deps = deps;
    this.#poller = new Poller({ work: () => this.#drain(), pauseMs: pollMs, onError });
  }

  start(): void {
    this.#poller.start();
  }

  /** Looks for staged users now. If a batch is in progress, looks again right after it. */
  wake(): void {
    this.#poller.wake();
  }

  idle(): Promise<void> {
    return this.#poller.idle();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async #drain(): Promise<void> {
    const { staged, passwords, vault, now, pace, onError } = this.#deps;
    const deps = { registry: passwords.registry, vault, now };
    while (!this.#poller.isStopped) {
      const batch = await pace.step(() => staged.processNext((users) => resolveStaged(deps, users)));
      if (batch === undefined) return;
      if ('decisions' in batch) {
        this.#learn(batch.decisions);
      } else {
        onError(batch.error);
        if (batch.isPassing) return;
      }
    }
  }

  #learn({ created }: Decisions): void {
    const sample = new HashSample();
    for (const { logins } of created) sample.add(logins);
    for (const { hash, count } of sample.drawn) this.#deps.passwords.learn(hash, count);
  }
}
