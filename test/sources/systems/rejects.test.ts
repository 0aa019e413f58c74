import { expect, it } from 'vitest';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';
import { fileOf } from '../containers/read-whole.ts';
import { planOf, readSamples, verdictsOf } from '../samples.ts';

const NOW_MS = 1_750_000_000_000;

async function verdictsOn(text: string): Promise<Verdict[]> {
  const plan = await planOf({ files: [fileOf(text)], options: {} });
  expect(plan.source.name).toBe('rejects');
  return verdictsOf(plan, { nowMs: NOW_MS, disabled: 'include' });
}

const reject = (user: unknown) =>
  JSON.stringify({
    reason: 'PASSWORD_HASH_INVALID',
    message: 'm',
    file: 'users.csv',
    row: 7,
    from: 'generic',
    table: '',
    original: { email: 'ada@example.com' },
    user,
  });

it('imports a corrected row, and gives the same verdict on others', async () => {
  const mended = {
    encoded: '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2',
    algorithm: 'bcrypt',
  };
  const user = { externalUserId: '7', email: 'ada@example.com', metadata: { plan: 'pro' } };
  const problem = { problem: 'HASH_REDACTED', message: 'redacted' };
  const [first, second, third] = await verdictsOn(
    `${reject({ ...user, password: mended })}\n${reject({ ...user, externalUserId: '8', email: 'bob@example.com', password: problem })}\n${reject(null)}\n`,
  );
  expect(JSON.parse(first?.line ?? '')).toMatchObject({
    externalUserId: '7',
    userMetadata: { plan: 'pro' },
    loginMethods: [{ email: 'ada@example.com', passwordHash: mended.encoded, hashingAlgorithm: 'bcrypt' }],
  });
  expect(second).toMatchObject({ result: 'error', reason: 'HASH_REDACTED', message: 'redacted' });
  expect(third).toMatchObject({ result: 'skip', reason: 'NO_EMAIL' });
});

it("members of one user's document do not turn the others into rejects", async () => {
  const password_hash = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
  const ada = { id: '1', email: 'ada@example.com', password_hash };
  const more = JSON.parse(reject({ email: 'boss@example.com' }));
  const mallory = { id: '2', email: 'mallory@example.com', password_hash, ...more };
  for (const documents of [
    [ada, mallory],
    [mallory, ada],
  ]) {
    const lines = documents.map((document) => JSON.stringify(document)).join('\n');
    const plan = await planOf({ files: [fileOf(lines)], options: {} });
    expect(plan.source.name).toBe('generic');
    const verdicts = await verdictsOf(plan, { nowMs: NOW_MS, disabled: 'include' });
    expect(verdicts.map(({ email }) => email)).toEqual(documents.map(({ email }) => email));
  }
});

it('reads every user of a sample of each system as the first time', async () => {
  let count = 0;
  const samples = new Map(readSamples().map((sample) => [sample.system, sample]));
  for (const sample of samples.values()) {
    const verdicts = await verdictsOf(await planOf(sample), { nowMs: NOW_MS, disabled: 'include' });
    const first = verdicts.filter(({ user }) => user !== undefined);
    if (first.length === 0) continue;
    const again = await verdictsOn(first.map(({ user }) => reject(user)).join('\n'));
    expect(again.map(({ result, reason }) => [result, reason])).toEqual(
      first.map(({ result, reason }) => [result, reason]),
    );
    expect(again.map(({ line }) => line && JSON.parse(line))).toEqual(
      first.map(({ line }) => line && JSON.parse(line)),
    );
    count += first.length;
  }
  expect(count).toBeGreaterThan(150);
});
