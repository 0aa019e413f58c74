import { setImmediate as nextTurn } from 'node:timers/promises';
import { EXPENSIVE_MS, type GateLimits, KdfGate } from '../../src/hashing/kdf-gate.ts';

type Job = [name: string, memoryBytes?: number, signal?: AbortSignal, ms?: number];

/** Creates a gate, with the computations that run in it. Each ends when the test says so. */
export function createGate(limits: Partial<GateLimits> = {}) {
  const gate = new KdfGate({ concurrency: 2, memoryBytes: 100, queueLimit: 10, ...limits });
  const running = new Map<string, { finish(): void; fail(error: Error): void }>();
  const runBy = (
    how: 'run' | 'runInBackground' | 'runTrial',
    [name, memoryBytes = 1, signal, ms = EXPENSIVE_MS]: Job,
    caller = '',
    account?: string,
  ): Promise<string> => {
    const cost = { memoryBytes, ms };
    const compute = () =>
      new Promise<string>((resolve, reject) => {
        const end = () => running.delete(name);
        running.set(name, {
          finish: () => end() && resolve(`${name} done`),
          fail: (error) => end() && reject(error),
        });
      });
    if (how === 'runTrial') return gate.runTrial(cost, compute, caller, signal);
    return how === 'run'
      ? gate.run(cost, compute, signal, account)
      : gate.runInBackground(cost, compute, signal);
  };
  const run = (...job: Job) => runBy('run', job);
  return {
    gate,
    run,
    /** Runs a computation for the account named by the first letter of the job. */
    runForAccount: (...job: Job) => runBy('run', job, '', job[0].charAt(0)),
    /** Runs a trial of the caller named by the first letter of the job. */
    runTrial: (...job: Job) => runBy('runTrial', job, job[0].charAt(0)),
    runInBackground: (...job: Job) => runBy('runInBackground', job),
    runExpensive: (name: string, memoryBytes = 1, signal?: AbortSignal) =>
      run(name, memoryBytes, signal, EXPENSIVE_MS + 1),
    running: () => [...running.keys()],
    async finish(name: string) {
      running.get(name)?.finish();
      // The gate admits trials one turn of the event loop later than other work.
      await nextTurn();
      await nextTurn();
    },
    async fail(name: string, error: Error) {
      running.get(name)?.fail(error);
      await nextTurn();
    },
  };
}
