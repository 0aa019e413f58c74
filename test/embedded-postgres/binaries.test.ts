import { execFileSync } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresAccount, spawnOptions } from '../../src/embedded-postgres/account.ts';
import { findBinaries } from '../../src/embedded-postgres/binaries.ts';

const platform = `${process.platform}-${process.arch}`;
const isRoot = process.getuid?.() === 0;
let installed: string;
let links: Array<{ target: string }>;

/** A package as npm installs it without running install scripts. Its version is in no cache. */
beforeAll(async () => {
  const original = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  installed = await mkdtemp(join(tmpdir(), 'embedded-package-'));
  await chmod(installed, 0o755);
  await cp(original, installed, { recursive: true, verbatimSymlinks: true });
  links = JSON.parse(await readFile(join(installed, 'native/pg-symlinks.json'), 'utf8'));
  for (const { target } of links) await rm(join(installed, target), { force: true });
  for (const program of ['postgres', 'initdb']) await chmod(join(installed, 'native/bin', program), 0o644);
  await writeFile(join(installed, 'package.json'), JSON.stringify({ version: `17.0.0-test.${process.pid}` }));
});
afterAll(() => rm(installed, { recursive: true }));

it.runIf(isRoot)('copies a package that the user nobody cannot reach', async () => {
  const account = await postgresAccount();
  await chmod(installed, 0o700);
  const copies = await Promise.all([
    findBinaries(account, platform, installed),
    findBinaries(account, platform, installed),
  ]);
  await chmod(installed, 0o755);
  expect(copies[0]).toEqual(copies[1]);
  expect(copies[0].postgres.startsWith(installed)).toBe(false);
  const version = execFileSync(copies[0].postgres, ['--version'], { ...spawnOptions(account), cwd: '/' });
  expect(String(version)).toMatch(/PostgreSQL\) 17\./);
  await rm(dirname(dirname(dirname(copies[0].postgres))), { recursive: true });
});

it('creates missing links and sets missing executable bits, also when two processes do so at once', async () => {
  for (const { target } of links) await rm(join(installed, target), { force: true });
  await chmod(join(installed, 'native/bin/postgres'), 0o644);
  const account = await postgresAccount();
  const [binaries] = await Promise.all([
    findBinaries(account, platform, installed),
    findBinaries(account, platform, installed),
  ]);
  expect(binaries).toEqual({
    postgres: join(installed, 'native/bin/postgres'),
    initdb: join(installed, 'native/bin/initdb'),
    majorVersion: '17',
  });
  for (const { target } of links) expect((await lstat(join(installed, target))).isSymbolicLink()).toBe(true);
  expect((await stat(binaries.postgres)).mode & 0o111).toBe(0o111);
});

it('names the missing package, and the setting that makes it unnecessary', async () => {
  const found = findBinaries(undefined, 'plan9-mips');
  await expect(found).rejects.toThrow(/@embedded-postgres\/plan9-mips[\s\S]*POSTGRESQL_CONNECTION_URI/);
});
