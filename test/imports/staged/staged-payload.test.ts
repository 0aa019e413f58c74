import { describe, expect, it } from 'vitest';
import { stagedPayload, stageUsers, withHashes } from '../../../src/imports/staged/stage-users.ts';
import type { StagedEntry, StagedStore } from '../../../src/imports/staged/staged-store.ts';
import { testPasswords } from '../../support/app.ts';
import { testVault } from '../../support/factors.ts';
import { GITHUB, GOOGLE, PASSWORD, parsedUserOf } from '../../support/user-forms.ts';

const FULL = {
  externalUserId: ' own ',
  userMetadata: { a: [1, { b: null }] },
  disabled: true,
  loginMethods: [
    { ...GITHUB, tenantIds: ['public'], isVerified: true, timeJoinedInMSSinceEpoch: 5, externalUserId: 'x' },
    { ...PASSWORD, email: ' A@B.c', isPrimary: true, timeJoinedInMSSinceEpoch: 7 },
    { ...GOOGLE, timeJoinedInMSSinceEpoch: 0 },
    { ...PASSWORD, email: 'second@b.c', isVerified: false, timeJoinedInMSSinceEpoch: 8 },
  ],
};

describe('the stored payload', () => {
  it('is read in the same way as the payload itself', async () => {
    const stored: StagedEntry[] = [];
    const staged = { add: async (entries: StagedEntry[]) => void stored.push(...entries) };
    await stageUsers(
      {
        ...{ staged: staged as unknown as StagedStore, passwords: testPasswords(), vault: testVault() },
        ...{ now: Date.now, maxUserBytes: 10_000 },
      },
      [FULL],
    );
    expect(stored.map((entry) => parsedUserOf(withHashes(entry)))).toEqual([parsedUserOf(FULL)]);
  });

  it('has the normalised address, and no password, hash or meaningless member', () => {
    const sent = {
      ...FULL,
      password: 'secret',
      loginMethods: [
        {
          ...FULL.loginMethods[1],
          plaintextPassword: 'secret',
          thirdPartyId: 'secret',
          phoneNumber: 'secret',
        },
        { ...GOOGLE, passwordHash: 'secret', plainTextPassword: 'secret' },
      ],
    };
    expect(stagedPayload(sent)).toEqual({
      externalUserId: ' own ',
      userMetadata: FULL.userMetadata,
      disabled: true,
      loginMethods: [
        { recipeId: 'emailpassword', isPrimary: true, timeJoinedInMSSinceEpoch: 7, email: 'a@b.c' },
        GOOGLE,
      ],
    });
  });
});
