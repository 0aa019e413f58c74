import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readMigrations } from '../../../src/postgres/migrate/apply-migrations.ts';

it('the shipped migrations are numbered from 1 without gaps', () => {
  const shipped = readMigrations();
  expect(shipped.length).toBeGreaterThan(0);
  expect(shipped.map(({ version }) => version)).toEqual(shipped.map((_, index) => index + 1));
});

it('reads the files of a directory in order, and ignores others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'uic-migrations-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const name of [
    '0010_later.sql',
    '0002_earlier.sql',
    '2_short.sql',
    '0003_draft.sql.bak',
    'README.md',
  ]) {
    await writeFile(join(directory, name), `-- ${name}`);
  }
  expect(readMigrations(directory)).toEqual([
    { version: 2, name: '0002_earlier.sql', sql: '-- 0002_earlier.sql' },
    { version: 10, name: '0010_later.sql', sql: '-- 0010_later.sql' },
  ]);
});

it('throws if the directory does not exist', () => {
  expect(() => readMigrations('/nonexistent')).toThrow('ENOENT');
});
