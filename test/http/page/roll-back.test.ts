import { expect, it } from 'vitest';
import { API_KEY } from '../../support/app.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { getImport, importWithId, rolledBack } from '../../support/import-calls.ts';
import { barriers, shoot } from './browser.ts';
import { describeInChromium, good, logIn, many, openImport, READER_KEY } from './page-under-test.ts';

describeInChromium('a rollback on the page', (t) => {
  it('rolls back after the id is typed, using only the keyboard', async () => {
    await importWithId(t.service, 'undo-me', many(5, good));
    const { page } = await t.open();
    const { keyboard } = page;
    const focused = () =>
      page.evaluate<string>('document.activeElement.textContent || document.activeElement.id');
    const tabTo = async (name: string) => {
      for (let step = 0; step < 60 && (await focused()) !== name; step += 1) await keyboard.press('Tab');
      expect(await focused()).toBe(name);
    };
    // The key field has the focus.
    await expect.poll(focused).toBe('key');
    await keyboard.type(API_KEY);
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('Imports');
    await page.getByRole('link', { name: 'undo-me' }).waitFor();
    await tabTo('undo-me');
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('Import undo-me');
    await page.getByRole('button', { name: 'Roll back…' }).waitFor();
    await tabTo('Roll back…');
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('confirm-id');
    await keyboard.type('undo-m');
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Roll back undo-me?' });
    await expect
      .poll(() => dialog.getByRole('alert').textContent())
      .toBe('That is not the id of this import.');
    expect(await getImport(t.service, 'undo-me')).toMatchObject({ status: 'FINISHED' });
    expect(await dialog.textContent()).toContain(
      'removes the 5 users that this import created. Users who have signed in or been changed since stay as they are.',
    );
    expect(await barriers(page)).toEqual([]);
    await shoot(page, 'rollback-confirm');
    // Escape closes the dialog without a rollback, and the focus returns.
    await keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(focused).toBe('Roll back…');
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('confirm-id');
    await keyboard.type('undo-me');
    await keyboard.press('Enter');
    await expect.poll(focused).toContain('The import was rolled back.');
    await page.getByText('5 users removed').waitFor();
    await page.getByText('Rolled back', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Roll back…' }).count()).toBe(0);
    expect(await getImport(t.service, 'undo-me')).toMatchObject({ status: 'ROLLED_BACK' });
    await shoot(page, 'rolled-back');
  });

  it('says how users were matched, and how many were missing in the export', async () => {
    const user = (nr: number, email = `${nr}@match.c`) => ({
      externalUserId: `m${nr}`,
      loginMethods: [{ recipeId: 'emailpassword', email, passwordHash: BCRYPT.hash }],
    });
    await importWithId(t.service, 'last-week', [user(1), user(2), user(3)], '&source=old');
    await importWithId(
      t.service,
      'this-week',
      [user(1, 'new@match.c')],
      '&source=old&matchBy=externalId&onConflict=update-unchanged&deleteMissing=2',
    );
    const page = await t.openLoggedIn();
    await openImport(page, 'this-week');
    await page.getByText('external id, among users of the source old').waitFor();
    await page.getByText('Missing in the export').waitFor();
    await page.getByText('2 users of earlier imports: 2 removed, 0 kept').waitFor();
    await page
      .getByText(
        'removes the 0 users that this import created and puts 3 users back that it changed or removed.',
      )
      .waitFor();
  });

  it('reports a rollback that is interrupted', async () => {
    await importWithId(t.service, 'undo-later', [good()]);
    const { page } = await t.open({ forgiven: [/status of 503/] });
    await logIn(page);
    await openImport(page, 'undo-later');
    const isCalled = '**/rollback';
    await page.route(isCalled, (route) =>
      route.fulfill({ status: 503, json: { code: 'SHUTTING_DOWN', message: 'Stopping.' } }),
    );
    await page.getByRole('button', { name: 'Roll back…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type the import id').fill('undo-later');
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await expect
      .poll(() => dialog.getByRole('alert').textContent())
      .toBe('Stopping. Roll back again to continue.');
    await page.unroute(isCalled);
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('The import was rolled back.').waitFor();
    expect(await rolledBack(t.service, 'undo-later')).toEqual({ usersRemoved: 1 });
  });

  it('is not offered to a key without the right manage', async () => {
    await importWithId(t.service, 'only-look', [good()]);
    const page = await t.openLoggedIn(READER_KEY);
    await openImport(page, 'only-look');
    await page.getByText('This key may not roll back: it lacks the right manage.').waitFor();
    expect(await page.getByRole('button', { name: 'Roll back…' }).count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });
});
