/** Two projects of one former system with different signer keys, and a third key. */
import { createCipheriv, scryptSync } from 'node:crypto';
import { SIGNER_KEY } from '../support/app.ts';

export const KEY_A = SIGNER_KEY;
/**
 * Returns a key with the length of the first project's key, so that the length does not identify the project.
 */
const keyOf = (project: string) => Buffer.alloc(64, project).toString('base64');
export const KEY_B = keyOf('signer key of b ');
export const KEY_C = keyOf('signer key of c ');
export const PASSWORD = 'correct horse';

/** Makes a hash with a signer key. Source of the formula: https://github.com/firebase/scrypt. */
export function scryptHash(key: string, password = PASSWORD): string {
  const salt = Buffer.from('salt of a user');
  const separator = Buffer.from([7]);
  const derived = scryptSync(password, Buffer.concat([salt, separator]), 64, { N: 16, r: 8, p: 1 });
  const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16));
  const digest = cipher.update(Buffer.from(key, 'base64')).toString('base64');
  return `$f_scrypt$${digest}$${salt.toString('base64')}$m=4$r=8$s=${separator.toString('base64')}`;
}

export const OF_A = scryptHash(KEY_A);
export const OF_B = scryptHash(KEY_B);
export const SECRETS = [
  { id: 'project-b', algorithms: ['external_scrypt'], secret_base64: KEY_B },
  { id: 'project-c', algorithms: ['external_scrypt'], secret_base64: KEY_C },
];
