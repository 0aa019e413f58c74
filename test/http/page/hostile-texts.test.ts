import { expect, it } from 'vitest';
import { importWithId } from '../../support/import-calls.ts';
import { describeInChromium, good, logIn, openImport } from './page-under-test.ts';

/** Text that sets `isTaken` if it is interpreted as markup, a link or a script. */
const ATTACK = `"'><img src=x onerror="isTaken=1"><svg onload="isTaken=1"></svg><script>isTaken=1</script>\${isTaken=1}&lt;`;

/** Texts that only somebody with access to the database could store. The page must be safe even then. */
const HOSTILE = `
  insert into imports (import_id, key_name, dry_run, on_conflict, owner, finished_at, outcomes, algorithms, failure_codes,
    total_lines)
  values ('hostile', $1, false, 'fail', gen_random_uuid(), now(), '{"failed": 2}',
      jsonb_build_object($1::text, 1), jsonb_build_object($1::text, 1, 'FIELD_INVALID', 1), 1),
    ($1, $1, true, 'fail', gen_random_uuid(), null, '{}', '{}', '{}', null)`;

describeInChromium('hostile texts', (t) => {
  it('are shown as text everywhere', async () => {
    const { db } = t.service.database;
    await importWithId(t.service, 'well', [good()]);
    await db.query('update password_logins set hash_algorithm = $1', [ATTACK]);
    await db.query(HOSTILE, [ATTACK]);
    await db.query(
      `insert into import_failures (import_id, last_line, code, count, lines)
       values ('hostile', 2, 'FIELD_INVALID', 1, jsonb_build_array(jsonb_build_array(1, $1::text)))`,
      [ATTACK],
    );
    // A code that no line has is refused, and an invalid id is not found.
    const { page } = await t.open({ forgiven: [/40[04] \((?:Bad Request|Not Found)\)/] });
    await logIn(page);
    const isTaken = () => page.evaluate('globalThis.isTaken');
    const shown = (places = page.getByText(ATTACK)) => expect.poll(() => places.count()).toBeGreaterThan(0);
    await shown(page.getByRole('link', { name: ATTACK }));
    await shown(page.getByText(`with ${ATTACK}`));
    await openImport(page, 'hostile');
    for (const code of ['FIELD_INVALID', ATTACK])
      await page.locator('summary').filter({ hasText: code }).click();
    await shown(page.locator('.message', { hasText: ATTACK }));
    await page.getByText("Field name 'code' is invalid in query").waitFor();
    await page.getByRole('link', { name: 'Hashes' }).click();
    await shown(page.getByRole('rowheader', { name: ATTACK }));
    for (const hash of [ATTACK, encodeURIComponent(ATTACK), 'javascript:isTaken=1', '..', '../../users']) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/import/${hash}`)}`);
      await page.getByRole('heading', { name: 'Import ' }).waitFor();
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
    }
    expect(await isTaken()).toBeUndefined();
    expect(await page.locator('img, script:not([type=module]), main svg[onload]').count()).toBe(0);
  });
});
