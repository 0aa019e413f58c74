import { beforeAll, describe, expect, it } from 'vitest';
import { type UserBody, useTestApp } from '../../../support/app.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { failure, importNew, signInUpNew } from '../../../support/service-calls.ts';

/** All users, oldest first. Users who joined in the same millisecond are in descending order of id. */
let ascending: UserBody[];

const LINKED = '0190f000-0000-7000-8000-000000000001';
const TIED = 1_700_000_000_000;

const service = await useTestApp();
beforeAll(async () => {
  const { db } = service.database;
  for (const email of ['ann@b.c', 'anna@b.c', 'an%@b.c', 'an_@b.c', 'an\\@b.c', 'zoë@b.c', 'x.ann@b.c']) {
    await importNew(service, email);
  }
  for (const userId of ['1', '2', '3', '4', '5']) {
    await signInUpNew(service, { id: 'google', userId }, `g${userId}@b.c`);
  }
  // Three points in time. Most users share the middle one.
  await db.query('update users set time_joined_ms = $1', [TIED]);
  await db.query(
    "update users set time_joined_ms = $1 where user_id = (select user_id from password_logins where email = 'ann@b.c')",
    [TIED - 1],
  );
  await db.query(
    "update users set time_joined_ms = $1 where user_id = (select user_id from password_logins where email = 'zoë@b.c')",
    [TIED + 1],
  );
  await insertLinkedUser(db, {
    id: LINKED,
    externalId: 'legacy',
    timeJoinedMs: TIED,
    methods: [
      { recipeUserId: LINKED, email: 'linked@b.c', timeJoinedMs: TIED },
      {
        recipeUserId: '0190f000-0000-7000-8000-000000000002',
        email: 'linked@google.c',
        timeJoinedMs: TIED + 5,
        thirdParty: { id: 'google', userId: 'linked' },
      },
    ],
  });
  const rows = await db.query<{ user_id: string }>(
    'select user_id from users order by time_joined_ms, user_id::text desc',
  );
  ascending = [];
  for (const { user_id } of rows) {
    ascending.push((await service.send('GET', `/user/id?userId=${user_id}`)).body.user);
  }
});

const list = (query: string) => service.send('GET', `/users?${query}`);
const emails = async (query: string) => {
  const { status, body } = await list(query);
  expect(status).toBe(200);
  return body.users.flatMap((user) => user.emails).toSorted();
};

async function walk(query: string): Promise<UserBody[][]> {
  const pages: UserBody[][] = [];
  let token: string | undefined = '';
  while (token !== undefined) {
    const { status, body } = await list(
      `${query}${token && `&paginationToken=${encodeURIComponent(token)}`}`,
    );
    expect(status).toBe(200);
    pages.push(body.users);
    token = body.nextPaginationToken;
  }
  return pages;
}

describe('the query', () => {
  const BAD = 'QUERY_INVALID';
  it.each([
    ['limit=x', "Field name 'limit' must be an int in the GET request"],
    ['limit=', "Field name 'limit' must be an int in the GET request"],
    ['limit=1.5', "Field name 'limit' must be an int in the GET request"],
    ['limit=1e2', "Field name 'limit' must be an int in the GET request"],
    ['limit=%201', "Field name 'limit' must be an int in the GET request"],
    ['limit=99999999999999999999', "Field name 'limit' must be an int in the GET request"],
    ['limit=0', 'limit must a positive integer with min value 1'],
    ['limit=-1', 'limit must a positive integer with min value 1'],
    ['limit=501', 'max limit allowed is 500'],
    ['limit=1&limit=2', "Field name 'limit' is invalid in GET request"],
    ['timeJoinedOrder=asc', 'timeJoinedOrder can be either ASC OR DESC'],
    ['timeJoinedOrder=', 'timeJoinedOrder can be either ASC OR DESC'],
    ['includeRecipeIds=emailpasswort', 'Unknown recipe ID'],
    ['includeRecipeIds=saml', 'Unknown recipe ID'],
    ['includeRecipeIds=%C2%A0;emailpassword', 'Unknown recipe ID'],
    ['paginationToken=', 'invalid pagination token'],
    ['paginationToken=nonsense', 'invalid pagination token'],
    [`paginationToken=${btoa(LINKED)}`, 'invalid pagination token'],
    [`paginationToken=${btoa(`${LINKED};`)}`, 'invalid pagination token'],
    [`paginationToken=${btoa(`${LINKED};-1`)}`, 'invalid pagination token'],
    [`paginationToken=${btoa(`${LINKED};99999999999999999`)}`, 'invalid pagination token'],
    [`paginationToken=${btoa(`${LINKED};1;1`)}`, 'invalid pagination token'],
    [`paginationToken=${btoa("';drop table users--;1")}`, 'invalid pagination token'],
  ])('is refused: %s', async (query, message) => {
    expect(await list(query)).toMatchObject(failure(400, BAD, message));
  });

  it.each(['limit=1', 'limit=%2B1', 'limit=500', 'includeRecipeIds=', 'unknown=1'])(
    'is accepted: %s',
    async (query) => {
      expect((await list(query)).status).toBe(200);
    },
  );
});

