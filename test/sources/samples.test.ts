import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/sources/pipeline/plan.ts';
import { questionsOf } from '../../src/sources/pipeline/questions.ts';
import { Tally } from '../../src/sources/pipeline/tally.ts';
import { adviceOnRows } from '../../src/sources/pipeline/user-advice.ts';
import type { Verdict } from '../../src/sources/pipeline/verdict.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { columnsReadOf, type ExpectedUser, planOf, readSamples, type Sample, verdictsOf } from './samples.ts';

interface Method {
  recipeId: string;
  email: string;
  isVerified: boolean;
  timeJoinedInMSSinceEpoch?: number;
  thirdPartyId?: string;
  thirdPartyUserId?: string;
  plainTextPassword?: string;
  passwordHash?: string;
  hashingAlgorithm?: string;
}

interface Line {
  externalUserId?: string;
  userMetadata?: Record<string, unknown>;
  loginMethods: Method[];
}

const SAMPLES = readSamples();

/** Providers of the logins to be imported. */
const providersOf = ({ users }: Sample): string[] => {
  const imported = users.filter(({ result }) => result === 'import');
  const names = imported.flatMap(({ thirdParty }) => thirdParty.map(({ thirdPartyId }) => thirdPartyId));
  return [...new Set(names)].sort();
};

const hasIdsPerApp = (sample: Sample): boolean =>
  providersOf(sample).some((provider) => ['facebook', 'apple', 'active-directory'].includes(provider));

/** Systems with users whose address is not verified, beside others whose is. */
const mixed = new Set<string>();

describe.each(
  SAMPLES.map(
    (sample) => [`${sample.system}: ${sample.files.map(({ name }) => name).join(' + ')}`, sample] as const,
  ),
)('%s', (_, sample) => {
  let plan: Plan;
  let tally: Tally;
  let verdicts: Verdict[];
  beforeAll(async () => {
    plan = await planOf(sample);
    tally = new Tally();
    verdicts = await verdictsOf(plan, { ...sample.decisions, tally });
  });

  it('is recognised', () => {
    expect(plan.source.name).toBe(sample.system);
    expect(sample.detect).toContain(plan.forms[0]?.name);
  });

  it('asks nothing that its options do not answer', () => {
    const questions = [...plan.advice, ...questionsOf(plan, tally)];
    const stops = questions.filter(({ level }) => level === 'stop');
    // An export without users stops, and says how to make one with them.
    if (sample.users.length === 0) expect(stops).toHaveLength(1);
    else expect(stops).toEqual([]);
  });

  it('is read by columns that are declared', () => {
    expect(undeclared(plan)).toEqual([]);
  });

  it('has a verdict for every row, and the right one', () => {
    expect(verdicts.map(seen)).toEqual(sample.users.map(expected));
  });

  it('is counted as it is converted', () => {
    const imported = verdicts.filter(({ result }) => result === 'import');
    const found = imported.filter(({ user }) => user?.hasSecondFactor === true);
    expect(tally.secondFactors.get('users') ?? 0).toBe(found.length);
    const logins = imported.flatMap((verdict) => lineOf(verdict)?.loginMethods ?? []);
    const count = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
    const ofPassword = logins.filter(
      ({ passwordHash, plainTextPassword }) => (passwordHash ?? plainTextPassword) !== undefined,
    );
    const ofThirdParty = logins.filter(({ recipeId }) => recipeId === 'thirdparty');
    expect([count(tally.addresses), count(tally.providers)]).toEqual([
      ofPassword.length,
      ofThirdParty.length,
    ]);
    expect([...tally.providers.keys()].sort()).toEqual(providersOf(sample));
    const advice = adviceOnRows(tally, { mfa: undefined }, { plan, rows: 1 }).map(({ text }) => text);
    expect(advice.some((text) => text.includes('Facebook'))).toBe(hasIdsPerApp(sample));
    const unverified = ofPassword.filter(({ isVerified }) => !isVerified).length;
    const said = /while others have one: (\d+)\./.exec(advice.join('\n'))?.[1];
    expect(said).toBe(0 < unverified && unverified < ofPassword.length ? String(unverified) : undefined);
    if (said !== undefined) mixed.add(sample.system);
  });

  it('keeps what metadata it should', () => {
    for (const [index, { metadataHas, result }] of sample.users.entries()) {
      if (metadataHas === undefined || result !== 'import') continue;
      expect(lineOf(verdicts[index])?.userMetadata).toMatchObject(metadataHas);
    }
  });

  it('signs in everyone who has a password, once imported, and nobody else', async () => {
    const { settings } = plan;
    // Those of Kratos and Appwrite stand beside each hash.
    const signerKey = settings.signerKey ?? sample.users.find(({ hash }) => hash?.signerKey)?.hash?.signerKey;
    const service = await serviceWith(sample.hashingSecrets, signerKey);
    await importAll(service, verdicts);
    const statusOf = async (email: string, password: string) =>
      (await service.send('POST', '/recipe/signin', { email, password })).body.status;
    const triedHere = new Set<string>();
    for (const { row, email, password } of sample.users.toSorted(byPassword)) {
      if (email === null || password === null) continue;
      const mayIn = sample.users.some(
        (user) => user.result === 'import' && user.email === email && user.password === password,
      );
      // A sign-in costs up to a second. One user stands for all who have the same kind of hash or are refused.
      const kind = hashKindOf(verdicts.find((verdict) => verdict.row === row));
      const alike = `${mayIn} ${kind}`;
      if (triedHere.has(alike)) continue;
      triedHere.add(alike);
      // Hashes of one kind refuse a wrong password alike, whatever the system.
      if (!tried.has(kind)) {
        tried.add(kind);
        expect([row, await statusOf(email, `x${password}`)]).toEqual([row, 'WRONG_CREDENTIALS_ERROR']);
      }
      expect([row, await statusOf(email, password)]).toEqual([row, mayIn ? 'OK' : 'WRONG_CREDENTIALS_ERROR']);
    }
  });
});

