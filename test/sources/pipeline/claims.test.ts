import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { WorkDatabase } from '../../../src/lib/work-database.ts';
import { type ClaimOptions, claimsOf } from '../../../src/sources/pipeline/claims.ts';
import { CHANGED_BY, Settlement } from '../../../src/sources/pipeline/settlement.ts';
import type { SourceUser, UserDecisions } from '../../../src/sources/source-user.ts';

const PASSWORD = { encoded: '$2b$10$x' };
const NOW_MS = Date.UTC(2026, 0, 1);

/** Returns for each user, in order, why the user does not get the addresses or ids, or undefined. */
function problems(
  users: readonly SourceUser[],
  { sharedAddress, ...options }: Partial<ClaimOptions> & Pick<UserDecisions, 'sharedAddress'> = {
    sharedAddress: undefined,
  },
) {
  const defaults = { nowMs: NOW_MS, providers: {}, verifiedByDefault: false } as const;
  const database = new WorkDatabase({ directory: tmpdir() });
  try {
    const settlement = new Settlement(database, sharedAddress);
    for (const [row, user] of users.entries()) {
      const claims = claimsOf(user, { ...defaults, disabled: 'skip', withoutPassword: 'skip', ...options });
      settlement.add({ place: 0, row, changedBy: CHANGED_BY.all, claims, identities: [] });
    }
    settlement.settle();
    const changes = settlement.changesBetween(1, users.length);
    return users.map((_, index) => changes.get(index + 1)?.why);
  } finally {
    database.close();
  }
}

const login = (email: string, isVerified: boolean) => ({ recipeId: 'emailpassword', email, isVerified });

describe('claims to addresses', () => {
  it('are made by every password login of a user', () => {
    const boss = { loginMethods: [login('old@example.com', true), login('boss@example.com', true)] };
    const other = { recipeId: 'thirdparty', email: 'ada@example.com' };
    const mallory = { loginMethods: [login('x@example.com', true), login('Boss@example.com', false), other] };
    const ada = { email: 'ada@example.com', isVerified: false, password: PASSWORD };
    expect(problems([mallory, boss, ada])).toEqual(['BETTER_CLAIM', undefined, undefined]);
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
      const shared = ['SHARED', 'SHARED'];
      const options = { withoutPassword, sharedAddress: undefined };
      expect(problems([known, of('unheard-of')], options)).toEqual(shared);
      for (const user of [of('google'), of('saml.acme', true)])
        expect(problems([known, user], options)).toEqual([undefined, undefined]);
    },
  );

  it('are not newer for a time in the future', () => {
    const at = (timeJoinedMs: number) => ({ email: 'boss@example.com', password: PASSWORD, timeJoinedMs });
    const users = [at(NOW_MS + 1), at(NOW_MS - 5), at(NOW_MS - 9)];
    const chosen = (sharedAddress: 'newest' | 'oldest') =>
      problems(users, { sharedAddress }).indexOf(undefined);
    expect([chosen('newest'), chosen('oldest')]).toEqual([2, 0]);
    expect(problems(users.slice(1), { sharedAddress: 'newest' })).toEqual([undefined, 'CHOSEN']);
  });
});
