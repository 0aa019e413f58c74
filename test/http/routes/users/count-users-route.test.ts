import { afterAll, expect, it } from 'vitest';
import { createTestApp } from '../../../support/app.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { failure, importNew, signInUpNew } from '../../../support/service-calls.ts';

const service = await createTestApp();
afterAll(() => service.close());

const count = (query = '') => service.send('GET', `/users/count?${query}`);

it('counts nobody at first', async () => {
  expect((await count()).body).toEqual({ status: 'OK', count: 0 });
});

it('counts a user once, whatever the number of its login methods', async () => {
  const id = '01910000-0000-7000-8000-000000000001';
  await importNew(service, 'a@b.c');
  await importNew(service, 'b@b.c');
  await signInUpNew(service, { id: 'google', userId: '1' }, 'a@b.c');
  await insertLinkedUser(service.database.db, {
    id,
    timeJoinedMs: 1,
    methods: [
      { recipeUserId: id, email: 'c@b.c', timeJoinedMs: 1 },
      {
        recipeUserId: '01910000-0000-7000-8000-000000000002',
        email: 'c@b.c',
        timeJoinedMs: 1,
        thirdParty: { id: 'google', userId: '2' },
      },
    ],
  });
  const counts = async (...queries: string[]) =>
    Promise.all(queries.map(async (query) => (await count(query)).body.count));
  expect(await counts('', 'includeAllTenants=true', 'includeAllTenants=false', 'includeRecipeIds=')).toEqual([
    4, 4, 4, 4,
  ]);
  expect(
    await counts(
      'includeRecipeIds=emailpassword',
      'includeRecipeIds=thirdparty',
      'includeRecipeIds=thirdparty,emailpassword',
      'includeRecipeIds=passwordless',
      'includeRecipeIds=passwordless,thirdparty',
    ),
  ).toEqual([3, 2, 4, 0, 2]);
});

it('refuses an unknown recipe', async () => {
  expect(await count('includeRecipeIds=nonsense')).toMatchObject(
    failure(400, 'QUERY_INVALID', 'Unknown recipe ID'),
  );
});
