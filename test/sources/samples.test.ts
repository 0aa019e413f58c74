import { beforeAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/sources/pipeline/verdict.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { signInStatus } from '../support/service-calls.ts';
import { type ExpectedUser, planOf, readSamples, verdictsOf } from './samples.ts';

interface Method {
  recipeId: string;
  email: string;
  isVerified: boolean;
  timeJoinedInMSSinceEpoch?: number;
  thirdPartyId?: string;
  thirdPartyUserId?: string;
  plainTextPassword?: string;
}

interface Line {
  externalUserId?: string;
  userMetadata?: Record<string, unknown>;
  loginMethods: Method[];
}

const SAMPLES = readSamples();

describe.each(
  SAMPLES.map(
    (sample) => [`${sample.system}: ${sample.files.map(({ name }) => name).join(' + ')}`, sample] as const,
  ),
)('%s', (_, sample) => {
  let verdicts: Verdict[];
  beforeAll(async () => {
    verdicts = await verdictsOf(await planOf(sample));
  });

  it('is recognised', async () => {
    const { source, forms } = await planOf(sample);
    expect(source.name).toBe(sample.system);
    expect(sample.detect).toContain(forms[0]?.name);
  });

  it('has the right verdict for every row', () => {
    expect(verdicts.map(seen)).toEqual(sample.users.map(expected));
  });

  it('has the right metadata', () => {
    for (const [index, { metadataHas, result }] of sample.users.entries()) {
      if (metadataHas === undefined || result !== 'import') continue;
      expect(lineOf(verdicts[index])?.userMetadata).toMatchObject(metadataHas);
    }
  });

  it('exactly the imported users who have a password can sign in', async () => {
    const { settings } = await planOf(sample);
    // In Kratos and Appwrite, the key is stored beside each hash.
    const signerKey = settings.signerKey ?? sample.users.find(({ hash }) => hash?.signerKey)?.hash?.signerKey;
    const service = await createTestApp({
      config: { hashing_secrets: [...sample.hashingSecrets] },
      ...(signerKey !== undefined && { signerKey }),
    });
    try {
      await importAll(service, verdicts);
      for (const user of sample.users) {
        if (user.email === null || user.password === null) continue;
        const mayIn = sample.users.some(
          ({ result, email, password }) =>
            result === 'import' && email === user.email && password === user.password,
        );
        expect([user.row, await signInStatus(service, user.email, user.password)]).toEqual([
          user.row,
          mayIn ? 'OK' : 'WRONG_CREDENTIALS_ERROR',
        ]);
        expect(await signInStatus(service, user.email, `x${user.password}`)).toBe('WRONG_CREDENTIALS_ERROR');
      }
    } finally {
      await service.close();
    }
  });
});

async function importAll(service: TestApp, verdicts: readonly Verdict[]): Promise<void> {
  const lines = verdicts.flatMap(({ line }) => line ?? []);
  const payload = `${lines.join('\n')}\n`;
  const { text } = await service.send('POST', '/bulk-import/stream', payload, {
    'content-type': 'application/x-ndjson',
  });
  const failed = text.split('\n').filter((line) => line.includes('"FAILED"'));
  expect(failed).toEqual([]);
  expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '').summary.created).toBe(lines.length);
}

const sorted = <T extends { thirdPartyId?: string }>(logins: readonly T[]) =>
  logins.toSorted((a, b) => (a.thirdPartyId ?? '').localeCompare(b.thirdPartyId ?? ''));

const lineOf = (verdict: Verdict | undefined): Line | undefined =>
  verdict?.line === undefined ? undefined : JSON.parse(verdict.line);

/** Returns a verdict in the terms of expected.json. */
function seen(verdict: Verdict) {
  const line = lineOf(verdict);
  const base = {
    row: verdict.row,
    result: verdict.result,
    reason: verdict.reason,
    externalUserId: verdict.externalUserId ?? null,
    email: verdict.email ?? null,
  };
  if (line === undefined) return base;
  const password = line.loginMethods.find(({ recipeId }) => recipeId === 'emailpassword');
  const [first] = line.loginMethods;
  return {
    ...base,
    hasPassword: password !== undefined,
    emailVerified: password?.isVerified,
    timeJoined: first?.timeJoinedInMSSinceEpoch ?? null,
    plainTextPassword: password?.plainTextPassword,
    thirdParty: sorted(line.loginMethods)
      .filter(({ recipeId }) => recipeId === 'thirdparty')
      .map(({ thirdPartyId, thirdPartyUserId, email, isVerified }) => ({
        thirdPartyId,
        thirdPartyUserId,
        email,
        isVerified,
      })),
  };
}

function expected(user: ExpectedUser) {
  const base = {
    row: user.row ?? user.hashRow,
    result: user.result,
    reason: user.reason,
    externalUserId: user.externalUserId,
    email: user.email,
  };
  if (user.result !== 'import') return base;
  const hasPassword = user.hash !== null || user.plainTextPassword !== undefined;
  return {
    ...base,
    hasPassword,
    // Null means that the system does not know.
    emailVerified: hasPassword ? (user.emailVerified ?? false) : undefined,
    timeJoined: user.alsoRight?.some((right) => right.startsWith('timeJoined'))
      ? expect.anything()
      : user.timeJoined,
    plainTextPassword: user.plainTextPassword,
    thirdParty: sorted(user.thirdParty).map((login) => ({
      ...login,
      email: login.email ?? user.email,
      // If it is not specified, either value is right.
      isVerified: login.isVerified ?? expect.any(Boolean),
    })),
  };
}
