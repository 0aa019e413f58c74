import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, inject, it } from 'vitest';
import { assertMigrated, readMigrations } from '../src/postgres/migrate/apply-migrations.ts';
import { API_KEY } from './support/app.ts';
import { useTestDatabase } from './support/database.ts';

const PROJECT = join(import.meta.dirname, '..');
const COMMAND = [join(inject('compiled').directory, 'dist/migrate.js')];

const directory = await mkdtemp(join(tmpdir(), 'uic-migrate-'));
afterAll(() => rm(directory, { recursive: true }));

/**
 * Runs what `user-import-core migrate` runs. `env` is the whole environment except PATH. Rejects if
 * the exit code is not 0.
 */
const migrate = (env: Record<string, string>) =>
  promisify(execFile)(process.execPath, COMMAND, {
    cwd: PROJECT,
    env: { PATH: process.env.PATH ?? '', ...env },
  });

async function keysFile(text: string): Promise<string> {
  const file = join(directory, 'api-keys');
  await writeFile(file, text);
  return file;
}

it('refuses malformed API keys, and does not print them', async () => {
  const { uri, db } = await useTestDatabase({ empty: true });
  const API_KEYS_FILE = await keysFile('too-short\n');
  await expect(migrate({ POSTGRESQL_CONNECTION_URI: uri, API_KEYS_FILE })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^The configuration has problems:\n {2}api_keys: must be keys (?!.*too-short)/,
    ),
  });
  await expect(assertMigrated(db, readMigrations())).rejects.toThrow('the database is at version 0');
});

it.each([
  ['in a file', async () => ({ API_KEYS_FILE: await keysFile(`${API_KEY}\n`) })],
  ['in the environment', async () => ({ API_KEYS: API_KEY })],
  ['nowhere', async () => ({})],
])('brings the schema up to date with the keys %s', async (_, env) => {
  const { uri, db } = await useTestDatabase({ empty: true });
  const { stdout } = await migrate({ POSTGRESQL_CONNECTION_URI: uri, ...(await env()) });
  expect(stdout).toContain('the schema is up to date');
  await assertMigrated(db, readMigrations());
});
