import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { settingProblem } from '../config/load.ts';
import { keepSecret } from '../lib/keep-secret.ts';

/** Returns the path of the key that is made for an embedded database. */
export const apiKeyFile = (databaseDirectory: string) => `${resolve(databaseDirectory)}.api-key`;

/**
 * The key of an installation that was given none: made once, kept beside the embedded database.
 * @throws {Error} when what is kept there, by hand perhaps, could not be configured as a key
 */
export async function keepApiKey(databaseDirectory: string): Promise<string> {
  const path = apiKeyFile(databaseDirectory);
  await mkdir(dirname(path), { recursive: true });
  const key = await keepSecret(path);
  const problem = settingProblem('api_keys', key);
  if (problem !== undefined) throw new Error(`${path}: ${problem}`);
  return key;
}
