import { expect, it } from 'vitest';
import { API_KEY } from '../../support/app.ts';
import { shoot } from './browser.ts';
import { describeInChromium, logIn, openImport, SENDER_KEY } from './page-under-test.ts';

describeInChromium('logging in', (t) => {
  it('reports an unknown key, and the right that a key lacks', async () => {
    const { page } = await t.open({ forgiven: [/status of 401/] });
    const input = page.getByLabel('Api key');
    const alert = page.getByRole('alert');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect.poll(() => alert.textContent()).toBe('Type an API key.');
    for (const wrong of ['wrong-key-0123456789-wrong', 'schlüssel ✓']) {
      await input.fill(wrong);
      await input.press('Enter');
      await expect.poll(() => alert.textContent()).toBe('The service does not know this API key.');
      expect(await input.evaluate('document.activeElement.id')).toBe('key');
    }
    await shoot(page, 'login-wrong');
    await input.fill(SENDER_KEY);
    await input.press('Enter');
    await expect.poll(() => alert.textContent()).toBe('This key lacks the right "read".');
  });

  it('keeps the key in the tab, over a reload, until it logs out', async () => {
    const { page, requests } = await t.open();
    await logIn(page);
    await openImport(page, 'old-7');
    expect(requests.join()).not.toContain(API_KEY);
    expect(page.url()).not.toContain(API_KEY);
    const stored = () =>
      page.evaluate('[localStorage.length, Object.entries(sessionStorage), document.cookie]');
    expect(await stored()).toEqual([0, [['api-key /', API_KEY]], '']);
    await page.reload();
    await page.getByRole('heading', { name: 'Import old-7' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(t.url.concat('/imports'));
    await other.getByRole('button', { name: 'Log in' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    expect(await page.getByLabel('Api key').inputValue()).toBe('');
    expect(await stored()).toEqual([0, [], '']);
    await page.reload();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await logIn(page);
    // After the login, the tab shows the page of its URL.
    await page.getByRole('heading', { name: 'Import old-7' }).waitFor();
  });

  it('asks for the key again when the service no longer accepts it', async () => {
    const { page } = await t.open({ forgiven: [/status of 401/] });
    await logIn(page);
    const older = page.getByRole('button', { name: 'Older', disabled: false });
    // The list must be there, because otherwise its own request would be refused, and the button would never be enabled.
    await older.waitFor();
    await page.route('**/bulk-import/**', (route) =>
      route.fulfill({ status: 401, json: { code: 'API_KEY_INVALID' } }),
    );
    await older.click();
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('does not accept this key any more');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('forgets a key that was refused after a reload, and keeps it while the service is away', async () => {
    const { page } = await t.open({ forgiven: [/status of (?:401|503)/] });
    await logIn(page);
    const alert = page.getByRole('alert');
    await page.route('**/api-key', (route) => route.fulfill({ status: 503, json: { message: 'Away.' } }));
    await page.reload();
    await expect.poll(() => alert.textContent()).toBe('Away.');
    await page.unroute('**/api-key');
    await page.route('**/api-key', (route) => route.fulfill({ status: 401, json: { message: 'No.' } }));
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect.poll(() => alert.textContent()).toBe('The service does not know this API key.');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
