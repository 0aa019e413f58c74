import bcrypt from 'bcrypt';
import { Decoys } from '../../src/hashing/decoys.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { Passwords } from '../../src/hashing/passwords.ts';
import { HashingProcesses } from '../../src/hashing/process/hashing-processes.ts';
import type { HashingSetup } from '../../src/hashing/process/hashing-work.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import type { PasswordHash, StoredHash } from '../../src/hashing/verifier.ts';
import { CHEAP_SETTINGS, secretOf, secretsFor, vector, WIDEST_LIMITS } from '../support/vectors.ts';

export const PASSWORD = Buffer.from('pässword');

const stored = (algorithm: string, encoded: string): PasswordHash => ({
  algorithm,
  encoded: encoded as StoredHash,
});

/** A hash that takes a millisecond. */
export const CHEAP = stored('bcrypt', bcrypt.hashSync(PASSWORD, 4));
/** A hash that takes a minute: a computation that ends earlier was cancelled. */
export const ENDLESS = stored('bcrypt', `$2b$20$${'.'.repeat(53)}`);
/**
 * A hash that is expensive by the reference, but fast here, because its memory stays in the cache. It matches
 * no password.
 */
export const EXPENSIVE = stored(
  'argon2',
  `$argon2id$v=19$m=1024,t=600,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
);

export const SETUP: HashingSetup = {
  limits: WIDEST_LIMITS,
  secrets: secretsFor('external_scrypt', secretOf(vector('external_scrypt', 'own-reference'))),
  newHashes: { algorithm: 'argon2', settings: CHEAP_SETTINGS },
};

export const hashingProcesses = (idleMs?: number) =>
  new HashingProcesses(SETUP, { atMost: 2, ...(idleMs !== undefined && { idleMs }) });

export function passwordsOf(processes: HashingProcesses, { limits, secrets, newHashes } = SETUP): Passwords {
  const registry = buildRegistry(limits, secrets);
  const maker = newHashMaker(newHashes, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: 2 ** 30, queueLimit: 10 });
  const decoys = new Decoys(maker.example, 'a secret');
  return new Passwords({ registry, gate, decoys, maker, wrapMaker: maker, processes });
}

/** Begins an endless computation in the first of two processes. The caller handles its outcome. */
export async function keepBusy(
  processes: HashingProcesses,
): Promise<{ outcome: Promise<unknown>; pid: number }> {
  await processes.verify(CHEAP, PASSWORD);
  const outcome = processes.verify(ENDLESS, PASSWORD).catch((error: unknown) => error);
  // The second process takes longer to start than the first to begin the computation.
  await processes.verify(CHEAP, PASSWORD);
  const [pid] = processes.pids;
  if (pid === undefined) throw new Error('there is no process');
  return { outcome, pid };
}
