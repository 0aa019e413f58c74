import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadOrCreateSecret } from '../../src/lib/secrets.ts';

async function useDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'uic-secret-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

it('the secret is created once, is the same for all callers, and is readable by this user only', async () => {
  const directory = await useDirectory();
  const path = join(directory, 'key');
  const keys = await Promise.all([
    loadOrCreateSecret(path),
    loadOrCreateSecret(path),
    loadOrCreateSecret(path),
  ]);
  expect(new Set([...keys, await loadOrCreateSecret(path)]).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['key']);
});

it('the secret is what the file contains, unless the file is empty', async () => {
  const directory = await useDirectory();
  await writeFile(join(directory, 'key'), ' chosen\n');
  await writeFile(join(directory, 'empty'), '\n');
  expect(await loadOrCreateSecret(join(directory, 'key'))).toBe('chosen');
  await expect(loadOrCreateSecret(join(directory, 'empty'))).rejects.toThrow(
    'is empty: it must hold a secret',
  );
});
