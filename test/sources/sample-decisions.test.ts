/** All samples under each flag of user-import that decides about users (src/sources/source-user.ts). */
import { expect, it } from 'vitest';
import type { Verdict } from '../../src/sources/pipeline/verdict.ts';
import type { UserDecisions } from '../../src/sources/source-user.ts';
import { type ExpectedUser, planOf, readSamples, verdictsOf } from './samples.ts';

const canSignIn = ({ hasLogin, hash, plainTextPassword, thirdParty }: ExpectedUser) =>
  hasLogin || hash !== null || plainTextPassword !== undefined || thirdParty.length > 0;

/** What a row becomes: its outcome, and the members of its line that the flags decide about. */
interface Outcome {
  result: string;
  reason?: string | undefined;
  disabled?: boolean | undefined;
  password?: 'unset' | 'legacySignIn' | undefined;
  factors?: Record<string, unknown> | undefined;
}

function expected(user: ExpectedUser, { disabled, withoutPassword, mfa }: UserDecisions): Outcome {
  let { result, reason }: Pick<Outcome, 'result' | 'reason'> = user;
  const isDisabled = user.reason === 'DISABLED';
  if (isDisabled && disabled !== 'skip')
    [result, reason] = canSignIn(user) ? ['import', undefined] : ['skip', 'NO_LOGIN_METHOD'];
  const isWithout = reason === 'NO_LOGIN_METHOD' && withoutPassword !== 'skip';
  if (isWithout) ({ result, reason } = user.kept ?? { result: 'import', reason: undefined });
  if (result === 'import' && user.secondFactor && mfa === 'skip')
    [result, reason] = ['skip', 'SECOND_FACTOR'];
  if (result !== 'import') return { result, reason };
  return {
    result,
    disabled: disabled === 'keep' ? isDisabled : undefined,
    password: isWithout ? (withoutPassword === 'keep' ? 'unset' : 'legacySignIn') : undefined,
    factors: mfa === 'keep' ? user.factors : undefined,
  };
}

function seen({ result, reason, line }: Verdict): Outcome {
  if (line === undefined) return { result, reason };
  const { disabled, loginMethods, totpDevices, userRoles, phoneNumbers } = JSON.parse(line);
  const without = loginMethods.find(
    (method: Record<string, unknown>) => method.password !== undefined || method.legacySignIn !== undefined,
  );
  const factors = Object.fromEntries(
    Object.entries({ totpDevices, userRoles, phoneNumbers }).filter(([, value]) => value !== undefined),
  );
  return {
    result,
    disabled,
    password: without && (without.legacySignIn ? 'legacySignIn' : without.password),
    factors: Object.keys(factors).length > 0 ? factors : undefined,
  };
}

/** Samples with a user about whom a flag decides. */
const SAMPLES = readSamples().filter(({ users }) =>
  users.some(
    ({ reason, secondFactor, factors }) =>
      reason === 'DISABLED' || reason === 'NO_LOGIN_METHOD' || secondFactor || factors,
  ),
);

/** Flags that do not affect each other are tried together. */
const DECISIONS: readonly UserDecisions[] = [
  { disabled: 'keep', withoutPassword: 'skip', mfa: 'password-only' },
  { disabled: 'include', withoutPassword: 'legacy', mfa: 'skip' },
  { disabled: 'keep', withoutPassword: 'keep', mfa: 'keep' },
];

it.each(SAMPLES)('$system: $detect', async (sample) => {
  const plan = await planOf(sample);
  for (const decisions of DECISIONS) {
    const verdicts = await verdictsOf(plan, { ...sample.decisions, ...decisions });
    expect(verdicts.map(seen)).toEqual(sample.users.map((user) => expected(user, decisions)));
  }
});

it('has users of each kind', () => {
  const users = SAMPLES.flatMap((sample) => sample.users);
  const count = (is: (user: ExpectedUser) => boolean) => users.filter(is).length;
  expect(count(({ reason }) => reason === 'DISABLED')).toBeGreaterThan(60);
  expect(count(({ reason }) => reason === 'NO_LOGIN_METHOD')).toBeGreaterThan(60);
  expect(count(({ secondFactor }) => secondFactor === true)).toBeGreaterThan(15);
  expect(count(({ factors }) => factors?.totpDevices !== undefined)).toBeGreaterThan(7);
});
