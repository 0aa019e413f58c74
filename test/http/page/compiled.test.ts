import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { readAssets } from '../../../src/http/page/imports-page.ts';
import { compileService } from '../../support/compiled-service.ts';

it('the page has the same files after compilation', { timeout: 120_000 }, async () => {
  const directory = await compileService();
  onTestFinished(() => rm(directory, { recursive: true }));
  const compiled = pathToFileURL(join(directory, 'dist/http/page/imports-page.js'));
  const script = `const { readAssets } = await import('${compiled}');
    console.log(JSON.stringify([...(await readAssets())]))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const assets: [name: string, text: string][] = JSON.parse(stdout);
  expect(assets.map(([name]) => name)).toEqual([...(await readAssets()).keys()]);
  const modules = assets.filter(([name]) => name.endsWith('.js'));
  for (const [name, text] of modules) {
    const imported = Array.from(
      text.matchAll(/\b(?:from|import)\s*["']([\w./@-]+)["']/g),
      ([, from]) => from,
    );
    expect([name, imported.filter((from) => !assets.some(([other]) => from === `./${other}`))]).toEqual([
      name,
      [],
    ]);
  }
});
