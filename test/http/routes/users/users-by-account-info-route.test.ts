import { beforeAll, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { failure, importNew, signInUpNew } from '../../../support/service-calls.ts';

/** Names of the users below, by id. */
let names: Map<string, string>;

const LINKED = '01920000-0000-7000-8000-000000000001';

const service = await useTestApp();
beforeAll(async () => {
  const password = await importNew(service, 'shared@b.c');
  const google = await signInUpNew(service, { id: 'google', userId: '1' }, 'shared@b.c');
  const github = await signInUpNew(service, { id: 'github', userId: '1' }, 'other@b.c');
  await insertLinkedUser(service.database.db, {
    id: LINKED,
    timeJoinedMs: 4000,
    methods: [
      { recipeUserId: LINKED, email: 'linked@b.c', timeJoinedMs: 4000 },
      {
        recipeUserId: '01920000-0000-7000-8000-000000000002',
        email: 'shared@b.c',
        timeJoinedMs: 5000,
        thirdParty: { id: 'google', userId: 'linked' },
      },
    ],
  });
  const joined = [
    [google.id, 1000],
    [password.id, 2000],
    [github.id, 3000],
  ];
  for (const row of joined) {
    await service.database.db.query('update users set time_joined_ms = $2 where user_id = $1', row);
  }
  names = new Map([
    [password.id, 'password'],
    [google.id, 'google'],
    [github.id, 'github'],
    [LINKED, 'linked'],
  ]);
});

const find = (query: string) => service.send('GET', `/users/by-accountinfo?${query}`);
const SHARED = 'email=shared@b.c';
const GOOGLE = 'thirdPartyId=google&thirdPartyUserId=1';
const GITHUB = 'thirdPartyId=github&thirdPartyUserId=1';
const LINKED_GOOGLE = 'thirdPartyId=google&thirdPartyUserId=linked';

it.each([
  // One condition.
  [SHARED, ['google', 'password', 'linked'], ['google', 'password', 'linked']],
  ['email=%20SHARED@b.C', ['google', 'password', 'linked'], ['google', 'password', 'linked']],
  ['email=shared', [], []],
  ['email=nobody@b.c', [], []],
  [GOOGLE, ['google'], ['google']],
  ['thirdPartyId=Google&thirdPartyUserId=1', [], []],
  ['thirdPartyId=&thirdPartyUserId=', [], []],
  ['phoneNumber=%2B491234', [], []],
  // Two conditions.
  [`${SHARED}&${GOOGLE}`, ['google'], ['google', 'password', 'linked']],
  [`${SHARED}&${GITHUB}`, [], ['google', 'password', 'github', 'linked']],
  [`email=linked@b.c&${LINKED_GOOGLE}`, ['linked'], ['linked']],
  [`email=other@b.c&${GOOGLE}`, [], ['google', 'github']],
  [`email=nonsense&${GOOGLE}`, [], ['google']],
  [`email=a%00b@c&${GOOGLE}`, [], ['google']],
  [`${SHARED}&thirdPartyId=%00&thirdPartyUserId=1`, [], ['google', 'password', 'linked']],
  [`${SHARED}&phoneNumber=1`, [], ['google', 'password', 'linked']],
  // Three conditions, and none.
  [`${SHARED}&${GOOGLE}&phoneNumber=1`, [], ['google', 'password', 'linked']],
  ['unknown=1', [], []],
])('%s finds %j who match all conditions, %j who match any', async (query, all, any) => {
  for (const [union, expected] of [
    ['false', all],
    ['true', any],
  ] as const) {
    const { status, body } = await find(`doUnionOfAccountInfo=${union}&${query}`);
    expect([status, body.status]).toEqual([200, 'OK']);
    expect(body.users.map((user) => names.get(user.id))).toEqual(expected);
  }
});

it('returns complete users', async () => {
  const { body } = await find(`doUnionOfAccountInfo=true&${LINKED_GOOGLE}`);
  const user = await service.send('GET', `/user/id?userId=${LINKED}`);
  expect(body.users).toEqual([user.body.user]);
});

it.each([
  ['', "Field name 'doUnionOfAccountInfo' is missing in GET request"],
  ['doUnionOfAccountInfo=', "'doUnionOfAccountInfo' should be either 'true' or 'false'"],
  ['doUnionOfAccountInfo=TRUE', "'doUnionOfAccountInfo' should be either 'true' or 'false'"],
  ['doUnionOfAccountInfo=1', "'doUnionOfAccountInfo' should be either 'true' or 'false'"],
  [
    'doUnionOfAccountInfo=true&thirdPartyId=google',
    "If 'thirdPartyId' is provided, 'thirdPartyUserId' must also be provided, and vice versa",
  ],
  [
    'doUnionOfAccountInfo=true&email=a@b.c&thirdPartyUserId=1',
    "If 'thirdPartyId' is provided, 'thirdPartyUserId' must also be provided, and vice versa",
  ],
  ['doUnionOfAccountInfo=true&email=a&email=b', "Field name 'email' is invalid in GET request"],
])('refuses "%s"', async (query, message) => {
  expect(await find(query)).toMatchObject(failure(400, 'QUERY_INVALID', message));
});
