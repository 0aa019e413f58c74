import { onTestFinished } from 'vitest';
import type { Passwords } from '../../src/hashing/passwords.ts';
import { HashingProcesses } from '../../src/hashing/process/hashing-processes.ts';
import type { PasswordHash } from '../../src/hashing/verifier.ts';
import { passwordsOf, SETUP } from './expensive.ts';

/** Records what it is asked to compute. */
class SpiedProcesses extends HashingProcesses {
  readonly calls: string[] = [];

  override verify(hash: PasswordHash, password: Uint8Array) {
    this.calls.push(`verify ${hash.encoded}`);
    return super.verify(hash, password);
  }

  override hash(password: Uint8Array) {
    this.calls.push('hash');
    return super.hash(password);
  }
}

/** Returns passwords with a hashing process, and the calls that it receives. */
export function passwordsElsewhere(setup = SETUP): { passwords: Passwords; calls: string[] } {
  const hashing = new SpiedProcesses(setup, { atMost: 1 });
  const passwords = passwordsOf(hashing, setup);
  onTestFinished(() => passwords.stop());
  return { passwords, calls: hashing.calls };
}
