import { newHashMaker } from '../new-hash.ts';
import { buildRegistry } from '../registry.ts';
import type { HashingReply, HashingRequest, HashingResult, HashingSetup } from './hashing-messages.ts';
import { timedVerify } from './timed-verify.ts';

// The hashing process, which HashingProcess forks. It ends by a signal: an exit would wait for the computations at work.
const die = () => process.kill(process.pid, 'SIGKILL');

process.on('disconnect', die);
// The parent may have gone before anybody listened for `disconnect`.
if (!process.connected) die();
// Terminals and some supervisors send these to all processes of a service. The parent decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.once('message', (setup) => {
  const answer = computer(setup as HashingSetup);
  process.on('message', async (message) => {
    const request = message as HashingRequest;
    const reply = await answer(request).catch((error: unknown) => ({ error: describeError(error) }));
    // An error means that the parent has gone; `disconnect` tells of that.
    process.send?.({ id: request.id, ...reply } satisfies HashingReply, () => {});
  });
});

function computer({ limits, signerKey, newHashes }: HashingSetup) {
  const registry = buildRegistry(limits, signerKey);
  const maker = newHashMaker(newHashes, registry);
  return async ({ hash, password }: HashingRequest): Promise<HashingResult> => {
    if (hash === undefined) return { made: await maker.make(password) };
    return { verified: await timedVerify(registry.read(hash), password) };
  };
}

/** Messages of plain Errors come from this service or the hash libraries. Those of other classes may quote what they were given. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'the hashing process failed';
  if (Object.getPrototypeOf(error) === Error.prototype) return error.message;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  return `the hashing process failed: ${error.name}${code}`;
}
