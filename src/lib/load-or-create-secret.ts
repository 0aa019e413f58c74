import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { hasErrno } from './errors.ts';

/**
 * Returns the secret stored in the file `path`, which only this system user may read (0600). The first call
 * creates the secret: 32 random bytes in hexadecimal. If several processes create the file at the same time,
 * all get the same secret.
 */
export async function loadOrCreateSecret(path: string): Promise<string> {
  try {
    return await readSecret(path);
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
  }
  // The secret is written to a file of another name, which is then linked, so that the file is always
  // complete. If several processes do so, the first link wins.
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
