import { expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { failure, importNew, signInUpNew } from '../../../support/service-calls.ts';

const service = await useTestApp();

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

it.each(['5.6', undefined])('says when it counted if CDI %s allows an approximate count', async (version) => {
  const before = Date.now();
  for (const query of ['', '&includeAllTenants=true', '&includeRecipeIds=emailpassword,thirdparty']) {
    for (const allowed of ['true', 'TRUE']) {
      const path = `/users/count?allowApproximate=${allowed}${query}`;
      const { body } = await service.send('GET', path, undefined, { 'cdi-version': version });
      expect(body).toEqual({ status: 'OK', count: 4, approximate: false, asOf: expect.any(Number) });
      expect(body.asOf).toBeGreaterThanOrEqual(before);
    }
  }
  for (const other of ['false', '', '1', 'yes', 'true%20']) {
    expect((await count(`allowApproximate=${other}`)).body).toEqual({ status: 'OK', count: 4 });
  }
});

it.each(['4.0', '5.0', '5.3', '5.4', '5.5'])('CDI %s has no approximate count', async (version) => {
  const path = '/users/count?allowApproximate=true';
  const { body } = await service.send('GET', path, undefined, { 'cdi-version': version });
  expect(body).toEqual({ status: 'OK', count: 4 });
});

it('refuses an unknown recipe', async () => {
  expect(await count('includeRecipeIds=nonsense')).toMatchObject(
    failure(400, 'QUERY_INVALID', 'Unknown recipe ID'),
  );
});
