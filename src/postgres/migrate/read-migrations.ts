import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Migration } from './migration.ts';

const DIRECTORY = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Returns the migrations in the directory, oldest first. */
export function readMigrations(directory = DIRECTORY): Migration[] {
  const names = readdirSync(directory).filter((name) => /^\d{4}_\w+\.sql$/.test(name));
  return names.sort().map((name) => ({
    version: Number(name.slice(0, 4)),
    name,
    sql: readFileSync(join(directory, name), 'utf8'),
  }));
}
