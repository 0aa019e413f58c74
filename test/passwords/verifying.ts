import { buildPasswords } from '../../src/hashing/build-passwords.ts';
import type { Passwords } from '../../src/hashing/passwords.ts';
import { type VerifiedHash, verifyPasswordHash } from '../../src/passwords/verify-password-hash.ts';
import { testConfig } from '../support/app.ts';
import { vector } from '../support/vectors.ts';

/** Hash of the password "secret". */
export const ARGON2 = vector('argon2', 'argon2-dj-3');
/** The same hash with base64 padding, which the format does not have. */
export const PADDED_ARGON2 = ARGON2.hash.replace(/\$([^$]+)\$([^$]+)$/, '$$$1=$$$2==');
export const SCRYPT = vector('external_scrypt', 'own-umlaut');
/**
 * A password that can be written in five other ways: Latin-1, two normal forms, with a line break, without
 * blanks.
 */
export const MANIFOLD = ` ${'é'.normalize('NFC')}${'é'.normalize('NFD')} `;

/** Returns passwords with the default configuration, with this signer key (base64) or none. */
export function passwordsWith(signerKey = ''): Passwords {
  const passwords = known.get(signerKey) ?? buildPasswords(testConfig({}, signerKey), 'a secret');
  known.set(signerKey, passwords);
  return passwords;
}
const known = new Map<string, Passwords>();

export function verify(
  request: { passwordHash: string; hashingAlgorithm?: string; password: string },
  signerKey?: string,
): Promise<VerifiedHash> {
  return verifyPasswordHash({ passwords: passwordsWith(signerKey) }, request);
}
