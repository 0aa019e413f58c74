import { onTestFinished } from 'vitest';
import type { Passwords } from '../../src/hashing/passwords.ts';
import { HashingProcesses } from '../../src/hashing/process/hashing-processes.ts';
import type { PasswordHash } from '../../src/hashing/verifier.ts';
import { EXPENSIVE, passwordsOf, SETUP } from './expensive.ts';

/** Records what it is asked to compute, and computes nothing: no password matches. */
class FakeProcesses extends HashingProcesses {
  readonly calls: string[] = [];

  override verify(hash: PasswordHash, { length }: Uint8Array) {
    this.calls.push(`verify ${hash.encoded} with ${length} bytes`);
    return Promise.resolve({ matches: false, ms: 1 });
  }

  override hash() {
    this.calls.push('hash');
    return Promise.resolve(EXPENSIVE);
  }
}

/** Returns passwords with a hashing process, and the calls that it receives. */
export function passwordsElsewhere(setup = SETUP): { passwords: Passwords; calls: string[] } {
  const hashing = new FakeProcesses(setup, { atMost: 1 });
  const passwords = passwordsOf(hashing, setup);
  onTestFinished(() => passwords.stop());
  return { passwords, calls: hashing.calls };
}
