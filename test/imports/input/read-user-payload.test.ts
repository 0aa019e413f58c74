import { describe, expect, it } from 'vitest';
import { ARGON2, BCRYPT } from '../../support/example-hashes.ts';
import { GITHUB, GOOGLE, NOW, PASSWORD, PLAIN, parsedUserOf, problemsOf } from '../../support/user-forms.ts';

const nested = (depth: number): unknown => (depth === 1 ? {} : { a: nested(depth - 1) });

describe('the messages are those of SuperTokens core', () => {
  it.each([
    [{}, ['loginMethods is required.']],
    [{ loginMethods: 'text' }, ['loginMethods should be of type array of object.']],
    [{ loginMethods: [] }, ['At least one loginMethod is required.']],
    [
      { externalUserId: [], userMetaData: [], userRoles: {}, totpDevices: {} },
      [
        'externalUserId should be of type string.',
        'userRoles should be of type array of object.',
        'totpDevices should be of type array of object.',
        'loginMethods is required.',
      ],
    ],
    [{ userMetadata: [], loginMethods: [PASSWORD] }, ['userMetadata should be of type object.']],
  ])('for a user: %j', (form, messages) => {
    expect(problemsOf(form)).toEqual(messages);
  });

  it('for several primary login methods', () => {
    const loginMethods = [PASSWORD, GOOGLE, GITHUB].map((method) => ({ ...method, isPrimary: true }));
    expect(problemsOf({ loginMethods })).toEqual(['No two loginMethods can have isPrimary as true.']);
  });
});

describe('a user is refused', () => {
  it.each([null, undefined, 7, 'text', [], [{ loginMethods: [PASSWORD] }]])('that is %j', (value) => {
    expect(problemsOf(value)).toEqual(['user should be of type object.']);
  });

  it.each([null, 7, true, {}, [], '', ' \t', 'x'.repeat(129), '😀'.repeat(129), '\ud800', 'a\0b'])(
    'with the external id %j',
    (externalUserId) => {
      const own = problemsOf({ externalUserId, loginMethods: [PASSWORD] });
      const ofMethod = problemsOf({ loginMethods: [{ ...PASSWORD, externalUserId }] });
      for (const messages of [own, ofMethod])
        expect(messages).toEqual([expect.stringMatching(/^externalUserId /)]);
    },
  );

  it.each([
    ['null', null],
    ['a text', '{}'],
    ['a number', 7],
    ['text with a NUL', { a: ['b\0'] }],
    ['a key with a NUL', { a: [{ 'b\0': 1 }] }],
    ['text with half a surrogate pair', { a: { b: 'x\ud83d' } }],
    ['a key with half a surrogate pair', { a: { '\udfff': 1 } }],
    ['a nest 65 deep', nested(65)],
    ['arrays 100,000 deep', { a: JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) }],
  ])('whose metadata is or contains %s', (_what, userMetadata) => {
    expect(problemsOf({ userMetadata, loginMethods: [PASSWORD] })).toEqual([
      expect.stringMatching(/^userMetadata /),
    ]);
  });

  it.each([
    [{ userRoles: [{ role: 'admin', tenantIds: ['acme'] }] }, 'Multitenancy must be enabled'],
    [{ totpDevices: [{ secretKey: '!' }] }, 'secretKey should be base32 for a totp device.'],
    [{ userRoles: null }, 'userRoles should be of type array of object.'],
    [{ totpDevices: ['x'] }, 'totpDevices should be of type array of object.'],
  ])('that has data which would be lost: %j', (extra, start) => {
    expect(problemsOf({ ...extra, loginMethods: [PASSWORD] })).toEqual([
      expect.stringMatching(new RegExp(`^${start}`)),
    ]);
  });

  it('with more than 100 login methods, without reading them', () => {
    const form = (length: number) => ({
      loginMethods: Array.from({ length }, (_, index) => ({ ...GOOGLE, thirdPartyUserId: `${index}` })),
    });
    expect(parsedUserOf(form(100)).methods).toHaveLength(100);
    expect(problemsOf(form(101))).toEqual(['At most 100 loginMethods are allowed.']);
  });

  it('with each problem reported once, however many login methods have it', () => {
    const loginMethods = Array.from({ length: 100 }, () => ({ recipeId: 'emailpassword' }));
    expect(problemsOf({ loginMethods })).toHaveLength(2);
  });

  it('with all problems of its login methods', () => {
    const loginMethods = [
      { ...PASSWORD, email: 'x' },
      { ...GOOGLE, thirdPartyId: '' },
      { recipeId: 'other' },
    ];
    expect(problemsOf({ externalUserId: 7, loginMethods })).toEqual([
      'externalUserId should be of type string.',
      'email should be an address (with an @, at most 256 characters) for an emailpassword recipe.',
      'thirdPartyId should be of type string for a thirdparty recipe.',
      'Invalid recipeId for loginMethod. Pass one of emailpassword or thirdparty!',
    ]);
  });
});

