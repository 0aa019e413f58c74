import { newHashMaker } from '../new-hash.ts';
import { buildRegistry } from '../registry.ts';
import type { HashingReply, HashingRequest, HashingSetup } from './hashing-work.ts';
import { describeError, needsThread, timedVerify } from './hashing-work.ts';
import { WorkerPool } from './worker-pool.ts';

// Entry point of the hashing process, which HashingProcess forks. The process ends itself by a signal,
// because an exit would wait for running computations.
const die = () => process.kill(process.pid, 'SIGKILL');

process.on('disconnect', die);
// If the parent process has already ended, no event `disconnect` follows.
if (!process.connected) die();
// Terminals and some supervisors send these signals to every process of a service. Only the parent process
// ends this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.once('message', (setup) => {
  const { limits, secrets, newHashes, workers } = setup as HashingSetup;
  const registry = buildRegistry(limits, secrets);
  const makerOf = (algorithm = newHashes.algorithm) => newHashMaker({ ...newHashes, algorithm }, registry);
  const pool = new WorkerPool({ limits, secrets }, workers);
  const resultOf = async ({ hash, password, algorithm }: HashingRequest) => {
    if (hash === undefined) return makerOf(algorithm).make(password);
    const parsed = registry.read(hash);
    return needsThread(parsed.cost, password)
      ? pool.verify({ hash, password })
      : timedVerify(parsed, password);
  };
  process.on('message', async (message) => {
    const request = message as HashingRequest;
    const reply = await resultOf(request).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: describeError(error) }),
    );
    // An error means that the parent has gone, which the `disconnect` event handles.
    process.send?.({ id: request.id, ...reply } satisfies HashingReply, () => {});
  });
});
