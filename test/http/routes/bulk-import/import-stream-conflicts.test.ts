import { afterEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../support/app.ts';
import { removeEverything } from '../../../support/database.ts';
import { BCRYPT, OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import { importLines, ndjson, userLine } from '../../../support/ndjson.ts';
import { countUsers, getUser, IMPORT, signInStatus, UUID_V7 } from '../../../support/service-calls.ts';

const service = await useTestApp();
afterEach(() => removeEverything(service.database.db));

const report = (body: string, query = '') => importLines(service, body, query);

describe('a user that exists already', () => {
  const NEW = ndjson(userLine('known@b.c', OTHER_BCRYPT.hash), userLine('new@b.c'));

  it.each([
    ['', { status: 'UPDATED' }, OTHER_BCRYPT],
    ['?onConflict=update-unchanged', { status: 'UPDATED' }, OTHER_BCRYPT],
    ['?onConflict=overwrite', { status: 'UPDATED' }, OTHER_BCRYPT],
    ['?onConflict=skip', { status: 'SKIPPED', code: 'EMAIL_ALREADY_EXISTS' }, BCRYPT],
    ['?onConflict=fail', { status: 'FAILED', code: 'EMAIL_ALREADY_EXISTS' }, BCRYPT],
  ])('with "%s" becomes %j', async (query, outcome, { password }) => {
    const { body } = await service.send('POST', IMPORT, userLine('known@b.c'));
    const userId = outcome.status === 'FAILED' ? {} : { userId: body.user.id };
    const dry = await report(NEW, `${query}${query === '' ? '?' : '&'}dryRun=true`);
    expect(dry.results).toMatchObject([
      { line: 1, ...outcome, ...userId },
      { line: 2, status: 'CREATED' },
    ]);
    expect(dry.results[1]).toEqual({ line: 2, status: 'CREATED' });
    expect(await countUsers(service)).toBe(1);
    expect(await signInStatus(service, 'known@b.c', BCRYPT.password)).toBe('OK');

    const { results, summary } = await report(NEW, query);
    expect(results[0]).toEqual(dry.results[0]);
    expect(results[1]).toEqual({ line: 2, status: 'CREATED', userId: expect.stringMatching(UUID_V7) });
    expect(summary).toEqual({ ...dry.summary, ms: expect.any(Number) });
    expect(await signInStatus(service, 'known@b.c', password)).toBe('OK');
    const kept = await service.database.db.query(
      'select c::text from import_chunks c union all select f::text from import_failures f',
    );
    expect(JSON.stringify(kept)).toContain(outcome.status);
    for (const { hash } of [BCRYPT, OTHER_BCRYPT]) expect(JSON.stringify(kept)).not.toContain(hash);
  });

  it('keeps a password chosen since the import, unless overwriting is requested', async () => {
    await service.send('POST', '/recipe/signup', { email: 'a@b.c', password: 'chosen' });
    const kept = await report(ndjson(userLine('a@b.c')));
    expect(kept.results).toMatchObject([{ status: 'SKIPPED', code: 'PASSWORD_CHANGED_SINCE' }]);
    expect(await signInStatus(service, 'a@b.c', 'chosen')).toBe('OK');
    const lost = await report(ndjson(userLine('a@b.c')), '?onConflict=overwrite');
    expect(lost.results).toEqual([{ line: 1, status: 'UPDATED', userId: kept.results[0]?.userId }]);
    expect(await signInStatus(service, 'a@b.c', BCRYPT.password)).toBe('OK');
  });
});

it.each(['', '&dryRun=true'])(
  'the id of a user is not mistaken for the external id of another%s',
  async (query) => {
    const form = (email: string, externalUserId: unknown, more: object[] = []) => ({
      externalUserId,
      loginMethods: [{ recipeId: 'emailpassword', ...userLine(email), isPrimary: true }, ...more],
    });
    const second = { recipeId: 'thirdparty', email: 'g@b.c', thirdPartyId: 'google', thirdPartyUserId: '1' };
    const { results } = await report(ndjson(userLine('a@b.c'), form('b@b.c', 'old-b', [second])));
    const ids = results.map(({ userId }) => userId);
    const user = (await getUser(service, 'old-b')).body.user;
    ids.push(user.loginMethods.find(({ recipeId }) => recipeId === 'thirdparty')?.recipeUserId);
    for (const [index, id] of ids.entries()) {
      const refused = await report(ndjson(form(`${index}@b.c`, id)), `?importId=it-${index}${query}`);
      expect(refused.results).toMatchObject([{ status: 'FAILED', code: 'EXTERNAL_ID_ALREADY_EXISTS' }]);
    }
    const own = await report(ndjson(userLine('a@b.c'), form('a@b.c', ids[0])), `?importId=own${query}`);
    const outcome = { status: 'UPDATED', userId: ids[0] };
    expect(own.results).toEqual([1, 2].map((number) => ({ line: number, ...outcome })));
  },
);
