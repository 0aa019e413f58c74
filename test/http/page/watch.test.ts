import { expect, it, onTestFinished } from 'vitest';
import { importWithId, rolledBack } from '../../support/import-calls.ts';
import { ImportStream } from '../../support/import-stream.ts';
import { ndjson } from '../../support/ndjson.ts';
import { barriers, isTooWide, shoot } from './browser.ts';
import { describeInChromium, good, logIn, many, NO_EMAIL, NO_HASH, openImport } from './page-under-test.ts';

describeInChromium('an import on the page', (t) => {
  it('lists imports page by page, newest first, and reports an unknown one', async () => {
    const page = await t.openLoggedIn();
    const ids = () =>
      page.getByRole('list', { name: 'Imports, newest first' }).getByRole('link').allTextContents();
    const newer = page.getByRole('button', { name: 'Newer' });
    const older = page.getByRole('button', { name: 'Older' });
    await expect.poll(async () => (await ids()).length).toBe(25);
    const first = await ids();
    expect(await newer.isDisabled()).toBe(true);
    const all = [...first];
    while (await older.isEnabled()) {
      const before = await ids();
      await older.click();
      await expect.poll(ids).not.toEqual(before);
      all.push(...(await ids()));
      await expect
        .poll(async () => (await page.getByRole('status').first().textContent()) ?? '')
        .toMatch(/^Page \d/);
    }
    expect(all.filter((id) => id.startsWith('old-'))).toEqual(
      many(60, () => 0).map((_, index) => `old-${index + 1}`),
    );
    expect(new Set(all).size).toBe(all.length);
    while (await newer.isEnabled()) {
      const before = await ids();
      await newer.click();
      await expect.poll(ids).not.toEqual(before);
    }
    await expect.poll(ids).toEqual(first);
    await openImport(page, 'nobody');
    await page.getByText('There is no import with this id.').waitFor();
  });

  it('shows a running import until it ends', async () => {
    const { page } = await t.open();
    await page.clock.install();
    await logIn(page);
    const sender = new ImportStream(t.url, '?importId=live&total=400');
    sender.write(ndjson(...many(60, good), NO_EMAIL));
    await openImport(page, 'live');
    await page.getByText('Running', { exact: true }).waitFor();
    const done = page.getByRole('progressbar', { name: 'Lines done' });
    await expect.poll(() => done.getAttribute('aria-valuenow')).toBe('61');
    sender.write(ndjson(...many(180, good)));
    await page
      .getByText(/241 of 400 lines \(60%\), [\d,]+ lines a second, about .+ left/)
      .first()
      .waitFor();
    const announced = async () => {
      await page.clock.runFor(1000);
      return page.locator('.unseen').textContent();
    };
    await expect.poll(announced).toMatch(/^Running: /);
    await shoot(page, 'live');
    await sender.end(ndjson(...many(159, good))).finished();
    await page.getByText('Finished', { exact: true }).first().waitFor();
    await page.getByText('400 of 400 lines (100%)', { exact: true }).waitFor();
    expect(await page.getByText('399 created').count()).toBe(1);
    expect(await page.getByText('1 failed').count()).toBe(1);
    await expect.poll(() => page.locator('.unseen').textContent()).toBe('Finished: 400 of 400 lines (100%)');
  });

  it('shows failures by code with examples, always as text', async () => {
    await importWithId(t.service, 'failing', [
      ...many(3, good),
      ...many(70, () => NO_EMAIL),
      NO_HASH,
      'no JSON',
    ]);
    await t.service.database.db.query(
      `update import_failures set lines = '[[74, "<img src=x onerror=alert(1)> \\"quoted\\""]]'
       where import_id = 'failing' and code = 'PASSWORD_HASH_INVALID'`,
    );
    const page = await t.openLoggedIn();
    await openImport(page, 'failing');
    const codes = page.locator('summary');
    await expect
      .poll(() => codes.allTextContents())
      .toEqual(['FIELD_INVALID 70 lines', 'BODY_INVALID_JSON 1 line', 'PASSWORD_HASH_INVALID 1 line']);
    await codes.nth(0).click();
    const examples = page
      .getByRole('list', { name: 'Lines that failed with FIELD_INVALID' })
      .getByRole('listitem');
    await expect.poll(() => examples.count()).toBe(20);
    expect(await examples.first().textContent()).toMatch(/^Line 4 .*email/);
    await page.getByText('These are the first 20.').waitFor();
    await page.getByText('user-import rejects failing').waitFor();
    await codes.nth(2).click();
    await page.getByText('<img src=x onerror=alert(1)> "quoted"').waitFor();
    await shoot(page, 'failures');
  });

  it('shows the name of an import, and no bar while nobody has said how many lines there are', async () => {
    const sender = new ImportStream(t.url, '?importId=unknown-total&name=keycloak%3A%20realm.json');
    sender.write(ndjson(...many(60, good)));
    const page = await t.openLoggedIn();
    const item = page.getByRole('listitem').filter({ hasText: 'keycloak: realm.json' });
    await item.getByText('60 created').waitFor();
    await item.getByText('Running', { exact: true }).waitFor();
    expect(await item.locator('.bar').count()).toBe(0);
    await sender.end(ndjson(good())).finished();
    await item.getByText('Finished', { exact: true }).waitFor();
    expect(await item.locator('.bar').count()).toBe(1);
    await item.getByRole('link').click();
    await page.getByRole('heading', { name: 'Import keycloak: realm.json' }).waitFor();
    await page.getByText('unknown-total', { exact: true }).waitFor();
  });

  it('marks an import of which most lines failed', async () => {
    await importWithId(t.service, 'half', [good(), NO_EMAIL]);
    await importWithId(t.service, 'most', [good(), NO_EMAIL, NO_HASH]);
    await importWithId(t.service, 'all', [NO_EMAIL]);
    const page = await t.openLoggedIn();
    const badge = (importId: string) =>
      page.getByRole('listitem').filter({ hasText: importId }).locator('.badge').last();
    await expect.poll(() => badge('most').textContent()).toBe('Finished, most failed');
    expect(await badge('all').textContent()).toBe('Finished, all failed');
    expect(await badge('half').textContent()).toBe('Finished');
    expect(await badge('most').getAttribute('class')).toBe('badge bad');
    expect(await badge('half').getAttribute('class')).toBe('badge good');
  });

  it('finds imports by name and state, over all pages', async () => {
    await importWithId(t.service, 'needle', [good()], '&name=wordpress%3A%20Shop%20dump.sql');
    await rolledBack(t.service, 'needle');
    const page = await t.openLoggedIn();
    const names = () =>
      page.getByRole('list', { name: 'Imports, newest first' }).getByRole('link').allTextContents();
    await page.getByLabel('Name').fill('shop DUMP');
    await expect.poll(names).toEqual(['wordpress: Shop dump.sql']);
    await page.getByLabel('Name').fill('old-4');
    await expect.poll(names).toEqual(['old-4', ...many(10, () => 0).map((_, index) => `old-${index + 40}`)]);
    await page.getByLabel('State').selectOption('Rolled back');
    await page.getByText('No import is like this.').waitFor();
    await page.getByLabel('Name').fill('');
    await expect.poll(names).toEqual(['wordpress: Shop dump.sql']);
    await page.getByLabel('State').selectOption('Not finished');
    await page.getByText('No import is like this.').waitFor();
    await page.getByLabel('State').selectOption('Finished');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText(/^Page 2:/).waitFor();
  });

  it('shows the commands to run while there are no imports', async () => {
    await t.service.database.db.query('alter table imports rename to hidden');
    await t.service.database.db.query('create table imports (like hidden including all)');
    onTestFinished(async () => {
      await t.service.database.db.query('drop table imports');
      await t.service.database.db.query('alter table hidden rename to imports');
    });
    const page = await t.openLoggedIn();
    await page.getByText(`user-import import FILE --url ${t.url}`).waitFor();
    expect(await page.getByLabel('Name').count()).toBe(0);
    expect([await barriers(page), await isTooWide(page)]).toEqual([[], false]);
    await shoot(page, 'empty');
  });
});
