import { expect, it } from 'vitest';
import { describeInChromium, logIn } from './page-under-test.ts';

describeInChromium('polling', (t) => {
  it('sends no requests while its tab is hidden, and fewer while nothing changes or the service is unavailable', async () => {
    const { page, requests } = await t.open({ forgiven: [/status of 503/] });
    await page.clock.install();
    await logIn(page);
    const asked = () => requests.filter((request) => request.includes('/bulk-import/')).length;
    const askedIn = async (ms: number) => {
      const before = asked();
      await page.clock.runFor(ms);
      return asked() - before;
    };
    await page.getByRole('link', { name: 'old-9', exact: true }).waitFor();
    expect(await askedIn(60_000)).toBeLessThanOrEqual(4);
    const setHidden = (isHidden: boolean) =>
      page.evaluate(
        `globalThis.isTabHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await setHidden(true);
    expect(await askedIn(600_000)).toBe(0);
    const before = asked();
    await setHidden(false);
    await expect.poll(asked).toBe(before + 1);
    await page.route('**/bulk-import/**', (route) =>
      route.fulfill({ status: 503, json: { message: 'Away.' } }),
    );
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('alert').filter({ hasText: 'Away. It is tried again.' }).waitFor();
    expect(await askedIn(120_000)).toBeLessThanOrEqual(7);
  });

  it('shows when something else answers or nothing does, and recovers afterwards', async () => {
    const { page } = await t.open();
    await page.clock.install();
    await logIn(page);
    await page.getByRole('link', { name: 'old-9', exact: true }).waitFor();
    let asked = 0;
    await page.route('**/bulk-import/**', (route) => {
      asked += 1;
      // The second request is never answered, the third one is.
      if (asked === 1) return route.fulfill({ body: '<h1>Sign in to the network</h1>' });
      return asked === 2 ? undefined : route.continue();
    });
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('alert').filter({ hasText: 'The answer is not from the service.' }).waitFor();
    const askedLater = async () => {
      await page.clock.runFor(1000);
      return asked;
    };
    await expect.poll(askedLater).toBe(2);
    await page.clock.runFor(30_000);
    await page.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor();
    await page.clock.runFor(10_000);
    await page.getByText(/^Page 2:/).waitFor();
  });
});
