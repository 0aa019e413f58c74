import { describe, expect, it } from 'vitest';
import { fullPayload, hashesOf, stagedPayload } from '../../../src/imports/staged/staged-payload.ts';
import { toJson } from '../../../src/lib/json/exact-json.ts';
import { GITHUB, GOOGLE, PASSWORD, PLAIN, parsedUserOf } from '../../support/user-forms.ts';

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
  it('is read in the same way as the payload itself', () => {
    const parsedUser = parsedUserOf(FULL);
    const payload = stagedPayload(FULL);
    const stored = { payload: toJson(payload), hashes: hashesOf(payload, parsedUser) };
    expect(parsedUserOf(fullPayload(stored))).toEqual(parsedUser);
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

  it('cannot be made of a password that was not hashed', () => {
    const sent = { loginMethods: [PLAIN] };
    expect(() => hashesOf(stagedPayload(sent), parsedUserOf(sent))).toThrow('a password is not hashed yet');
  });
});
