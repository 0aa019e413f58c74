import { createHmac, randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { hasErrno } from './errors.ts';

/**
 * Returns a key of 32 bytes for each secret. The keys reveal nothing about the secrets or about keys with another
 * `use`.
 */
export const deriveKeys = (secrets: readonly string[], use: string): Buffer[] =>
  secrets.map((secret) => createHmac('sha256', secret).update(use).digest());

/**
 * Returns the secret in a file, and creates both if the file is missing. The secret is 32 random bytes in hexadecimal,
 * in a file that only this system user may read (0600). Several processes that create the file at the same time get the
 * same secret.
 * @throws {Error} if the file is empty or cannot be read
 */
export async function loadOrCreateSecret(path: string): Promise<string> {
  try {
    return await readSecret(path);
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
  }
  // The secret is linked from a file of another name, so that it is always complete. The first link wins.
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(aside, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await file.sync();
    await link(aside, path);
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
  } finally {
    await file.close();
    await unlink(aside);
  }
  return readSecret(path);
}

async function readSecret(path: string): Promise<string> {
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret === '') throw new Error(`${path} is empty: it must hold a secret`);
  return secret;
}
