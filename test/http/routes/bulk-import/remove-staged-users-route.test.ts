import { beforeEach, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { failure } from '../../../support/service-calls.ts';
import { bodyOf, emailsOfUsers, STAGE, stage, staged, userOf, usersOf } from '../../../support/staging.ts';

const service = await useTestApp({ stagedWaits: true });
beforeEach(() => service.database.db.query('truncate staged_users, users, password_logins'));

const remove = (ids: unknown) => service.send('POST', `${STAGE}/remove`, { ids });
const ID = '01890000-0000-7000-8000-000000000001';

it.each([
  [undefined, "Field name 'ids' is invalid in JSON input"],
  [ID, "Field name 'ids' is invalid in JSON input"],
  [[ID, 7], "Field name 'ids' is invalid in JSON input"],
  [[ID, ''], "Field name 'ids' cannot contain an empty string"],
  [Array(501).fill(ID), "Field name 'ids' cannot contain more than 500 elements"],
])('refuses %.60j', async (ids, message) => {
  expect(await remove(ids)).toMatchObject(failure(400, 'FIELD_INVALID', message));
});

it('removes existing users, and lists unknown ids', async () => {
  await stage(service, usersOf(3));
  const [third, second, first] = (await staged(service)).map(({ id }) => id);
  const others = [ID, 'not an id', '\0', `${first}'`, String(third).toUpperCase()];
  const answer = await remove([first, ...others, third]);
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    200,
    { deletedIds: [first, third], invalidIds: others },
  ]);
  expect((await staged(service)).map(({ id }) => id)).toEqual([second]);
  expect(bodyOf(await remove([first]))).toEqual({ deletedIds: [], invalidIds: [first] });
});

it('removes nobody for an empty list, as SuperTokens core does', async () => {
  await stage(service, usersOf(1));
  const answer = await remove([]);
  expect([answer.status, answer.text]).toEqual([200, '{"deletedIds":[],"invalidIds":[]}']);
  expect(await staged(service)).toHaveLength(1);
});

it('accepts five hundred ids', async () => {
  await stage(service, usersOf(500));
  const ids = (await staged(service)).map(({ id }) => id);
  expect(bodyOf(await remove(ids)).deletedIds).toEqual(ids);
});

it('prevents the import of a user, and removes a failed one', async () => {
  await stage(service, [userOf('a@b.c'), userOf('a@b.c'), userOf('b@b.c')]);
  const [last] = await staged(service);
  await remove([last?.id]);
  await service.staged.idle();
  expect(await emailsOfUsers(service)).toEqual(['a@b.c']);
  const [failed] = await staged(service, '&status=FAILED');
  expect(bodyOf(await remove([failed?.id])).deletedIds).toEqual([failed?.id]);
  expect(await staged(service)).toEqual([]);
});
