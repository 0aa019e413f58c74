import { expect, it } from 'vitest';
import { describeInChromium, logIn } from './page-under-test.ts';

describeInChromium('polling', (t) => {
  it('asks nothing while its tab is hidden, and less often while nothing changes or the service is away', async () => {
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
});
