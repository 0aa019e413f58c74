import { beforeEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { failure, importNew, signInStatus, UUID_V7 } from '../../../support/service-calls.ts';
import { bodyOf, STAGE, stage, staged, userOf, usersOf } from '../../../support/staging.ts';
import { GITHUB, PASSWORD, PLAIN } from '../../../support/user-forms.ts';

const service = await useTestApp({ stagedWaits: true });
beforeEach(() => service.database.db.query('truncate staged_users, users, password_logins'));

const list = (query: string) => service.send('GET', `${STAGE}?${query}`);

async function pagesOf(query: string) {
  const pages = [await list(query)];
  for (;;) {
    const last = pages.at(-1);
    const token = last && bodyOf(last).nextPaginationToken;
    if (token === undefined) return pages;
    pages.push(await list(`${query}&paginationToken=${token}`));
  }
}

const count = (query = '') => service.send('GET', `${STAGE}/count${query}`);

describe.each([STAGE, `${STAGE}/count`])('%s', (path) => {
  it.each(['', 'new', 'DONE', 'NEW,FAILED'])('refuses the status %j', async (status) => {
    expect(await service.send('GET', `${path}?status=${status}`)).toMatchObject(
      failure(400, 'QUERY_INVALID', 'Invalid value for status. Pass one of NEW, PROCESSING, or FAILED!'),
    );
  });
});

it.each([
  ['limit=0', 'limit must a positive integer with min value 1'],
  ['limit=-1', 'limit must a positive integer with min value 1'],
  ['limit=501', 'Max limit allowed is 500'],
  ['limit=', "Field name 'limit' must be an int in the GET request"],
  ['limit=ten', "Field name 'limit' must be an int in the GET request"],
  ['paginationToken=', 'invalid pagination token'],
  ['paginationToken=invalid_token', 'invalid pagination token'],
  ["paginationToken=01890000-0000-7000-8000-000000000001'", 'invalid pagination token'],
])('refuses %s', async (query, message) => {
  expect(await list(query)).toMatchObject(failure(400, 'QUERY_INVALID', message));
});

it('shows a user as it was sent, without passwords and hashes', async () => {
  const before = Date.now();
  const user = {
    externalUserId: 'own',
    userMetadata: { plan: 'premium', list: [1, null, { a: 'ß' }] },
    disabled: true,
    loginMethods: [
      { ...GITHUB, tenantIds: ['public'], externalUserId: 'of-github', isVerified: true },
      { ...PASSWORD, isPrimary: true, timeJoinedInMSSinceEpoch: 1_700_000_000_000 },
      PLAIN,
    ],
  };
  const [told] = await stage(service, [user]);
  const answer = await list('');
  expect(answer.text).not.toMatch(/\$2b|argon2|bcrypt|plainText|pässword|[Hh]ash/);
  const { passwordHash: _, hashingAlgorithm: __, ...password } = user.loginMethods[1] as typeof PASSWORD;
  expect(JSON.parse(answer.text)).toEqual({
    status: 'OK',
    users: [
      {
        ...user,
        loginMethods: [user.loginMethods[0], password, { recipeId: 'emailpassword', email: PLAIN.email }].map(
          (method, index) => ({ ...method, superTokensUserId: told?.loginMethods[index]?.userId }),
        ),
        id: expect.stringMatching(UUID_V7),
        status: 'NEW',
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      },
    ],
  });
  const [shown] = bodyOf(answer).users;
  expect(shown?.createdAt).toBeGreaterThan(before - 60_000);
  expect(shown?.updatedAt).toBe(shown?.createdAt);
});

it('lists and counts by status', async () => {
  await importNew(service, 'taken@b.c');
  await stage(service, [userOf('taken@b.c'), userOf('a@b.c')]);
  await service.staged.idle();
  await stage(service, usersOf(3));
  await service.database.db.query(
    "update staged_users set status = 'PROCESSING' where id = (select id from staged_users where status = 'NEW' limit 1)",
  );
  for (const [status, expected] of [
    ['NEW', 2],
    ['PROCESSING', 1],
    ['FAILED', 1],
  ]) {
    expect((await count(`?status=${status}`)).text).toBe(`{"status":"OK","count":${expected}}`);
    const users = await staged(service, `&status=${status}`);
    expect(users.map((user) => user.status)).toEqual(Array(expected).fill(status));
  }
  expect((await count()).body.count).toBe(4);
  const [failed] = await staged(service, '&status=FAILED');
  expect(failed).toMatchObject({
    errorMessage: 'E003: A user with email taken@b.c already exists in emailpassword loginMethod.',
    loginMethods: [{ email: 'taken@b.c' }],
  });
});

it('returns each user once, newest first, while others are removed', async () => {
  await stage(service, usersOf(25));
  const seen: unknown[] = [];
  let token: string | undefined = '';
  while (token !== undefined) {
    const page = bodyOf(await list(`limit=4${token && `&paginationToken=${token}`}`));
    for (const { loginMethods } of page.users as { loginMethods?: { email: string }[] }[])
      seen.push(loginMethods?.[0]?.email);
    token = page.nextPaginationToken;
    // The first user of the next page is removed at this moment.
    await service.database.db.query('delete from staged_users where id = $1', [token]);
  }
  const gone = [20, 15, 10, 5, 0];
  const kept = Array.from({ length: 25 }, (_, index) => 24 - index).filter((index) => !gone.includes(index));
  expect(seen).toEqual(kept.map((index) => `user-${index}@b.c`));
});

it('returns no token with the last page, even if that page is full', async () => {
  await stage(service, usersOf(4));
  const pages = [await list('limit=4'), await list('limit=3'), await list('limit=5&status=FAILED')].map(
    bodyOf,
  );
  expect(
    pages.map(({ users, nextPaginationToken }) => [users.length, nextPaginationToken === undefined]),
  ).toEqual([
    [4, true],
    [3, false],
    [0, true],
  ]);
});

it('returns a hundred users by default', async () => {
  await stage(service, usersOf(101));
  expect(bodyOf(await list('')).users).toHaveLength(100);
});

it('signs nobody in before the import', async () => {
  await stage(service, [userOf('a@b.c')]);
  expect(await signInStatus(service, 'a@b.c')).toBe('WRONG_CREDENTIALS_ERROR');
  await service.staged.idle();
  expect(await signInStatus(service, 'a@b.c')).toBe('OK');
});

it('preserves the spelling of numbers, so that the answer is hardly larger than the request', async () => {
  const numbers = Array(1500).fill('1e308').join(',');
  const user = (index: number) =>
    `{"userMetadata":{"n":[${numbers}]},"loginMethods":[${JSON.stringify({ ...PASSWORD, email: `${index}@b.c` })}]}`;
  const users = Array.from({ length: 500 }, (_, index) => user(index));
  expect((await service.send('POST', STAGE, `{"users":[${users.join(',')}]}`)).status).toBe(200);
  const pages = await pagesOf('limit=500');
  const texts = pages.map(({ text }) => text).join('');
  expect(texts.split(`"userMetadata":{"n":[${numbers}]}`)).toHaveLength(501);
  expect(texts.length).toBeLessThan(1.1 * users.join(',').length);
});

describe('a page', () => {
  const mebibytes = (answer: { text: string }) => answer.text.length / 1024 ** 2;
  const large = (index: number) => userOf(`${index}@b.c`, { userMetadata: { text: 'x'.repeat(60_000) } });

  it('ends at 4 MiB, and the next page continues there', async () => {
    await stage(
      service,
      Array.from({ length: 150 }, (_, index) => large(index)),
    );
    const pages = await pagesOf('limit=500');
    expect(pages.map((page) => bodyOf(page).users.length)).toEqual([69, 69, 12]);
    expect(Math.max(...pages.map(mebibytes))).toBeLessThan(4.1);
    const ids = pages.flatMap((page) => bodyOf(page).users.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    expect(ids).toHaveLength(150);
    // A smaller limit ends the page earlier.
    expect(bodyOf(await list('limit=20')).users).toHaveLength(20);
  });

  it('has at least one user, however large', async () => {
    await stage(service, usersOf(3));
    await service.database.db.query('update staged_users set form_bytes = 5000000');
    const pages = await pagesOf('limit=2');
    expect(pages.map((page) => bodyOf(page).users.length)).toEqual([1, 1, 1]);
  });
});
