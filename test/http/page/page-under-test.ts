import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import type { KeyEntry } from '../../../src/config/api-keys.ts';
import type { Config } from '../../../src/config/schema.ts';
import { API_KEY, createTestApp, type TestApp } from '../../support/app.ts';
import { ARGON2, BCRYPT } from '../../support/example-hashes.ts';
import { browserOfProcess, CHROMIUM, openTab, type Tab, type TabOptions } from './browser.ts';

if (CHROMIUM === undefined) {
  process.stderr.write(
    'Chromium is not installed (CHROMIUM_PATH): the tests of the page in it are skipped\n',
  );
}

export interface PageUnderTest {
  service: TestApp;
  url: string;
  /** Opens the page in a new tab. */
  open(options?: TabOptions): Promise<Tab>;
  /** Opens the page in a new tab, and logs in. */
  openLoggedIn(key?: string): Promise<Page>;
}

export const READER_KEY = 'reader-key-0123456789';
export const SENDER_KEY = 'sender-key-0123456789';
const KEYS: KeyEntry[] = [
  { name: 'key-1', key: API_KEY, allow: ['import', 'signin', 'read', 'manage', 'verify'] },
  { name: 'reader', key: READER_KEY, allow: ['read'] },
  { name: 'sender', key: SENDER_KEY, allow: ['import', 'manage'] },
];

/** Sixty imports in the last sixty hours, all older than the imports of a test. */
const OLD_IMPORTS = `
  insert into imports (import_id, key_name, dry_run, on_conflict, owner, started_at, finished_at, outcomes, active_ms)
  select 'old-' || n, 'night', n % 5 = 0, 'overwrite', gen_random_uuid(), now() - n * interval '1 hour',
    now() - n * interval '1 hour', jsonb_build_object('created', n * 10, 'failed', n % 7), 1000
  from generate_series(1, 60) n`;

/**
 * Describes tests with a service behind a socket and a browser. They are skipped without Chromium, except in
 * CI.
 */
export function describeInChromium(
  name: string,
  body: (t: PageUnderTest) => void,
  config: Partial<Config> = {},
): void {
  describe.skipIf(CHROMIUM === undefined)(name, () => {
    let browser: Browser;
    const t = {} as PageUnderTest;
    beforeAll(async () => {
      [t.service, browser] = await Promise.all([
        createTestApp({ config: { api_keys: KEYS, ...config } }),
        browserOfProcess(),
      ]);
      t.url = await t.service.app.listen({ port: 0, host: '127.0.0.1' });
      await t.service.database.db.query(OLD_IMPORTS);
      t.open = (options) => openTab(browser, `${t.url}/imports`, options);
      t.openLoggedIn = async (key) => {
        const { page } = await t.open();
        await logIn(page, key);
        return page;
      };
    });
    afterAll(() => t.service?.close());
    body(t);
  });
}

export async function logIn(page: Page, key = API_KEY): Promise<void> {
  await page.getByLabel('Api key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

export async function openImport(page: Page, importId: string): Promise<void> {
  await page.evaluate(`location.hash = '#/import/${importId}'`);
  await page.getByRole('heading', { name: `Import ${importId}` }).waitFor();
}

let made = 0;
/** Returns a line with a new user. */
export const good = () => {
  made += 1;
  return { email: `page-${made}@b.c`, passwordHash: made % 3 === 0 ? ARGON2.hash : BCRYPT.hash };
};
export const NO_EMAIL = { email: 'x', passwordHash: BCRYPT.hash };
export const NO_HASH = { email: 'no-hash@b.c', passwordHash: 'x' };

export const many = <T>(count: number, line: () => T): T[] => Array.from({ length: count }, line);
