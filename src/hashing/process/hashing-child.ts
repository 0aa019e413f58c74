import { buildRegistry, newHashMaker } from '../registry.ts';
import {
  describeError,
  type HashingReply,
  type HashingRequest,
  type HashingSetup,
  timedVerify,
} from './hashing-work.ts';

// Entry point of a hashing process, which HashingProcesses forks. The process ends itself by a signal,
// because an exit would wait for running computations.
const die = () => process.kill(process.pid, 'SIGKILL');

process.on('disconnect', die);
// If the parent process has already ended, no event `disconnect` follows.
if (!process.connected) die();
// Terminals and some supervisors send these signals to every process of a service. Only the parent process
// ends this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.once('message', (setup) => {
  const { limits, secrets, newHashes } = setup as HashingSetup;
  const registry = buildRegistry(limits, secrets);
  const resultOf = async ({ hash, password, algorithm = newHashes.algorithm }: HashingRequest) =>
    hash === undefined
      ? newHashMaker({ ...newHashes, algorithm }, registry).make(password)
      : timedVerify(registry.read(hash), password);
  process.on('message', async (request) => {
    const reply: HashingReply = await resultOf(request as HashingRequest).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: describeError(error) }),
    );
    // An error means that the parent has gone, which the `disconnect` event handles.
    process.send?.(reply, () => {});
  });
});
