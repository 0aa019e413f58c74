import { afterAll, expect, it } from 'vitest';
import { createTestApp } from '../../../support/app.ts';
import { BCRYPT } from '../../../support/example-hashes.ts';
import { NDJSON } from '../../../support/ndjson.ts';

/** Values that parsing would change. */
const METADATA = '{"big":12345678901234567890,"one":1.0,"zero":-0,"name":"Ünal","":null,"__proto__":{"a":1}}';

const service = await createTestApp();
const method = `{"recipeId":"emailpassword","email":"ada@example.com","passwordHash":${JSON.stringify(BCRYPT.hash)}}`;
const lines = [
  `{"externalUserId":"ext-ada","userMetadata":${METADATA},"loginMethods":[${method}]}`,
  `{"loginMethods":[${method.replace('ada@', 'bob@')}]}`,
];
await service.send('POST', '/bulk-import/stream?importId=m', lines.join('\n'), { 'content-type': NDJSON });
const { body } = await service.send('GET', '/recipe/userid/map?userId=ext-ada');
const userId = (body as unknown as { superTokensUserId: string }).superTokensUserId;
afterAll(() => service.close());

it('returns metadata exactly as it was imported, by every id of the user', async () => {
  for (const id of ['ext-ada', userId]) {
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
