import { expect, it } from 'vitest';
import { BCRYPT, runCli } from './command-line.ts';
import { answer, fakeService } from './fake-service.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();

const deleting = (whom: string, ...more: string[]) => runCli(['delete', whom, '--url', cli.url, ...more]);
const create = async (email: string) => {
  const imported = { email, passwordHash: BCRYPT };
  return (await cli.service.send('POST', '/recipe/user/passwordhash/import', imported)).body.user?.id ?? '';
};
const social = (email: string, id: string, isVerified = true) =>
  cli.service.send('POST', '/recipe/signinup', {
    thirdPartyId: 'google',
    thirdPartyUserId: id,
    email: { id: email, isVerified },
  });
const isKnown = async (id: string) =>
  (await cli.service.send('GET', `/user/id?userId=${id}`)).body.status === 'OK';

it('deletes the user with an address, however it is written, or with an id', async () => {
  const [ada, grace] = [await create('ada@example.com'), await create('grace@example.com')];
  const deleted = await deleting('ADA@example.com', '--yes');
  expect([deleted.code, deleted.stderr]).toEqual([0, '']);
  expect(deleted.stdout).toContain(`Deleted user ${ada}, and staged copies: 0.\n`);
  expect([await isKnown(ada), await isKnown(grace)]).toEqual([false, true]);
  const quiet = await deleting(await create('linus@example.com'), '--yes', '--quiet');
  expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([0, '', '']);
  const byId = await deleting(grace, '--yes', '--json');
  expect(JSON.parse(byId.stdout)).toEqual({ userId: grace, staged: 0 });
  expect(await isKnown(grace)).toBe(false);
});

it('deletes staged copies, by address or external id', async () => {
  await cli.service.database.db.query(
    `insert into staged_users (id, status, user_form, hashes, form_bytes, created_at_ms, updated_at_ms)
     select gen_random_uuid(), 'FAILED', form::jsonb, '[]', 100, 1, 1 from unnest($1::text[]) form`,
    [
      [
        '{"loginMethods":[{"recipeId":"emailpassword","email":"Linus@example.com"}]}',
        '{"externalUserId":"shop-7","loginMethods":[{"recipeId":"emailpassword","email":"b@example.com"}]}',
        '{"loginMethods":[{"recipeId":"emailpassword","email":"c@example.com"}]}',
      ],
    ],
  );
  const left = async () => (await cli.service.send('GET', '/bulk-import/users/count')).body.count;
  expect((await deleting('linus@example.com', '--yes')).stdout).toContain('staged copies: 1.');
  expect(await left()).toBe(2);
  expect((await deleting('shop-7', '--yes')).stdout).toContain('Deleted nobody, and staged copies: 1.');
  expect(await left()).toBe(1);
});

it('deletes no staged copy of somebody else: the case of an id counts, and no id is not the word undefined', async () => {
  await cli.service.database.db.query(
    `insert into staged_users (id, status, user_form, hashes, form_bytes, created_at_ms, updated_at_ms)
     select gen_random_uuid(), 'FAILED', form::jsonb, '[]', 100, 1, 1 from unnest($1::text[]) form`,
    [
      [
        '{"loginMethods":[{"recipeId":"emailpassword","email":"d@example.com"}]}',
        '{"externalUserId":"aBc","loginMethods":[{"recipeId":"emailpassword","email":"e@example.com"}]}',
      ],
    ],
  );
  for (const whom of ['undefined', 'AbC'])
    expect((await deleting(whom, '--yes')).stderr).toContain('Nobody here has this address or id');
  expect((await deleting('aBc', '--yes')).stdout).toContain('staged copies: 1.');
});

it('deletes no staged copy because a user gave its address to a login without proof', async () => {
  const created = await social('victim@example.com', 'g-9', false);
  await cli.service.database.db.query(
    `insert into staged_users (id, status, user_form, hashes, form_bytes, created_at_ms, updated_at_ms)
     values (gen_random_uuid(), 'FAILED', $1, '[]', 100, 1, 1)`,
    ['{"loginMethods":[{"recipeId":"emailpassword","email":"victim@example.com"}]}'],
  );
  const { stdout } = await deleting(created.body.user?.id ?? '', '--yes');
  expect(stdout).toContain('staged copies: 0.');
});

it('says that it must run again if a staged copy is imported meanwhile', async () => {
  const calls: string[] = [];
  const service = await fakeService(
    () => {},
    ({ url = '' }, response) => {
      calls.push(url.split('?')[0] ?? '');
      const users = [{ id: 's1', loginMethods: [{ email: 'late@example.com' }] }];
      const staged = url.startsWith('/bulk-import/users');
      answer(
        response,
        200,
        url.endsWith('/remove') ? { invalidIds: ['s1'] } : { users: staged ? users : [] },
      );
    },
  );
  const { code, stderr } = await runCli(['delete', 'late@example.com', '--yes', '--url', service.url]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('imported or removed meanwhile. Run it again')]);
  expect(calls.at(-1)).toBe('/bulk-import/users/remove');
});

it('deletes nobody if several users have the address, and names their ids', async () => {
  const one = await create('both@example.com');
  const other = (await social('both@example.com', 'g-1')).body.user?.id ?? '';
  const refused = await deleting('both@example.com', '--yes');
  expect(refused.code).toBe(1);
  for (const id of [one, other]) expect(refused.stderr).toContain(id);
  expect([await isKnown(one), await isKnown(other)]).toEqual([true, true]);
});

it('deletes nobody without a confirmation, and says if there is nobody', async () => {
  const id = await create('kept@example.com');
  const refused = await deleting('kept@example.com');
  expect([refused.code, await isKnown(id)]).toEqual([1, true]);
  expect(refused.stderr).toContain('Add --yes');
  expect((await deleting('nobody@example.com', '--yes')).stderr).toContain('Nobody here has this address');
  expect((await runCli(['delete', '--url', cli.url])).stderr).toContain('Usage: user-import delete');
});
