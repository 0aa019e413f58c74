import { describe, expect, it } from 'vitest';
import { argon2 } from '../../../src/hashing/families/argon2.ts';
import { externalScrypt } from '../../../src/hashing/families/scrypt.ts';
import { FAMILIES } from '../../../src/hashing/families.ts';
import { type Family, named } from '../../../src/hashing/family.ts';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import { readUserPayload } from '../../../src/imports/input/read-user-payload.ts';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT } from '../../support/example-hashes.ts';
import { GOOGLE, NOW, PASSWORD, PLAIN, problemsOf, readDeps } from '../../support/user-forms.ts';
import { CHEAP_LIMITS } from '../../support/vectors.ts';

const deps = readDeps();
const problemsOfMethod = (method: unknown) => problemsOf({ loginMethods: [method] });

describe('a login method is refused', () => {
  const EITHER =
    'Either (passwordHash, hashingAlgorithm) or plainTextPassword is required for an emailpassword recipe.';

  it.each([
    [
      { recipeId: [], tenantIds: {}, isPrimary: [], isVerified: [], timeJoinedInMSSinceEpoch: [] },
      [
        'recipeId should be of type string for a loginMethod.',
        'tenantIds should be of type array of string for a loginMethod.',
        'isVerified should be of type boolean for a loginMethod.',
        'isPrimary should be of type boolean for a loginMethod.',
        'timeJoinedInMSSinceEpoch should be of type integer for a loginMethod',
      ],
    ],
    [{}, ['recipeId is required for a loginMethod.']],
    [{ recipeId: 'emailpassword' }, ['email is required for an emailpassword recipe.', EITHER]],
    [
      { recipeId: 'emailpassword', email: [], passwordHash: [], hashingAlgorithm: [] },
      [
        'email should be of type string for an emailpassword recipe.',
        'passwordHash should be of type string for an emailpassword recipe.',
        'hashingAlgorithm should be of type string for an emailpassword recipe.',
        EITHER,
      ],
    ],
    [
      { recipeId: 'thirdparty' },
      [
        'email is required for a thirdparty recipe.',
        'thirdPartyId is required for a thirdparty recipe.',
        'thirdPartyUserId is required for a thirdparty recipe.',
      ],
    ],
    [
      { recipeId: 'thirdparty', email: [], thirdPartyId: [], thirdPartyUserId: [] },
      [
        'email should be of type string for a thirdparty recipe.',
        'thirdPartyId should be of type string for a thirdparty recipe.',
        'thirdPartyUserId should be of type string for a thirdparty recipe.',
      ],
    ],
    [
      { ...PASSWORD, timeJoinedInMSSinceEpoch: NOW + 1 },
      ['timeJoined cannot be in future for a loginMethod.'],
    ],
    [{ ...PASSWORD, timeJoinedInMSSinceEpoch: -1 }, ['timeJoined cannot be < 0 for a loginMethod.']],
  ])('has the messages of SuperTokens core: %j', (method, messages) => {
    expect(problemsOfMethod(method)).toEqual(messages);
  });

  it.each([
    'isVerified',
    'isPrimary',
    'tenantIds',
    'timeJoinedInMSSinceEpoch',
    'hashingAlgorithm',
    'externalUserId',
  ])('if its %s is null, which is not the same as absent', (name) => {
    expect(problemsOfMethod({ ...PASSWORD, [name]: null })).toEqual([
      expect.stringMatching(new RegExp(`^${name} should be of type `)),
    ]);
  });

  it.each([
    ['isVerified', 'true'],
    ['isVerified', 1],
    ['isPrimary', [true]],
    ['timeJoinedInMSSinceEpoch', '1700000000000'],
    ['timeJoinedInMSSinceEpoch', 1.5],
    ['timeJoinedInMSSinceEpoch', JSON.parse('1e999')],
    ['tenantIds', 'public'],
    ['tenantIds', [null]],
    ['tenantIds', ['']],
    ['tenantIds', []],
    ['recipeId', ''],
    ['email', ['a@b.c']],
    ['email', 'a@'],
    ['email', 'a\0b@b.c'],
    ['email', `${'x'.repeat(253)}@b.c`],
    ['email', ' '.repeat(1020) + PASSWORD.email],
    ['email', 'a\ud800@b.c'],
    ['hashingAlgorithm', ['bcrypt']],
    ['hashingAlgorithm', 'x'.repeat(65_537)],
  ])('if its %s is %j', (name, value) => {
    expect(problemsOfMethod({ ...PASSWORD, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} `)),
    ]);
  });

  it.each(['thirdPartyId', 'thirdPartyUserId'])('if its %s cannot be stored', (name) => {
    for (const value of [null, '', 7, ['google'], 'x'.repeat(257), 'a\0b', '\ud800']) {
      const messages = problemsOfMethod({ ...GOOGLE, [name]: value });
      expect([value, messages]).toEqual([value, [expect.stringMatching(new RegExp(`^${name} `))]]);
    }
  });

  it.each([['other'], ['public', 'other'], ['Public'], [' public']])('for the tenants %j', (...tenantIds) => {
    expect(problemsOfMethod({ ...PASSWORD, tenantIds })).toEqual([
      expect.stringMatching(/^Multitenancy must be enabled before importing users to a different tenant\./),
    ]);
  });

  it.each([
    ['passwordless', /^passwordless logins cannot be imported/],
    ['webauthn', /^Invalid recipeId/],
    ['EmailPassword', /^Invalid recipeId/],
  ])('for the recipe %s', (recipeId, message) => {
    expect(problemsOfMethod({ ...PASSWORD, recipeId })).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    [
      { passwordHash: BCRYPT.hash.slice(0, 41) },
      'PASSWORD_HASH_INVALID',
      'Password hash is in invalid BCrypt format: ',
    ],
    [{ passwordHash: ARGON2.hash }, 'PASSWORD_HASH_INVALID', 'Password hash is in invalid BCrypt format: '],
    [
      { passwordHash: BCRYPT.hash.replace('$04$', '$16$') },
      'PASSWORD_HASH_COST',
      'Password hash cost is not allowed: takes 3200 ms',
    ],
    [{ passwordHash: '' }, 'PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string'],
    [
      { hashingAlgorithm: '' },
      'HASHING_ALGORITHM_EMPTY',
      'Invalid hashingAlgorithm for emailpassword recipe.',
    ],
  ])('for a hash that the single import refuses: %j', (change, code, start) => {
    expect(readUserPayload(deps, { loginMethods: [{ ...PASSWORD, ...change }] })).toEqual([
      { code, message: expect.stringContaining(start) },
    ]);
  });

  it('for a hash that needs a signer key if none is configured', () => {
    const method = { ...PASSWORD, passwordHash: EXTERNAL_SCRYPT.hash, hashingAlgorithm: 'firebase_scrypt' };
    expect(readUserPayload(readDeps(''), { loginMethods: [method] })).toEqual([
      {
        code: 'SIGNER_KEY_NOT_CONFIGURED',
        message: "'external_password_hashing_signer_key' is not configured",
      },
    ]);
  });

  it('for a password that sign-up refuses', () => {
    expect(readUserPayload(deps, { loginMethods: [{ ...PLAIN, plainTextPassword: '' }] })).toEqual([
      { code: 'PASSWORD_EMPTY', message: 'Password cannot be an empty string' },
    ]);
    for (const plainTextPassword of ['x'.repeat(65_537), '\ud800']) {
      expect(problemsOfMethod({ ...PLAIN, plainTextPassword })[0]).toMatch(/^plainTextPassword /);
    }
  });

  it('with both a password and a hash', () => {
    expect(problemsOfMethod({ ...PASSWORD, plainTextPassword: 'x' })).toEqual([
      'Only one of passwordHash and plainTextPassword can be given for an emailpassword recipe.',
    ]);
  });
});

it('the message for an unknown algorithm names those of SuperTokens core, and further ones', () => {
  const bcrypt = named(FAMILIES, 'bcrypt');
  const later: Family = { ...bcrypt, name: 'later', superTokensName: 'later' };
  const method = { ...PASSWORD, hashingAlgorithm: 'invalid_algorithm' };
  const messageOf = (families: readonly Family[]) => {
    const registry = buildRegistry(CHEAP_LIMITS, undefined, families);
    return readUserPayload({ ...deps, registry }, { loginMethods: [method] });
  };
  const sentence = 'Invalid hashingAlgorithm for emailpassword recipe. Pass one of';
  expect(messageOf([bcrypt, argon2, externalScrypt])).toMatchObject([
    { message: `${sentence} bcrypt, argon2 or, firebase_scrypt!` },
  ]);
  expect(messageOf([bcrypt, argon2, externalScrypt, later])).toMatchObject([
    { message: `${sentence} bcrypt, argon2, firebase_scrypt or, later!` },
  ]);
});
