import { expect, it } from 'vitest';
import { createHandOverStore } from '../../../src/postgres/hand-over/create-hand-over-store.ts';
import { describeInChromium, logIn } from './page-under-test.ts';

describeInChromium('hand-overs on the page', (t) => {
  it('are shown with who waits, and what to do next', async () => {
    const { page } = await t.open();
    await logIn(page);
    await page.getByRole('link', { name: 'Hand-over' }).click();
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
    await logIn(page);
    await page.getByRole('heading', { name: handOverId }).waitFor();
    await page.getByText('It stands still: the core <b>does not answer</b>').waitFor();
    await store.finish(handOverId);
    await page.getByText('1,233 logins wait for their first sign-in').waitFor();
    expect(await page.getByRole('row', { name: 'Waiting for the first sign-in' }).textContent()).toContain(
      '1,233',
    );
    expect(await page.getByRole('row', { name: 'hex-md5' }).textContent()).toContain('1,233');
  });
});
