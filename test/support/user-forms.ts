import type { Config } from '../../src/config/schema.ts';
import type { ParsedUser, ReadDeps, ValidationError } from '../../src/imports/input/parsed-user.ts';
import { readUserPayload } from '../../src/imports/input/read-user-payload.ts';
import { SIGNER_KEY, testPasswords } from './app.ts';
import { BCRYPT } from './example-hashes.ts';

export const NOW = 1_700_000_000_000;

/** Valid login methods of a user in the long form. */
export const PASSWORD = {
  recipeId: 'emailpassword',
  email: 'a@b.c',
  passwordHash: BCRYPT.hash,
  hashingAlgorithm: 'bcrypt',
};
export const PLAIN = { recipeId: 'emailpassword', email: 'p@b.c', plainTextPassword: 'pässword' };
export const GOOGLE = {
  recipeId: 'thirdparty',
  email: 'g@b.c',
  thirdPartyId: 'google',
  thirdPartyUserId: '1',
};
export const GITHUB = { ...GOOGLE, thirdPartyId: 'github' };

/** Returns dependencies with the hashing that `createTestApp` builds. */
export function readDeps(signerKey = SIGNER_KEY, changes: Partial<Config> = {}): ReadDeps {
  return { registry: testPasswords(changes, signerKey).registry, now: () => NOW, keepsFactors: true };
}

/** Returns the parsed user. Fails the test if it was refused. */
export function taken(read: ParsedUser | ValidationError | ValidationError[]): ParsedUser {
  if ('methods' in read) return read;
  throw new Error(`refused: ${JSON.stringify(read)}`);
}

const deps = readDeps();

export const parsedUserOf = (form: unknown) => taken(readUserPayload(deps, form));

/** Returns all problems of a user. Fails the test if it was accepted. */
export function problemsOf(form: unknown): string[] {
  const read = readUserPayload(deps, form);
  if (!Array.isArray(read)) throw new Error('was not refused');
  return read.map(({ message }) => message);
}