describe('login methods are refused in combination', () => {
  it.each([
    [
      'two passwords of one address',
      [PASSWORD, { ...PLAIN, email: ' A@B.C' }],
      'No two loginMethods can have the same email for an emailpassword recipe.',
    ],
    [
      'one identity twice',
      [GOOGLE, { ...GOOGLE, email: 'other@b.c' }],
      'No two loginMethods can have the same thirdPartyId and thirdPartyUserId.',
    ],
    [
      'one external id twice',
      [PASSWORD, { ...GOOGLE, externalUserId: 'x' }, { ...GITHUB, externalUserId: ' x ' }],
      'No two loginMethods can have the same externalUserId.',
    ],
    [
      'the external id of the user on another login method',
      [
        { ...PASSWORD, externalUserId: 'x' },
        { ...GOOGLE, externalUserId: 'x' },
      ],
      'No two loginMethods can have the same externalUserId.',
    ],
  ])('%s', (_what, loginMethods, message) => {
    expect(problemsOf({ loginMethods })).toEqual([message]);
  });

  it('if the external id of the primary one differs from that of the user', () => {
    const loginMethods = [GOOGLE, { ...PASSWORD, isPrimary: true, externalUserId: 'y' }];
    expect(problemsOf({ externalUserId: 'x', loginMethods })).toEqual([
      'externalUserId of the primary loginMethod should be that of the user.',
    ]);
    const other = [
      { ...GOOGLE, externalUserId: 'x' },
      { ...PASSWORD, isPrimary: true },
    ];
    expect(problemsOf({ externalUserId: 'x', loginMethods: other })).toEqual([
      'No two loginMethods can have the same externalUserId.',
    ]);
  });
});

describe('a parsed user', () => {
  it('has everything that the form contains', () => {
    const userMetadata = { plan: 'gold', ü: [1, null, { __proto: '\\u0000' }] };
    const google = { ...GOOGLE, isVerified: true, externalUserId: 'g', timeJoinedInMSSinceEpoch: NOW };
    const loginMethods = [
      { ...PASSWORD, email: ' A@B.c', timeJoinedInMSSinceEpoch: 0, tenantIds: ['public'] },
      google,
    ];
    expect(
      parsedUserOf({ externalUserId: ' id\n', userMetadata, userRoles: [], totpDevices: [], loginMethods }),
    ).toEqual({
      externalId: 'id',
      profile: { metadata: JSON.stringify(userMetadata) },
      methods: [
        {
          recipeId: 'emailpassword',
          email: 'a@b.c',
          verified: false,
          timeJoinedMs: 0,
          credential: { hash: { encoded: BCRYPT.hash, algorithm: 'bcrypt' } },
        },
        {
          recipeId: 'thirdparty',
          email: 'g@b.c',
          verified: true,
          timeJoinedMs: NOW,
          externalId: 'g',
          identity: { id: 'google', userId: '1' },
        },
      ],
    });
  });

  it('has nothing that the form does not contain', () => {
    expect(parsedUserOf({ loginMethods: [PLAIN] })).toEqual({
      profile: {},
      methods: [
        { recipeId: 'emailpassword', email: 'p@b.c', verified: false, credential: { plainText: 'pässword' } },
      ],
    });
  });

  it('has its hash recognised if no algorithm is named', () => {
    const methods = [{ recipeId: 'emailpassword', email: 'a@b.c', passwordHash: ` ${ARGON2.hash}\n` }];
    expect(parsedUserOf({ loginMethods: methods }).methods[0]).toMatchObject({
      credential: { hash: { encoded: ARGON2.hash, algorithm: 'argon2' } },
    });
  });

  it.each([
    ['the marked one', [GOOGLE, { ...PASSWORD, isPrimary: true, timeJoinedInMSSinceEpoch: NOW }, GITHUB], 1],
    [
      'the oldest',
      [GOOGLE, { ...GITHUB, timeJoinedInMSSinceEpoch: 5 }, { ...PASSWORD, timeJoinedInMSSinceEpoch: 4 }],
      2,
    ],
    [
      'the first of the oldest',
      [GITHUB, { ...GOOGLE, timeJoinedInMSSinceEpoch: 4 }, { ...PASSWORD, timeJoinedInMSSinceEpoch: 4 }],
      1,
    ],
    ['the first where none says when it was joined', [GOOGLE, PASSWORD, GITHUB], 0],
    [
      'not one that is joined by the import, whatever the clock',
      [GOOGLE, PASSWORD, { ...GITHUB, timeJoinedInMSSinceEpoch: NOW }],
      2,
    ],
  ])('begins with the primary login method: %s', (_what, loginMethods, index) => {
    const [, ...others] = parsedUserOf({ loginMethods }).methods;
    const emails = loginMethods.filter((_method, at) => at !== index).map(({ email }) => email);
    expect(others.map(({ email }) => email)).toEqual(emails);
  });

  it('uses the external id of its primary login method, which then has none of its own', () => {
    const loginMethods = [
      { ...GOOGLE, externalUserId: 'g' },
      { ...PASSWORD, isPrimary: true, externalUserId: 'p' },
    ];
    for (const externalUserId of [undefined, 'p']) {
      const { externalId, methods } = parsedUserOf({ externalUserId, loginMethods });
      expect(externalId).toBe('p');
      expect(methods.map((method) => method.externalId)).toEqual([undefined, 'g']);
    }
  });

  it('may have one address for several recipes, and identities that are only similar', () => {
    const identity = (thirdPartyId: string, thirdPartyUserId: string) => ({
      ...GOOGLE,
      thirdPartyId,
      thirdPartyUserId,
    });
    const loginMethods = [PASSWORD, { ...GOOGLE, email: 'a@b.c' }, identity('ab', 'c'), identity('a', 'bc')];
    expect(parsedUserOf({ loginMethods }).methods).toHaveLength(4);
  });

  it('may have metadata of the maximum depth', () => {
    const userMetadata = nested(64);
    expect(parsedUserOf({ userMetadata, loginMethods: [PASSWORD] }).profile.metadata).toBe(
      JSON.stringify(userMetadata),
    );
  });

  it('may have an external id of 128 characters', () => {
    const externalUserId = '😀'.repeat(128);
    expect(parsedUserOf({ externalUserId, loginMethods: [PASSWORD] }).externalId).toBe(externalUserId);
  });
});
