import { expect, it } from 'vitest';
import { createHandOverStore } from '../../../src/postgres/hand-over/create-hand-over-store.ts';
import { API_KEY } from '../../support/app.ts';
import { ARGON2, BCRYPT } from '../../support/example-hashes.ts';
import { importWithId } from '../../support/import-calls.ts';
import { barriers, shoot } from './browser.ts';
import { describeInChromium } from './page-under-test.ts';

const HEX_MD5 = { passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99', hashingAlgorithm: 'hex-md5' };

describeInChromium(
  'first sign-ins at an identity provider on the page',
  (t) => {
    it('shows who waits, who has moved, and the rehearsal', async () => {
      const page = await t.openLoggedIn();
      await page.getByRole('link', { name: 'First sign-ins' }).click();
      await page.getByText('0 of 0 logins (0%) need this service no more.').waitFor();
      await page.getByText('Of 0 sign-ins that were right in the old system, 0 match here.').waitFor();

      await importWithId(
        t.service,
        'shop',
        [
          { email: 'ada@b.c', passwordHash: BCRYPT.hash },
          { email: 'bob@b.c', passwordHash: ARGON2.hash },
          { email: 'cyd@b.c', ...HEX_MD5 },
          { email: 'dan@b.c', ...HEX_MD5 },
        ],
        '&name=shop%3A%20users.csv',
      );
      const ask = (path: string, body: object) => t.service.send('POST', path, body, { 'api-key': API_KEY });
      const right = { identifier: 'ada@b.c', password: BCRYPT.password };
      for (let time = 0; time < 3; time += 1) await ask('/hooks/kratos', right);
      await ask('/hooks/changed', { identifier: 'bob@b.c' });
      await ask('/hooks/rehearse', { identifier: 'cyd@b.c', password: 'password', wasRight: true });
      await ask('/hooks/rehearse', { identifier: 'dan@b.c', password: 'another', wasRight: true });
      await ask('/hooks/rehearse', { identifier: 'ada@b.c', password: BCRYPT.password, wasRight: false });
      const counted = async () => {
        const { groups, alarms } = JSON.parse((await t.service.send('GET', '/hooks/rehearsal')).text);
        return [groups[0]?.matches, groups[0]?.causes.unknown, alarms];
      };
      await expect.poll(counted).toEqual([1, 1, 1]);

      await page.reload();
      await page.getByText('2 of 4 logins (50%) need this service no more.').waitFor();
      await page.getByText('2 waiting for the first sign-in').waitFor();
      await page.getByText('The provider asked again 2 times').waitFor();
      expect(await page.getByRole('row', { name: /^key-1 1 1 0$/ }).count()).toBe(1);
      expect(await page.getByRole('row', { name: /^bcrypt 1 0 0$/ }).count()).toBe(1);
      expect(await page.getByRole('row', { name: /^argon2 0 1 0$/ }).count()).toBe(1);
      await page.getByText('Of 2 sign-ins that were right in the old system, 1 match here.').waitFor();
      await page.getByRole('row', { name: 'hex-md5 shop: users.csv no cause found 1' }).waitFor();
      await page
        .getByRole('alert')
        .filter({ hasText: 'Alarm: 1 password that the old system refused' })
        .waitFor();
      expect(await barriers(page)).toEqual([]);
      await shoot(page, 'moving');
      await page.getByRole('link', { name: 'shop: users.csv' }).click();
      await page.getByRole('heading', { name: 'Import shop: users.csv' }).waitFor();
    });
  },
  { password_hooks: ['kratos', 'verify', 'rehearse'] },
);

describeInChromium(
  'hand-overs on the page',
  (t) => {
    it('are shown with who waits, and what to do next', async () => {
      const page = await t.openLoggedIn();
      await page.getByRole('link', { name: 'First sign-ins' }).click();
      await page.getByText('There is no hand-over.').waitFor();

      const store = createHandOverStore(t.service.database.db);
      const handOverId = '01a20da9-89bc-7589-9e25-5a6b4190ebfb';
      await store.begin({ handOverId, keyName: 'tests', unlinked: false, secretCheck: Buffer.alloc(32) });
      await store.record(
        handOverId,
        Array.from({ length: 1234 }, (_, index) => ({
          recipeUserId: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
          userId: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
          coreId: String(index),
          state: index === 0 ? ('moved' as const) : ('waiting' as const),
          algorithm: 'hex-md5',
        })),
      );
      await store.setProblem(handOverId, 'the core <b>does not answer</b>');
      await page.reload();
      await page.getByText(handOverId).waitFor();
      await page.getByText('It stands still: the core <b>does not answer</b>').waitFor();
      await store.finish(handOverId);
      await page.getByText('1,233 logins wait for their first sign-in').waitFor();
      await page.getByText('1,233 waiting for the first sign-in').waitFor();
      expect(await page.getByRole('row', { name: 'hex-md5' }).textContent()).toContain('1,233');
      expect(await barriers(page)).toEqual([]);
      await shoot(page, 'hand-over');
    });
  },
  { password_hooks: [], upstream_core_uri: 'http://127.0.0.1:1' },
);
