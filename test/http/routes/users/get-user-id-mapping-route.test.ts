import { afterAll, expect, it } from 'vitest';
import { createTestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { NDJSON } from '../../../support/ndjson.ts';
import { failure } from '../../../support/service-calls.ts';

const service = await createTestApp();
const line = {
  externalUserId: 'ext-ada',
  loginMethods: [{ recipeId: 'emailpassword', email: 'ada@example.com', passwordHash: BCRYPT.hash }],
};
await service.send('POST', '/bulk-import/stream?importId=m', JSON.stringify(line), {
  'content-type': NDJSON,
});
afterAll(() => service.close());

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
