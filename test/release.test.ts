import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { productionLock, readJson } from '../release/production-lock.ts';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const manifest = readJson('package.json');
const lock = productionLock();
/** The packages of an installation, on any platform, as `name@version`. */
const installed = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .map(([path, { version, license }]) => ({
    id: `${path.replace(/^.*node_modules\//, '')}@${version}`,
    license,
  }));

/** Licences that permit use in a service under Apache-2.0, and ask for no more than to keep their text. */
const PERMITTED = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

it('the version is the same in the changelog, the lock, the label of the image and the documents', () => {
  const { version } = manifest;
  const releases = [...read('CHANGELOG.md').matchAll(/^## (\d\S*)(?: - (\d{4}-\d\d-\d\d))?$/gm)];
  const [newest] = releases;
  expect(newest?.[1]).toBe(version);
  // The first release was not dated.
  expect(releases.filter(([, , date]) => date === undefined).map(([, name]) => name)).toEqual(['0.1.0']);
  expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
  for (const name of ['README.md', 'docs/operating.md'])
    expect(new Set(read(name).match(/user-import-core-[\d.]+\.tgz/g))).toEqual(
      new Set([`user-import-core-${version}.tgz`]),
    );
  expect(/image\.version="([^"]*)"/.exec(read('Dockerfile'))?.[1]).toBe(version);
  expect(read('SECURITY.md')).toContain(`\n| ${version.replace(/\.\d+$/, '')} | yes |\n`);
});

it('every package of an installation has a licence that is permitted', () => {
  expect(installed.length).toBeGreaterThan(50);
  expect(installed.filter(({ license }) => !PERMITTED.includes(license ?? ''))).toEqual([]);
});

it('npm run sbom lists the packages of an installation, on every platform, and no others', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'sbom'], {
    cwd: new URL('../', import.meta.url),
    maxBuffer: 10_000_000,
  });
  const { bomFormat, metadata, components } = JSON.parse(stdout);
  expect([bomFormat, metadata.component['bom-ref'], metadata.component.name]).toEqual([
    'CycloneDX',
    `${manifest.name}@${manifest.version}`,
    manifest.name,
  ]);
  const listed = components.map((component: { 'bom-ref': string }) => component['bom-ref']);
  expect(new Set(listed)).toEqual(new Set(installed.map(({ id }) => id)));
});
