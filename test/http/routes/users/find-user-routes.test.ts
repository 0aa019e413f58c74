import { expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { NDJSON } from '../../../support/ndjson.ts';
import { failure, getUser, importNew } from '../../../support/service-calls.ts';

/** Values that parsing would change. */
const METADATA = '{"big":12345678901234567890,"one":1.0,"zero":-0,"name":"Ünal","":null,"__proto__":{"a":1}}';

const service = await useTestApp();
const method = `{"recipeId":"emailpassword","email":"ada@example.com","passwordHash":${JSON.stringify(BCRYPT.hash)}}`;
const lines = [
  `{"externalUserId":"ext-ada","userMetadata":${METADATA},"loginMethods":[${method}]}`,
  `{"loginMethods":[${method.replace('ada@', 'bob@')}]}`,
];
await service.send('POST', '/bulk-import/stream?importId=m', lines.join('\n'), { 'content-type': NDJSON });

it.each([
  ['', 'is missing'],
  ['?userid=x', ''],
  ['?userId=a&userId=b', 'is invalid in GET request'],
])('requires one user id: %s', async (query, why) => {
  expect(await service.send('GET', `/user/id${query}`)).toMatchObject(
    failure(400, 'QUERY_INVALID', `Field name 'userId' ${why}`),
  );
});

it('finds a user by id, with exactly these members in this order', async () => {
  const user = await importNew(service, 'found@b.c');
  const { status, text } = await getUser(service, user.id);
  expect([status, text]).toEqual([200, JSON.stringify({ status: 'OK', user })]);
});

it.each([
  '',
  ' ',
  'nobody',
  '00000000-0000-0000-0000-000000000000',
  '{00000000-0000-0000-0000-000000000000}',
  'a\0b',
  "'; drop table users --",
  '%',
  'ünïcödé 😀',
  'x'.repeat(16_000),
])('finds nobody with the id "%s"', async (id) => {
  const { status, body } = await getUser(service, id);
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
});

it('compares ids exactly', async () => {
  const { id } = await importNew(service, 'case@b.c');
  for (const other of [id.toUpperCase(), ` ${id}`, id.replaceAll('-', ''), `{${id}}`]) {
    expect((await getUser(service, other)).body).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  }
});

const ID = '0190e000-0000-7000-8000-000000000001';
const METHOD_ID = '0190e000-0000-7000-8000-000000000002';

it('finds a user with several login methods by each of its ids', async () => {
  const [google, github] = [
    { id: 'google', userId: 'get' },
    { id: 'github', userId: 'get' },
  ];
  await insertLinkedUser(service.database.db, {
    id: ID,
    externalId: 'legacy user/1',
    timeJoinedMs: 1000,
    methods: [
      { recipeUserId: ID, email: 'same@b.c', timeJoinedMs: 3000 },
      {
        recipeUserId: METHOD_ID,
        externalId: 'legacy-2',
        email: 'same@b.c',
        timeJoinedMs: 1000,
        thirdParty: google,
      },
      {
        recipeUserId: '0190e000-0000-7000-8000-000000000003',
        email: 'other@b.c',
        timeJoinedMs: 2000,
        thirdParty: github,
      },
    ],
  });
  const { body } = await getUser(service, ID);
  const common = { tenantIds: ['public'], verified: false };
  expect(body).toEqual({
    status: 'OK',
    user: {
      id: 'legacy user/1',
      isPrimaryUser: true,
      tenantIds: ['public'],
      timeJoined: 1000,
      emails: ['same@b.c', 'other@b.c'],
      phoneNumbers: [],
      thirdParty: [google, github],
      webauthn: { credentialIds: [] },
      loginMethods: [
        {
          ...common,
          recipeUserId: 'legacy-2',
          timeJoined: 1000,
          recipeId: 'thirdparty',
          email: 'same@b.c',
          thirdParty: google,
        },
        {
          ...common,
          recipeUserId: '0190e000-0000-7000-8000-000000000003',
          timeJoined: 2000,
          recipeId: 'thirdparty',
          email: 'other@b.c',
          thirdParty: github,
        },
        {
          ...common,
          recipeUserId: 'legacy user/1',
          timeJoined: 3000,
          recipeId: 'emailpassword',
          email: 'same@b.c',
        },
      ],
    },
  });
  for (const id of [METHOD_ID, 'legacy user/1', 'legacy-2'])
    expect((await getUser(service, id)).body).toEqual(body);
});

const map = async (query: string) =>
  (await service.send('GET', `/recipe/userid/map?${query}`)).body as unknown as {
    status: string;
    superTokensUserId: string;
    externalUserId: string;
  };

it('finds a mapping by either id, and only by the kind of id that is asked for', async () => {
  const found = await map('userId=ext-ada');
  expect(found).toEqual({ status: 'OK', superTokensUserId: expect.any(String), externalUserId: 'ext-ada' });
  const own = found.superTokensUserId;
  expect(await map(`userId=${own}`)).toEqual(found);
  expect(await map(`userId=${own}&userIdType=SUPERTOKENS`)).toEqual(found);
  expect(await map('userId=ext-ada&userIdType=EXTERNAL')).toEqual(found);
  expect(await map('userId=%20ext-ada%0A&userIdType=%20ANY')).toEqual(found);
  const unknown = { status: 'UNKNOWN_MAPPING_ERROR' };
  expect(await map(`userId=${own}&userIdType=EXTERNAL`)).toEqual(unknown);
  expect(await map('userId=ext-ada&userIdType=SUPERTOKENS')).toEqual(unknown);
  expect(await map('userId=nobody')).toEqual(unknown);
  expect(await map('userId=EXT-ADA')).toEqual(unknown);
});

it('finds none for a user without an external id', async () => {
  const { body } = await service.send('POST', '/recipe/user/passwordhash/import', {
    email: 'bob@example.com',
    passwordHash: BCRYPT.hash,
  });
  expect(await map(`userId=${body.user.id}`)).toEqual({ status: 'UNKNOWN_MAPPING_ERROR' });
});

it.each(['', '%20', '%00'])('refuses the id "%s"', async (id) => {
  expect(await service.send('GET', `/recipe/userid/map?userId=${id}`)).toMatchObject(
    failure(400, 'QUERY_INVALID', "Field name 'userId' cannot be an empty String"),
  );
});

it.each(['any', 'BOTH', ''])('refuses the kind of id "%s"', async (type) => {
  expect(await service.send('GET', `/recipe/userid/map?userId=x&userIdType=${type}`)).toMatchObject(
    failure(
      400,
      'QUERY_INVALID',
      "Field name 'userIdType' should be one of 'SUPERTOKENS', 'EXTERNAL' or 'ANY'",
    ),
  );
});

it('returns metadata exactly as it was imported, by every id of the user', async () => {
  const { superTokensUserId } = await map('userId=ext-ada');
  for (const id of ['ext-ada', superTokensUserId]) {
    const { status, text } = await service.send('GET', `/recipe/user/metadata?userId=${id}`);
    expect([status, text]).toEqual([200, `{"status":"OK","metadata":${METADATA}}`]);
  }
});

it('returns an empty object for a user without metadata, and for an unknown id', async () => {
  const { body } = await service.send(
    'GET',
    '/users/by-accountinfo?doUnionOfAccountInfo=false&email=bob@example.com',
  );
  for (const id of [body.users[0]?.id, 'nobody', '%00', '']) {
    const { text } = await service.send('GET', `/recipe/user/metadata?userId=${id}`);
    expect(text).toBe('{"status":"OK","metadata":{}}');
  }
});
