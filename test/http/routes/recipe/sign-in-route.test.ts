import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { BCRYPT, EXTERNAL_SCRYPT } from '../../../support/example-hashes.ts';
import { insertLinkedUser } from '../../../support/linked-users.ts';
import { failure, importNew, signIn, signInUpNew } from '../../../support/service-calls.ts';

const service = await useTestApp();

describe('wrong credentials', () => {
  it('have the same answer, whatever is wrong', async () => {
    await importNew(service, 'known@b.c');
    await signInUpNew(service, { id: 'google', userId: 'only' }, 'social@b.c');
    const answers = [
      await signIn(service, 'known@b.c', 'wrong'),
      await signIn(service, 'known@b.c', ''),
      await signIn(service, 'unknown@b.c'),
      await signIn(service, 'social@b.c'),
    ];
    for (const { status, text, headers } of answers) {
      const { date: _, ...others } = headers;
      expect([status, text]).toEqual([200, '{"status":"WRONG_CREDENTIALS_ERROR"}']);
      expect(others).toEqual({
        'content-type': 'application/json; charset=utf-8',
        'content-length': '36',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        connection: 'keep-alive',
      });
    }
  });

  it.each([
    ['in another letter case', 'Old Password'],
    ['with white space around it', ' old password'],
    ['with a line end', 'old password\n'],
    ['cut off', 'old passwor'],
    ['with a NUL behind', 'old password\0'],
    ['decomposed', 'old passwo\u0308rd'],
  ])('include the password %s', async (what, password) => {
    const email = `${what.replaceAll(' ', '-')}@b.c`;
    await importNew(service, email);
    expect((await signIn(service, email, password)).body).toEqual({ status: 'WRONG_CREDENTIALS_ERROR' });
  });
});

it('answers with the user and the id of the login method', async () => {
  const user = await importNew(service, 'in@b.c');
  const { status, body } = await signIn(service, 'in@b.c');
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'OK', user, recipeUserId: user.id });
});

it('finds the e-mail in another spelling', async () => {
  await importNew(service, 'writing@b.c');
  expect((await signIn(service, '\t WRITING@B.C ')).body.status).toBe('OK');
});

it('answers with all login methods of the user, and the id of the one used', async () => {
  const id = '0190b000-0000-7000-8000-000000000001';
  const password = {
    recipeUserId: '0190b000-0000-7000-8000-000000000002',
    email: 'linked@b.c',
    timeJoinedMs: 5,
  };
  const google = { id: 'google', userId: 'sign-in-linked' };
  await insertLinkedUser(service.database.db, {
    id,
    timeJoinedMs: 4,
    methods: [{ recipeUserId: id, email: 'google@b.c', timeJoinedMs: 4, thirdParty: google }, password],
  });
  const { body } = await signIn(service, 'linked@b.c');
  expect(body).toMatchObject({
    status: 'OK',
    user: { id, isPrimaryUser: true },
    recipeUserId: password.recipeUserId,
  });
  expect(body.user.loginMethods.map((method) => method.recipeUserId)).toEqual([id, password.recipeUserId]);
});

it('answers with external ids if there are any', async () => {
  const id = '0190c000-0000-7000-8000-000000000001';
  await insertLinkedUser(service.database.db, {
    id,
    externalId: 'legacy-7',
    timeJoinedMs: 4,
    methods: [{ recipeUserId: id, email: 'external@b.c', timeJoinedMs: 4 }],
  });
  expect((await signIn(service, 'external@b.c')).body).toMatchObject({
    status: 'OK',
    recipeUserId: 'legacy-7',
    user: { id: 'legacy-7', loginMethods: [{ recipeUserId: 'legacy-7' }] },
  });
});

it('records the last sign-in, to the day', async () => {
  await importNew(service, 'last@b.c');
  const last = async () => {
    const [row] = await service.database.db.query<{ at: string | null }>(
      "select last_sign_in_at::text as at from password_logins where email = 'last@b.c'",
    );
    return row?.at;
  };
  await signIn(service, 'last@b.c', 'wrong');
  expect(await last()).toBeNull();
  await signIn(service, 'last@b.c');
  const first = await last();
  expect(first).toEqual(expect.any(String));
  await signIn(service, 'last@b.c');
  expect(await last()).toBe(first);
  await service.database.db.query("update password_logins set last_sign_in_at = '2020-01-01'");
  await signIn(service, 'last@b.c');
  expect(await last()).not.toMatch(/^2020/);
});

describe('a stored hash that cannot be evaluated', () => {
  it.each([
    ['no signer key', 'external_scrypt', EXTERNAL_SCRYPT.hash, { signerKey: '' }],
    ['a lowered bound', 'bcrypt', BCRYPT.hash.replace('$04$', '$12$'), { config: { hashing_max_ms: 100 } }],
    ['a damaged row', 'bcrypt', 'damaged', {}],
    ['an algorithm that is gone', 'md5', 'c4ca4238a0b923820dcc509a6f75849b', {}],
  ])('is an error in the log, never a wrong password: %s', async (_why, algorithm, hash, options) => {
    const broken = await useTestApp(options);
    await importNew(broken, 'broken@b.c');
    await broken.database.db.query('update password_logins set password_hash = $1, hash_algorithm = $2', [
      hash,
      algorithm,
    ]);

    const answer = await signIn(broken, 'broken@b.c', EXTERNAL_SCRYPT.password);
    expect(answer).toMatchObject(failure(500, 'INTERNAL', 'Internal error: see the log for request '));
    expect(answer.text).not.toContain(hash);
    const requestId = answer.body.message.split(' ').at(-1);
    const lines = broken.log().split('\n');
    expect(
      lines.filter((line) => line.includes(`"${requestId}"`) && line.includes('"level":"error"')),
    ).toHaveLength(1);
    expect(broken.log()).not.toContain(hash);
  });

  it('does not affect the sign-in of others', async () => {
    const keyless = await useTestApp({ signerKey: '' });
    await importNew(keyless, 'fine@b.c');
    await importNew(keyless, 'scrypt@b.c');
    await keyless.database.db.query(
      "update password_logins set password_hash = $1, hash_algorithm = 'external_scrypt' where email = 'scrypt@b.c'",
      [EXTERNAL_SCRYPT.hash],
    );
    expect((await signIn(keyless, 'scrypt@b.c', 'any')).status).toBe(500);
    expect((await signIn(keyless, 'fine@b.c')).body.status).toBe('OK');
    expect((await signIn(keyless, 'nobody@b.c', 'any')).body.status).toBe('WRONG_CREDENTIALS_ERROR');
  });
});