it('warns of ids that are per app, and of addresses that are not verified, for some systems', () => {
  expect(SAMPLES.filter(hasIdsPerApp).length).toBeGreaterThan(3);
  expect([...mixed]).toEqual(expect.arrayContaining(['payload', 'flask-security']));
});

/** Columns that a system reads without declaring them: nobody would be asked about their meaning in other versions. */
const undeclared = (plan: Plan): string[] =>
  [...plan.uses].flatMap(([table, { as, form }]) => {
    const { known } = form;
    if (as !== 'users' || typeof known === 'function' || known === 'all') return [];
    return [...columnsReadOf(plan, table)].filter((name) => !known.has(name));
  });

/** Orders users so that those whose password is not ASCII come first. */
const byPassword = (a: ExpectedUser, b: ExpectedUser) => Number(isAscii(a)) - Number(isAscii(b));
const isAscii = ({ password }: ExpectedUser) => !/[^ -~]/.test(password ?? '');

/** Kinds of hashes that have refused a wrong password. */
const tried = new Set<string | undefined>();

/** The services of this file, by their secrets. Most samples have none, and take turns on one service. */
const services = new Map<string, TestApp>();
afterAll(async () => {
  for (const service of services.values()) await service.close();
});

async function serviceWith(
  secrets: Sample['hashingSecrets'],
  signerKey: string | undefined,
): Promise<TestApp> {
  const key = JSON.stringify([secrets, signerKey]);
  const known = services.get(key);
  if (known !== undefined) {
    await known.database.db.query('truncate users, password_logins, third_party_logins, user_aliases');
    return known;
  }
  const service = await createTestApp({
    config: { hashing_secrets: [...secrets] },
    ...(signerKey !== undefined && { signerKey }),
  });
  services.set(key, service);
  return service;
}

/** Returns the name of the hash's format: its algorithm if the export names it, and otherwise how the hash begins. */
function hashKindOf(verdict: Verdict | undefined): string | undefined {
  const hash = lineOf(verdict)?.loginMethods.find(({ passwordHash }) => passwordHash !== undefined);
  return hash?.hashingAlgorithm ?? /^\W?\w*/.exec(hash?.passwordHash ?? '')?.[0];
}

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

/** What a verdict says, in the words of expected.json. */
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
    // Null: the system knows none.
    emailVerified: hasPassword ? (user.emailVerified ?? false) : undefined,
    timeJoined: user.alsoRight?.some((right) => right.startsWith('timeJoined'))
      ? expect.anything()
      : user.timeJoined,
    plainTextPassword: user.plainTextPassword,
    thirdParty: sorted(user.thirdParty).map((login) => ({
      ...login,
      email: login.email ?? user.email,
      // Where it is not said, either is right.
      isVerified: login.isVerified ?? expect.any(Boolean),
    })),
  };
}
