import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** Paths of Chromium in Debian, in other systems and in manual installations. */
const PLACES = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const CHROMIUM = PLACES.find((path) => existsSync(path));

let launched: Promise<Browser> | undefined;

/**
 * Returns the browser of this process, which ends with the process. Chromium has no sandbox for root. The pages come
 * from this machine only.
 */
export function browserOfProcess(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
  return launched;
}

/** Script for the page that records violations of its security policy, and lets a test hide the tab. */
const WATCH = `
  addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective));
  Object.defineProperty(document, 'hidden', { get: () => globalThis.isTabHidden === true });
`;

export interface Tab {
  page: Page;
  /** Console errors, uncaught exceptions, and violations of the security policy. */
  troubles: string[];
  /** Method and URL of every request. */
  requests: string[];
}

export interface TabOptions extends BrowserContextOptions {
  /** Console errors that are expected. */
  forgiven?: readonly RegExp[];
}

/** Opens a tab until the end of the test. Fails the test on any trouble that `forgiven` does not match. */
export async function openTab(
  browser: Browser,
  url: string,
  { forgiven = [], ...options }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const troubles: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.addInitScript(WATCH);
  await page.goto(url);
  onTestFinished(async () => {
    await context.close();
    const { origin } = new URL(url);
    const elsewhere = requests
      .filter((request) => !/^\w+ (?:blob|data):/.test(request))
      .filter((request) => new URL(request.split(' ')[1] ?? '').origin !== origin);
    expect(elsewhere).toEqual([]);
    expect(troubles.filter((text) => !forgiven.some((one) => one.test(text)))).toEqual([]);
  });
  return { page, troubles, requests };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns the WCAG violations that axe finds, including contrast: rules, and the elements that break them.
 */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
}

export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** Saves a screenshot for people to look at, in the folder that PAGE_SHOTS names. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGE_SHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
