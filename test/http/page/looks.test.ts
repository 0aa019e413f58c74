import { beforeAll, expect, it } from 'vitest';
import { importWithId } from '../../support/import-calls.ts';
import { ImportStream } from '../../support/import-stream.ts';
import { ndjson } from '../../support/ndjson.ts';
import { barriers, isTooWide, shoot } from './browser.ts';
import { describeInChromium, good, logIn, many, NO_EMAIL, NO_HASH, openImport } from './page-under-test.ts';

const MD5 = ['5f4dcc3b5aa765d61d8327deb882cf99', '144fa7eaa4904e8ee120651997f70dcc'];

describeInChromium('the page', (t) => {
  beforeAll(async () => {
    await importWithId(
      t.service,
      'most-failed',
      [...many(3, () => NO_EMAIL), good()],
      '&name=auth0%3A%20users.json',
    );
    await importWithId(t.service, 'failing', [
      ...many(300, good),
      ...many(20, () => NO_EMAIL),
      ...many(9, () => NO_HASH),
      ...MD5.map((passwordHash, index) => ({
        email: `md5-${index}@b.c`,
        passwordHash,
        hashingAlgorithm: 'hex-md5',
      })),
      ...['1@waits.c', '2@waits.c', '3@waits.c'].map((email) => ({ email, legacySignIn: true })),
      { email: 'unset@b.c', password: 'unset' },
    ]);
  });

  it('shows the census', async () => {
    const page = await t.openLoggedIn();
    await page.getByRole('link', { name: 'Hashes' }).click();
    await page.getByRole('heading', { name: 'Password hashes' }).waitFor();
    const row = page.getByRole('row', { name: /^bcrypt strong, set by import/ });
    await row.waitFor();
    expect(Number((await row.getByRole('cell').first().textContent())?.replace(',', ''))).toBeGreaterThan(0);
    await page.getByRole('row', { name: /^hex-md5 broken, set by import 2 0$/ }).waitFor();
    await page.getByText('2 broken (under 1%)').waitFor();
    await page.getByText('Waiting for the first sign-in, at the legacy system: 3').waitFor();
    await page.getByText('Without a password until a reset: 1').waitFor();
  });

  // The width does not depend on the colours, and the contrast does not depend on the width.
  it.each([
    [400, 'dark'],
    [1280, 'light'],
  ] as const)(
    'has no accessibility problems, and does not scroll horizontally: %i pixels wide, %s',
    async (width, colorScheme) => {
      const { page } = await t.open({ viewport: { width, height: 800 }, colorScheme });
      const check = async (name: string) => {
        await shoot(page, `${name}-${width}-${colorScheme}`);
        expect([name, await barriers(page), await isTooWide(page)]).toEqual([name, [], false]);
      };
      await check('login');
      await logIn(page);
      await page.getByRole('link', { name: 'failing' }).waitFor();
      await check('list');
      await page.getByRole('link', { name: 'failing' }).click();
      await page.locator('summary').first().click();
      await page.getByText('Line 301').waitFor();
      await check('import');
      await page.getByRole('button', { name: 'Roll back…' }).click();
      await check('dialog');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Hashes' }).click();
      await page.getByRole('table').waitFor();
      await check('census');
      await page.getByRole('link', { name: 'First sign-ins' }).click();
      await page.getByRole('heading', { name: 'Rehearsal' }).waitFor();
      await check('moving');

      const importId = `live-${width}-${colorScheme}`;
      const sender = new ImportStream(t.url, `?importId=${importId}&total=900`);
      await page.getByRole('link', { name: 'Imports' }).click();
      await openImport(page, importId);
      sender.write(ndjson(...many(330, good), NO_EMAIL));
      await page.getByText('331 of 900 lines (36%)').first().waitFor();
      await check('live');
      await sender.end().finished();
      await page.goto(t.url);
      await check('home');
    },
  );
});
