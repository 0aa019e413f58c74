import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Passwords } from '../../../src/hashing/passwords.ts';
import { HashingProcesses } from '../../../src/hashing/process/hashing-processes.ts';
import type { PasswordHash, StoredHash } from '../../../src/hashing/verifier.ts';
import { until } from '../../../src/lib/async/until.ts';
import { passwordOf, UNAVAILABLE, vector } from '../../support/vectors.ts';
import { passwordsOf, SETUP } from '../expensive.ts';

const sample = vector('yescrypt', 'lx-yescrypt-12');
const HASH: PasswordHash = { algorithm: 'yescrypt', encoded: sample.hash as StoredHash };
const PASSWORD = passwordOf(sample);
/** 16 MiB, 1000 passes: takes half a minute. */
const ENDLESS: PasswordHash = {
  algorithm: 'yescrypt',
  encoded: `$y$j9T/s4r$.......$${'.'.repeat(43)}` as StoredHash,
};
const why = UNAVAILABLE.get('yescrypt');

describe.skipIf(why !== undefined)(`a native library${why === undefined ? '' : ` (${why})`}`, () => {
  let processes: HashingProcesses;
  let passwords: Passwords;
  afterEach(() => passwords.stop());

  function begin(): void {
    processes = new HashingProcesses(SETUP, { atMost: 1 });
    passwords = passwordsOf(processes);
  }

  it('runs in another process, and this process does not load it', async () => {
    begin();
    expect(await passwords.verify(HASH, PASSWORD)).toBe(true);
    expect(await passwords.verify(HASH, Buffer.from('another'))).toBe(false);
    expect(readFileSync(`/proc/${processes.pids[0]}/maps`, 'utf8')).toMatch('libcrypt.so');
    expect(readFileSync('/proc/self/maps', 'utf8')).not.toMatch(/libcrypt\.so|koffi/);
  });

  it.each(['SIGSEGV', 'SIGKILL'] as const)('fails one call when it exits with %s', async (signal) => {
    begin();
    expect(await passwords.verify(HASH, PASSWORD)).toBe(true);
    const lost = passwords.verify(ENDLESS, PASSWORD).catch((error: unknown) => error);
    const waiting = [PASSWORD, Buffer.from('another')].map((password) => passwords.verify(HASH, password));
    const [pid = 0] = processes.pids;
    const isBusy = async () => readFileSync(`/proc/${pid}/status`, 'utf8').includes('State:\tR');
    expect(await until(isBusy, 10_000)).toBe(true);
    process.kill(pid, signal);
    expect(String(await lost)).toMatch('the hashing process is lost');
    expect(await Promise.all(waiting)).toEqual([true, false]);
    expect(processes.pids).not.toContain(pid);
  });
});
