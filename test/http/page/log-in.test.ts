import { expect, it } from 'vitest';
import { API_KEY } from '../../support/app.ts';
import { shoot } from './browser.ts';
import { describeInChromium, logIn, openImport, SENDER_KEY } from './page-under-test.ts';

describeInChromium('logging in', (t) => {
  it('reports an unknown key', async () => {
    const { page } = await t.open({ forgiven: [/status of 401/] });
    const input = page.getByLabel('Api key');
    const alert = page.getByRole('alert');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect.poll(() => alert.textContent()).toBe('Type an api key.');
    for (const wrong of ['wrong-key-0123456789-wrong', 'schlüssel ✓']) {
      await input.fill(wrong);
      await input.press('Enter');
      await expect.poll(() => alert.textContent()).toBe('The service does not know this API key.');
      expect(await input.evaluate('document.activeElement.id')).toBe('key');
    }
    await shoot(page, 'login-wrong');
  });

  it('refuses a key that may not read, and names the right', async () => {
    const { page } = await t.open();
    await page.getByLabel('Api key').fill(SENDER_KEY);
    await page.getByLabel('Api key').press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('This key lacks the right "read".');
  });

  it('keeps the key only in the memory of the tab', async () => {
    const { page, requests } = await t.open();
    await logIn(page);
    await openImport(page, 'old-7');
    expect(requests.join()).not.toContain(API_KEY);
    expect(page.url()).not.toContain(API_KEY);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([
      0,
      0,
      '',
    ]);
    await page.reload();
    await page.getByRole('heading', { name: 'Imports' }).waitFor();
    expect(await page.getByLabel('Api key').inputValue()).toBe('');
    await logIn(page);
    // After the login, the tab shows the page of its URL.
    await page.getByRole('heading', { name: 'Import old-7' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(await page.getByLabel('Api key').inputValue()).toBe('');
  });

  it('asks for the key again when the service no longer accepts it', async () => {
    const { page } = await t.open({ forgiven: [/status of 401/] });
    await logIn(page);
    await page.route('**/bulk-import/**', (route) =>
      route.fulfill({ status: 401, json: { code: 'API_KEY_INVALID' } }),
    );
    await page.getByRole('button', { name: 'Older' }).click();
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('does not accept this key any more');
  });
});
