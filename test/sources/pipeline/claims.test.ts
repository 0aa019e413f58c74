import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type ClaimOptions, Claims } from '../../../src/sources/pipeline/claims.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';

const PASSWORD = { encoded: '$2b$10$x' };
const NOW_MS = Date.UTC(2026, 0, 1);

/** Returns for each user, in order, why the user does not get the addresses, or undefined. */
function problems(users: readonly SourceUser[], options: Partial<ClaimOptions> = {}) {
  const claims = new Claims({
    tempDirectory: tmpdir(),
    nowMs: NOW_MS,
    providers: {},
    disabled: 'skip',
    withoutPassword: 'skip',
    sharedAddress: undefined,
    verifiedByDefault: false,
    ...options,
  });
  try {
    for (const [order, user] of users.entries()) claims.note(user, { order, row: `row ${order}` });
    claims.settle();
    return users.map((user, order) => claims.problemOfAddress(user, order)?.reason);
  } finally {
    claims.close();
  }
}

const login = (email: string, isVerified: boolean) => ({ recipeId: 'emailpassword', email, isVerified });

describe('claims to addresses', () => {
  it('are made by every password login of a user', () => {
    const boss = { loginMethods: [login('old@example.com', true), login('boss@example.com', true)] };
    const other = { recipeId: 'thirdparty', email: 'ada@example.com' };
    const mallory = { loginMethods: [login('x@example.com', true), login('Boss@example.com', false), other] };
    const ada = { email: 'ada@example.com', isVerified: false, password: PASSWORD };
    expect(problems([mallory, boss, ada])).toEqual(['DUPLICATE_EMAIL', undefined, undefined]);
  });

  it.each(['keep', 'legacy'] as const)(
    'are made by users who get a login without a password (%s), but not by those of SSO',
    (withoutPassword) => {
      const known = { email: 'boss@example.com', isVerified: true, password: PASSWORD };
      const of = (provider: string, isSso = false): SourceUser => ({
        email: 'boss@example.com',
        isVerified: true,
        identities: [{ provider, userId: '1', isSso }],
      });
      const shared = ['ADDRESS_SHARED', 'ADDRESS_SHARED'];
      expect(problems([known, of('unheard-of')], { withoutPassword })).toEqual(shared);
      for (const user of [of('google'), of('saml.acme', true)])
        expect(problems([known, user], { withoutPassword })).toEqual([undefined, undefined]);
    },
  );

  it('are not newer for a time in the future', () => {
    const at = (timeJoinedMs: number) => ({ email: 'boss@example.com', password: PASSWORD, timeJoinedMs });
    const users = [at(NOW_MS + 1), at(NOW_MS - 5), at(NOW_MS - 9)];
    const chosen = (sharedAddress: 'newest' | 'oldest') =>
      problems(users, { sharedAddress }).indexOf(undefined);
    expect([chosen('newest'), chosen('oldest')]).toEqual([2, 0]);
    expect(problems(users.slice(1), { sharedAddress: 'newest' })).toEqual([undefined, 'DUPLICATE_EMAIL']);
  });
});
