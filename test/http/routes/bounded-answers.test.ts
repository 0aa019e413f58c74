import { beforeEach, expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';

const service = await useTestApp();
beforeEach(() =>
  service.database.db.query('truncate users, password_logins, third_party_logins, user_aliases'),
);

const EMAIL = 'shared@b.c';

/**
 * Imports users that share one address, each with `methods` login methods, ordered by the time they joined.
 */
async function importUsers(count: number, methods: number): Promise<void> {
  const login = (user: number, method: number) => ({
    recipeId: 'thirdparty',
    email: EMAIL,
    thirdPartyId: `provider-${method}`,
    thirdPartyUserId: `${user}`,
    timeJoinedInMSSinceEpoch: 1000 + user,
  });
  const lines = Array.from({ length: count }, (_, user) =>
    JSON.stringify({ loginMethods: Array.from({ length: methods }, (_, method) => login(user, method)) }),
  );
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await service.send('POST', '/bulk-import/stream', lines.join('\n'), headers);
  expect(answer.text).toContain(`"created":${count},`);
}

async function pagesOf(query: string) {
  const pages = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const from: string = token && `&paginationToken=${encodeURIComponent(token)}`;
    const { status, body } = await service.send('GET', `/users?${query}${from}`);
    expect(status).toBe(200);
    pages.push(body.users);
    token = body.nextPaginationToken;
  }
  return pages;
}

const byAddress = async () => {
  const answer = await service.send('GET', `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${EMAIL}`);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as { users: { timeJoined: number }[]; truncated?: boolean };
};

it.each(['ASC', 'DESC'])(
  'a page of users ends at 5,000 login methods, and the next page continues there: %s',
  async (order) => {
    await importUsers(120, 100);
    const pages = await pagesOf(`limit=500&timeJoinedOrder=${order}`);
    expect(pages.map((users) => users.length)).toEqual([50, 50, 20]);
    expect(pages.flat().every(({ loginMethods }) => loginMethods.length === 100)).toBe(true);
    const joined = pages.flat().map(({ timeJoined }) => timeJoined);
    const all = Array.from({ length: 120 }, (_, user) => 1000 + user);
    expect(joined).toEqual(order === 'ASC' ? all : all.toReversed());
    // A smaller limit ends the page earlier.
    expect((await pagesOf('limit=40')).map((users) => users.length)).toEqual([40, 40, 40]);
  },
);

it('a page has at least one user', async () => {
  await importUsers(3, 100);
  await service.database.db.query(
    `insert into user_aliases (alias, kind, user_id, recipe_user_id)
     select user_id::text || n, 'external', user_id, user_id from users, generate_series(1, 6000) n`,
  );
  expect((await pagesOf('limit=500')).map((users) => users.length)).toEqual([1, 1, 1]);
});

it.each([
  [499, 1, 499, undefined],
  [500, 1, 500, undefined],
  [501, 1, 500, true],
  [2500, 1, 500, true],
  [50, 100, 50, undefined],
  [51, 100, 50, true],
])(
  'of %i users with one address and %i login methods each, %i are returned',
  async (count, methods, found, truncated) => {
    await importUsers(count, methods);
    const answer = await byAddress();
    expect(answer.truncated).toBe(truncated);
    expect(answer.users.map(({ timeJoined }) => timeJoined)).toEqual(
      Array.from({ length: found }, (_, user) => 1000 + user),
    );
  },
);

it.each([
  [1000, 1, 1000, undefined],
  [1001, 1, 1000, true],
  [2500, 1, 1000, true],
  [50, 100, 50, undefined],
  [51, 100, 50, true],
])(
  'of %i users whom a search finds, with %i login methods each, %i are returned',
  async (count, methods, found, truncated) => {
    await importUsers(count, methods);
    const answer = await service.send('GET', `/users?email=sha;${EMAIL}&limit=1`);
    const body = JSON.parse(answer.text) as Awaited<ReturnType<typeof byAddress>>;
    expect([answer.status, body.users.length, body.truncated]).toEqual([200, found, truncated]);
    const joined = body.users.map(({ timeJoined }) => timeJoined);
    expect(joined).toEqual(joined.toSorted((a, b) => a - b));
  },
);