describe('paging', () => {
  it('returns all users on one page without a token if they fit', async () => {
    for (const query of ['', 'timeJoinedOrder=ASC', `limit=${ascending.length}`]) {
      expect((await list(query)).body).toEqual({ status: 'OK', users: ascending });
    }
  });

  it.each([1, 5])('returns every user once in pages of %i, in both orders', async (limit) => {
    const pages = await walk(`limit=${limit}`);
    expect(pages.flat()).toEqual(ascending);
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    const [oldest, ...others] = ascending;
    const newest = others.pop();
    // Users who joined in the same millisecond have the same order.
    const backwards = await walk(`limit=${limit}&timeJoinedOrder=DESC`);
    expect(backwards.flat()).toEqual([newest, ...others, oldest]);
  });

  it('returns nobody after the last user', async () => {
    const { body } = await list(`paginationToken=${btoa(`${LINKED};9999999999999999`)}`);
    expect(body).toEqual({ status: 'OK', users: [] });
  });
});

describe('includeRecipeIds', () => {
  it.each([
    ['emailpassword', 8],
    ['thirdparty', 6],
    ['emailpassword,thirdparty', 13],
    [' thirdparty , emailpassword ', 13],
    ['thirdparty,thirdparty', 6],
    ['passwordless', 0],
    ['webauthn', 0],
    ['session,totp', 0],
    ['passwordless,thirdparty', 6],
    [',ThirdParty,, ', 6],
    ['MFA', 0],
    [' ,', 13],
  ])('%s matches %i users', async (recipes, count) => {
    const query = `includeRecipeIds=${encodeURIComponent(recipes)}`;
    expect((await list(query)).body.users).toHaveLength(count);
  });
});

describe('a search', () => {
  const search = (query: Record<string, string>) => new URLSearchParams(query).toString();

  it.each([
    ['ann', ['ann@b.c', 'anna@b.c']],
    [' ANN@ ', ['ann@b.c']],
    ['an%', ['an%@b.c']],
    ['@b.c', []],
    ['ZOË', ['zoë@b.c']],
    ['g3@b.c', ['g3@b.c']],
    ['linked@google', ['linked@b.c', 'linked@google.c']],
    ['nobody', []],
    ['ann@\0', ['ann@b.c']],
    ['a\0n', []],
    ['zo; ;g3;;Ann@', ['ann@b.c', 'g3@b.c', 'zoë@b.c']],
    ['ann;ann@b.c; anna', ['ann@b.c', 'anna@b.c']],
    [';g1;', ['g1@b.c']],
  ])('by e-mail finds users whose address begins so: %j', async (email, found) => {
    expect(await emails(search({ email }))).toEqual(found);
  });

  const GOOGLE = ['g1@b.c', 'g2@b.c', 'g3@b.c', 'g4@b.c', 'g5@b.c', 'linked@b.c', 'linked@google.c'];
  it.each([
    [{ provider: 'google' }, GOOGLE],
    [{ provider: ' GOO ;nobody' }, GOOGLE],
    [{ provider: 'google', email: 'g2;linked@google;ann' }, ['g2@b.c', 'linked@b.c', 'linked@google.c']],
    // The login with the provider has another address.
    [{ provider: 'google', email: 'linked@b.c' }, []],
    [{ provider: ' ; ', email: 'ann@' }, ['ann@b.c']],
    [{ phone: '+49' }, []],
    [{ phone: '+49', email: 'ann' }, []],
    [{ phone: '+49', provider: 'google' }, []],
    [{ phone: ';', email: 'ann@' }, ['ann@b.c']],
  ] as [Record<string, string>, string[]][])('%j finds %j', async (query, found) => {
    expect(await emails(search(query))).toEqual(found);
  });

  it('has no pages and no recipes, but refuses them if they are invalid', async () => {
    const all = (await list('provider=google&timeJoinedOrder=DESC')).body;
    expect(all.users.map(({ id }) => id)).toEqual(
      ascending.filter(({ thirdParty }) => thirdParty.length > 0).map(({ id }) => id),
    );
    const token = btoa(`${LINKED};9999999999999999`);
    for (const query of ['limit=1', 'limit=2147483647', `paginationToken=${token}`, 'includeRecipeIds=totp'])
      expect((await list(`provider=google&timeJoinedOrder=DESC&${query}`)).body).toEqual(all);
    for (const query of ['limit=0', 'limit=2147483648', 'paginationToken=x', 'includeRecipeIds=x'])
      expect((await list(`provider=google&${query}`)).status).toBe(400);
  });

  it.each(['email', 'provider', 'phone'])('refuses more than ten texts in %s', async (name) => {
    const texts = Array.from({ length: 11 }, (_, index) => `text-${index}`);
    expect((await list(`${name}=${texts.slice(1).join(';')};`)).status).toBe(200);
    expect(await list(`${name}=${texts.join(';')}`)).toMatchObject(
      failure(400, 'QUERY_INVALID', `Field name '${name}' is invalid in GET request`),
    );
  });

  it('finds everybody, page by page, if all texts are blank', async () => {
    for (const query of ['email=%20', 'email=;;', 'provider=', 'phone=%20;&email=']) {
      expect((await list(query)).body).toEqual({ status: 'OK', users: ascending });
      expect((await list(`${query}&limit=1`)).body.users).toHaveLength(1);
    }
  });
});
