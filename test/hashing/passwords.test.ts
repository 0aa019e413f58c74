import bcrypt from 'bcrypt';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ParsedHash, PasswordHash, StoredHash } from '../../src/hashing/verifier.ts';
import { spiedPasswords } from '../support/spied-passwords.ts';
import { CHEAP_SETTINGS, passwordOf, vector, vectorsOf, verifierOf } from '../support/vectors.ts';
import { CHEAP, EXPENSIVE, SETUP } from './expensive.ts';
import { passwordsElsewhere } from './passwords-elsewhere.ts';

const PASSWORD = Buffer.from('pässword');
const WRONG = Buffer.from('password');
const BCRYPT: PasswordHash = { encoded: bcrypt.hashSync(PASSWORD, 4) as StoredHash, algorithm: 'bcrypt' };
const BCRYPT_WORK = `$2b$04$${'.'.repeat(53)}`;
const ARGON2_WORK = `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

it('runs nothing for a caller that has gone, or if too many wait', async () => {
  const { passwords, occupy, work } = spiedPasswords(0);
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(passwords.verify(BCRYPT, PASSWORD, gone)).rejects.toThrow('gone');
  await expect(passwords.verifyDecoy('a@b.c', PASSWORD, gone)).rejects.toThrow('gone');
  await expect(passwords.hash(PASSWORD, gone)).rejects.toThrow('gone');
  const finish = occupy();
  const busy = { code: 'OVERLOADED' };
  await expect(passwords.verify(BCRYPT, PASSWORD)).rejects.toMatchObject(busy);
  await expect(passwords.verifyDecoy('a@b.c', PASSWORD)).rejects.toMatchObject(busy);
  await expect(passwords.hash(PASSWORD)).rejects.toMatchObject(busy);
  finish();
  expect(work).toEqual([]);
});

it('returns whether the password matches', async () => {
  const { passwords, work } = spiedPasswords();
  expect(await passwords.verify(BCRYPT, PASSWORD)).toBe(true);
  expect(await passwords.verify(BCRYPT, WRONG)).toBe(false);
  expect(work).toEqual([BCRYPT_WORK, BCRYPT_WORK]);
});

it('tries a hash that is not stored without teaching it to decoys, and without counting time in the queue', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { passwords, occupy, work } = spiedPasswords();
  const hash = passwords.registry.read(BCRYPT);
  const verify = hash.verify.bind(hash);
  vi.spyOn(hash, 'verify').mockImplementation((password) => {
    vi.advanceTimersByTime(250);
    return verify(password);
  });
  const finish = occupy();
  const trial = passwords.tryOut({ hash, password: PASSWORD }, 'key-1');
  vi.advanceTimersByTime(60_000);
  finish();
  expect(await trial).toEqual({ matches: true, cost: { ms: 250, memoryBytes: 8192 } });
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  expect(work).toEqual([BCRYPT_WORK, ARGON2_WORK]);
});

it('makes a decoy cost as much as its own hashes, until it has seen others', async () => {
  const { passwords, work } = spiedPasswords();
  expect(await passwords.verifyDecoy('a@b.c', PASSWORD)).toBeUndefined();
  passwords.learn(BCRYPT);
  expect(await passwords.verifyDecoy('a@b.c', PASSWORD)).toBeUndefined();
  expect(work).toEqual([ARGON2_WORK, BCRYPT_WORK]);
});

it('parses a hash once for a sign-in, and not again if it is parsed', async () => {
  const { passwords, parsed } = spiedPasswords();
  passwords.learn(BCRYPT);
  parsed.length = 0;
  await passwords.verify(BCRYPT, PASSWORD);
  expect(parsed).toEqual([BCRYPT.encoded]);
  parsed.length = 0;
  await passwords.verify(
    passwords.registry.recognise(BCRYPT.encoded)?.parse(BCRYPT.encoded) ?? BCRYPT,
    PASSWORD,
  );
  expect(parsed).toEqual([BCRYPT.encoded]);
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  expect(parsed).toHaveLength(1);
});

it('learns the cost of the hashes it verifies', async () => {
  const { passwords, work } = spiedPasswords();
  await passwords.verify(BCRYPT, WRONG);
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  expect(work).toEqual([BCRYPT_WORK, BCRYPT_WORK]);
});

it('computes expensive hashes and their decoys in the hashing process, and no others', async () => {
  const { passwords, calls } = passwordsElsewhere();
  expect(await passwords.verify(CHEAP, PASSWORD)).toBe(true);
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  await passwords.hash(PASSWORD);
  expect(calls).toEqual([]);
  expect(await passwords.verify(EXPENSIVE, PASSWORD)).toBe(false);
  expect(calls).toEqual([`verify ${EXPENSIVE.encoded} with 9 bytes`]);
  for (let n = 0; n < 1000; n += 1) passwords.learn(EXPENSIVE);
  await passwords.verifyDecoy('a@b.c', PASSWORD);
  expect(calls).toHaveLength(2);
});

it('computes loops in JavaScript in the hashing process, even cheap ones, unless they have another verifier', async () => {
  const { passwords, calls } = passwordsElsewhere();
  const [loop] = vectorsOf('phpass').filter((one) => one.expect === true && !one.acceptable);
  if (loop === undefined) throw new Error('no vector of phpass');
  const tryOut = (hash: ParsedHash) => passwords.tryOut({ hash, password: passwordOf(loop) }, 'key-1');
  // The hashing process does not know the verifier of a repaired hash.
  expect(await tryOut(verifierOf('phpass', SETUP.limits).parse(loop.hash))).toMatchObject({ matches: true });
  expect(calls).toEqual([]);
  await tryOut(passwords.registry.recognise(loop.hash)?.parse(loop.hash) as ParsedHash);
  expect(calls).toEqual([expect.stringContaining(`verify ${loop.hash} `)]);
});

it('makes expensive hashes of its own in the hashing process', async () => {
  const settings = { ...CHEAP_SETTINGS, argon2_memory_kb: 1024, argon2_iterations: 600 };
  const { passwords, calls } = passwordsElsewhere({ ...SETUP, newHashes: { algorithm: 'argon2', settings } });
  expect((await passwords.hash(PASSWORD)).encoded).toBe(EXPENSIVE.encoded);
  expect(calls).toEqual(['hash']);
});

/** Stored hashes that can no longer be verified, by the reason. */
const UNVERIFIABLE: Record<string, PasswordHash> = {
  'its secret is gone': {
    encoded: vector('bcrypt-pepper', 'lt-bcrypt-pepper-01').hash as StoredHash,
    algorithm: 'bcrypt-pepper',
    secretId: 'gone',
  },
  'its signer key is gone': {
    encoded: vector('external_scrypt', 'own-umlaut').hash as StoredHash,
    algorithm: 'external_scrypt',
  },
  'a bound was lowered': { encoded: `$2b$14$${'.'.repeat(53)}` as StoredHash, algorithm: 'bcrypt' },
  'its algorithm is unknown': { encoded: 'x' as StoredHash, algorithm: 'of-a-later-version' },
  'it is cut off': { encoded: BCRYPT.encoded.slice(0, 30) as StoredHash, algorithm: 'bcrypt' },
};

describe('stored hashes that cannot be verified', () => {
  const emails = Array.from({ length: 400 }, (_, index) => `nobody-${index}@example.com`);
  const failed = async (attempt: Promise<unknown>) =>
    attempt.then(
      () => false,
      () => true,
    );
  async function shareOfFailures({ passwords }: ReturnType<typeof spiedPasswords>): Promise<number> {
    const outcomes = await Promise.all(emails.map((email) => failed(passwords.verifyDecoy(email, WRONG))));
    return outcomes.filter(Boolean).length / emails.length;
  }

  it.each(Object.entries(UNVERIFIABLE))(
    'fail for all unknown e-mails if there are no others: %s',
    async (_, hash) => {
      const spied = spiedPasswords(emails.length);
      expect(await failed(spied.passwords.verifyDecoy('a@b.c', WRONG))).toBe(false);
      expect(await failed(spied.passwords.verify(hash, WRONG))).toBe(true);
      expect(await shareOfFailures(spied)).toBe(1);
      expect(spied.work.filter((one) => one !== ARGON2_WORK)).toEqual([]);
    },
  );

  it('fail for unknown e-mails in the same proportion', async () => {
    const spied = spiedPasswords(emails.length);
    spied.passwords.learn(UNVERIFIABLE['its secret is gone'] as PasswordHash, 300);
    spied.passwords.learn({ algorithm: 'argon2', encoded: ARGON2_WORK as StoredHash }, 700);
    // The e-mails and the secret are always the same, and so is the outcome.
    expect(Math.abs((await shareOfFailures(spied)) - 0.3)).toBeLessThan(0.05);
  });
});
