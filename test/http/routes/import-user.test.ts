import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../support/app.ts';

const BCRYPT = '$2b$04$CCCCCCCCCCCCCCCCCCCCC.2qEx6VDzW/1gZVPz1yxtxnopI9gvYHG';

let service: TestApp;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

it('imports a user', async () => {
  const { status, body } = await service.send('POST', '/recipe/user/passwordhash/import', {
    email: 'A@b.c',
    passwordHash: BCRYPT,
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'OK', didUserAlreadyExist: false, user: { emails: ['a@b.c'] } });
  expect(await service.send('DELETE', '/users', '')).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD' },
  });
  expect(await service.send('POST', '/nope', '{')).toMatchObject({ status: 404 });
});
