import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { parseOnlyRegistry } from '../../../src/hashing/parse-only-registry.ts';
import { choosePlan } from '../../../src/sources/pipeline/choose-plan.ts';
import { convert } from '../../../src/sources/pipeline/convert.ts';
import { newTally } from '../../../src/sources/pipeline/judge.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import type { Verdict } from '../../../src/sources/pipeline/verdict.ts';
import { readSamples } from '../samples.ts';

const registry = parseOnlyRegistry();

async function verdictsOf(text: string): Promise<Verdict[]> {
  const file = {
    name: 'rejects.ndjson',
    async *open() {
      yield Buffer.from(text);
    },
  };
  const plan = choosePlan([await surveyFile(file, {})], { settings: {} });
  if ('noPlan' in plan) throw new Error(plan.noPlan);
  expect(plan.source.name).toBe('rejects');
  const verdicts: Verdict[] = [];
  const deps = { nowMs: Date.now(), includeDisabled: true, verifiedByDefault: false, providers: {} };
  const batches = convert(plan, { ...deps, registry, tally: newTally(), tempDirectory: tmpdir() });
  for await (const batch of batches) verdicts.push(...batch);
  return verdicts;
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

it('imports a row that was mended, and says the same of one that was not', async () => {
  const mended = {
    encoded: '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2',
    algorithm: 'bcrypt',
  };
  const user = { externalUserId: '7', email: 'ada@example.com', metadata: { plan: 'pro' } };
  const problem = { problem: 'HASH_REDACTED', message: 'redacted' };
  const [first, second, third] = await verdictsOf(
    `${reject({ ...user, password: mended })}\n${reject({ ...user, password: problem })}\n${reject(null)}\n`,
  );
  expect(JSON.parse(first?.line ?? '')).toMatchObject({
    externalUserId: '7',
    userMetadata: { plan: 'pro' },
    loginMethods: [{ email: 'ada@example.com', passwordHash: mended.encoded, hashingAlgorithm: 'bcrypt' }],
  });
  expect(second).toMatchObject({ result: 'error', reason: 'HASH_REDACTED', message: 'redacted' });
  expect(third).toMatchObject({ result: 'skip', reason: 'NO_EMAIL' });
});

it('reads every user of every sample as it was read the first time', async () => {
  let count = 0;
  for (const { files, options } of readSamples()) {
    const surveys = await Promise.all(files.map((file) => surveyFile(file, {})));
    const plan = choosePlan(surveys, { settings: options });
    if ('noPlan' in plan) throw new Error(plan.noPlan);
    const deps = { nowMs: 1_750_000_000_000, includeDisabled: true, verifiedByDefault: false, providers: {} };
    const first: Verdict[] = [];
    for await (const batch of convert(plan, {
      ...deps,
      registry,
      tally: newTally(),
      tempDirectory: tmpdir(),
    })) {
      first.push(...batch.filter(({ user }) => user !== undefined));
    }
    if (first.length === 0) continue;
    const again = await verdictsOf(first.map(({ user }) => reject(user)).join('\n'));
    expect(again.map(({ result, reason }) => [result, reason])).toEqual(
      first.map(({ result, reason }) => [result, reason]),
    );
    expect(again.map(({ line }) => line && JSON.parse(line))).toEqual(
      first.map(({ line }) => line && JSON.parse(line)),
    );
    count += first.length;
  }
  expect(count).toBeGreaterThan(300);
});
