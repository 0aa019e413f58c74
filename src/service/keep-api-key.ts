import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { settingProblem } from '../config/load.ts';
import { isOpenToAll, openFile, weakSecrets } from '../config/secret-warnings.ts';
import { loadOrCreateSecret } from '../lib/secrets.ts';

/** Returns the path of the file with the API key that is created beside an embedded database. */
export const apiKeyFile = (databaseDirectory: string) => `${resolve(databaseDirectory)}.api-key`;

/**
 * Creates the API key of an installation once, and stores it beside its embedded database.
 * @throws {Error} if the stored key, perhaps edited by hand, is not a valid API key
 */
export async function keepApiKey(databaseDirectory: string, warn: (text: string) => void): Promise<string> {
  const path = apiKeyFile(databaseDirectory);
  await mkdir(dirname(path), { recursive: true });
  const key = await loadOrCreateSecret(path);
  const problem = settingProblem('api_keys', key);
  if (problem !== undefined) throw new Error(`${path}: ${problem}`);
  for (const warning of weakSecrets({ api_keys: key })) warn(warning);
  if (isOpenToAll(path)) warn(openFile(path));
  return key;
}
