import { parentPort, workerData } from 'node:worker_threads';
import { buildRegistry } from '../registry.ts';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './hashing-work.ts';
import { describeError, timedVerify } from './hashing-work.ts';

// Entry point of a thread of the hashing process, which WorkerPool starts.
const { limits, secrets } = workerData as WorkerSetup;
const registry = buildRegistry(limits, secrets);

parentPort?.on('message', async ({ hash, password }: WorkerRequest) => {
  try {
    const verified = await timedVerify(registry.read(hash), password);
    parentPort?.postMessage({ verified } satisfies WorkerReply);
  } catch (error) {
    parentPort?.postMessage({ error: describeError(error) } satisfies WorkerReply);
  }
});
