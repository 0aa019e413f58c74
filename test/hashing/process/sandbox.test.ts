import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Decoys } from '../../../src/hashing/decoys.ts';
import { KdfGate } from '../../../src/hashing/kdf-gate.ts';
import { newHashMaker } from '../../../src/hashing/new-hash.ts';
import { Passwords } from '../../../src/hashing/passwords.ts';
import { HashingProcess } from '../../../src/hashing/process/hashing-process.ts';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import type { PasswordHash, StoredHash } from '../../../src/hashing/verifier.ts';
import { until } from '../../../src/lib/async/until.ts';
import { passwordOf, UNAVAILABLE, vector } from '../../support/vectors.ts';
import { SETUP } from '../expensive.ts';

const sample = vector('yescrypt', 'lx-yescrypt-12');
const HASH: PasswordHash = { algorithm: 'yescrypt', encoded: sample.hash as StoredHash };
const PASSWORD = passwordOf(sample);
/** 16 MiB, 1000 passes: takes half a minute. */
const ENDLESS: PasswordHash = {
  algorithm: 'yescrypt',
  encoded: `$y$j9T/s4r$.......$${'.'.repeat(43)}` as StoredHash,
};
const why = UNAVAILABLE.get('yescrypt');

describe.skipIf(why !== undefined)(`the sandbox${why === undefined ? '' : ` (${why})`}`, () => {
  let sandbox: HashingProcess;
  let passwords: Passwords;
  afterEach(() => passwords.stop());

  function begin(): void {
    sandbox = new HashingProcess(SETUP, { threads: 1, atOnce: 1 });
    const registry = buildRegistry(SETUP.limits, SETUP.secrets);
    const maker = newHashMaker(SETUP.newHashes, registry);
    const gate = new KdfGate({ concurrency: 4, memoryBytes: 2 ** 30, queueLimit: 10 });
    passwords = new Passwords({
      registry,
      gate,
      decoys: new Decoys(maker.example, 'a secret'),
      maker,
      wrapMaker: maker,
      sandbox,
    });
  }

  it('computes what native code computes, which this process does not load', async () => {
    begin();
    expect(await passwords.verify(HASH, PASSWORD)).toBe(true);
    expect(await passwords.verify(HASH, Buffer.from('another'))).toBe(false);
    expect(sandbox.pid).toBeGreaterThan(0);
    expect(readFileSync(`/proc/${sandbox.pid}/maps`, 'utf8')).toMatch('libcrypt.so');
    expect(readFileSync('/proc/self/maps', 'utf8')).not.toMatch(/libcrypt\.so|koffi/);
  });

  it.each(['SIGSEGV', 'SIGKILL'] as const)('fails one call when it exits with %s', async (signal) => {
    begin();
    expect(await passwords.verify(HASH, PASSWORD)).toBe(true);
    const lost = passwords.verify(ENDLESS, PASSWORD).catch((error: unknown) => error);
    const waiting = [PASSWORD, Buffer.from('another')].map((password) => passwords.verify(HASH, password));
    const { pid = 0 } = sandbox;
    const isBusy = async () => readFileSync(`/proc/${pid}/status`, 'utf8').includes('State:\tR');
    expect(await until(isBusy, 10_000)).toBe(true);
    process.kill(pid, signal);
    expect(String(await lost)).toMatch('the hashing process is lost');
    expect(await Promise.all(waiting)).toEqual([true, false]);
    expect(sandbox.pid).not.toBe(pid);
  });
});
