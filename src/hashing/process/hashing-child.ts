import { newHashMaker } from '../new-hash.ts';
import { buildRegistry } from '../registry.ts';
import { describeError } from './describe-error.ts';
import type { HashingReply, HashingRequest, HashingResult, HashingSetup } from './hashing-messages.ts';
import { isLongPassword } from './long-passwords.ts';
import { timedVerify } from './timed-verify.ts';
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
  const answer = async ({ hash, password, algorithm }: HashingRequest): Promise<HashingResult> => {
    if (hash === undefined) return { made: await makerOf(algorithm).make(password) };
    const parsed = registry.read(hash);
    const { runsOn } = parsed.cost;
    const isForThread = runsOn === 'worker' || (runsOn !== 'sandbox' && isLongPassword(password));
    if (isForThread) return { verified: await pool.verify({ hash, password }) };
    return { verified: await timedVerify(parsed, password) };
  };
  process.on('message', async (message) => {
    const request = message as HashingRequest;
    const reply = await answer(request).catch((error: unknown) => ({ error: describeError(error) }));
    // An error means that the parent has gone, which the `disconnect` event handles.
    process.send?.({ id: request.id, ...reply } satisfies HashingReply, () => {});
  });
});
