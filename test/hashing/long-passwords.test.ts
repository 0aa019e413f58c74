/** Families that are computed in JavaScript must not block the event loop for long passwords. */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { HashingProcesses } from '../../src/hashing/process/hashing-processes.ts';
import { ParsedHash, type PasswordHash, type StoredHash } from '../../src/hashing/verifier.ts';
import { accepted, isAvailable, secretOf, secretsFor, vectorsOf, verifierOf } from '../support/vectors.ts';
import { passwordsOf, SETUP } from './expensive.ts';
import { passwordsElsewhere } from './passwords-elsewhere.ts';

const LONGEST = ['x', 'ä', '\u0344', '한', '\u200b'].map((character) =>
  Buffer.from(character.repeat(65_536)),
);

const NAMES = FAMILIES.map(({ name }) => name).filter(isAvailable);

/** Returns the hashes of a family within the limits, with their secrets. */
const hashesOf = (name: string) =>
  vectorsOf(name).flatMap((vector) => {
    const secret = secretOf(vector);
    const parsed = accepted(verifierOf(name, SETUP.limits, secret), vector.hash);
    return parsed === undefined ? [] : [{ parsed, secret }];
  });

describe('a password of 65,536 characters is computed in the hashing process', () => {
  it.each(NAMES)('%s', async (name) => {
    const [found] = hashesOf(name);
    if (found === undefined) throw new Error(`no hash of ${name} within the limits`);
    const { passwords, calls } = passwordsElsewhere({ ...SETUP, secrets: secretsFor(name, found.secret) });
    const stored = { encoded: found.parsed.encoded, algorithm: name };
    for (const password of LONGEST) await passwords.verify(stored, password);
    passwords.learn(stored);
    for (const password of LONGEST) await passwords.verifyDecoy('nobody@b.c', password);
    const lengths = LONGEST.map(({ length }) => `${length}`);
    expect(calls.map((call) => / (\d+) bytes$/.exec(call)?.[1])).toEqual([...lengths, ...lengths]);
  });
});

it('the event loop neither rewrites a long password nor asks which other passwords match', async () => {
  const readings = new Map(NAMES.flatMap(hashesOf).map((one) => [one.parsed.secondReading, one]));
  readings.delete(undefined);
  expect(readings.size).toBeGreaterThanOrEqual(4);
  for (const [second, { parsed, secret }] of readings) {
    if (second === undefined) continue;
    const calls = [
      vi.spyOn(second, 'of'),
      vi.spyOn(second, 'mayBeOfAnother'),
      vi.spyOn(ParsedHash.prototype, 'isOnlyPassword'),
    ];
    const { passwords } = passwordsElsewhere({ ...SETUP, secrets: secretsFor(parsed.algorithm, secret) });
    const stored = { encoded: parsed.encoded, algorithm: parsed.algorithm };
    for (const character of ["'", '&', 'ä']) {
      const password = Buffer.from(character.repeat(65_536));
      await passwords.verify(stored, password);
      expect(passwords.isUpgradeDue('outdated', stored, password)).toBe(false);
    }
    for (const call of calls) expect(call, parsed.encoded).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  }
});

it('a long password matches or fails as a short one does, and one of 1024 bytes is computed in place', async () => {
  const elsewhere = new HashingProcesses(SETUP, { atMost: 1 });
  const passwords = passwordsOf(elsewhere, SETUP);
  onTestFinished(() => passwords.stop());
  const of = (password: Buffer): PasswordHash => ({
    encoded: createHash('md5').update(password).digest('hex') as StoredHash,
    algorithm: 'hex-md5',
  });
  const limit = Buffer.alloc(1024, 'x');
  expect(await passwords.verify(of(limit), limit)).toBe(true);
  expect(elsewhere.pids).toEqual([]);
  for (const password of LONGEST) {
    expect(await passwords.verify(of(password), password)).toBe(true);
    expect(await passwords.verify(of(password), Buffer.concat([password, limit]))).toBe(false);
  }
  expect(elsewhere.pids).toHaveLength(1);
});
