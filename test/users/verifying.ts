import { buildPasswords } from '../../src/hashing/build-passwords.ts';
import { type VerifiedHash, verifyPasswordHash } from '../../src/users/verify-password-hash.ts';
import { testConfig } from '../support/app.ts';
import { vector } from '../support/vectors.ts';

/** Of the password "secret". */
export const ARGON2 = vector('argon2', 'argon2-dj-3');
/** The same with salt and digest padded, which the format does not have. */
export const PADDED_ARGON2 = ARGON2.hash.replace(/\$([^$]+)\$([^$]+)$/, '$$$1=$$$2==');
export const SCRYPT = vector('external_scrypt', 'own-umlaut');
/** Written in five other ways: Latin-1, two normal forms, with a line break behind it, without the blanks around it. */
export const MANIFOLD = ` ${'é'.normalize('NFC')}${'é'.normalize('NFD')} `;

/** As configured by default, with this signer key (base64) or none. */
export const passwordsWith = (signerKey = '') => buildPasswords(testConfig({}, signerKey), 'a secret');

export function verify(
  request: { passwordHash: string; hashingAlgorithm?: string; password: string },
  signerKey?: string,
): Promise<VerifiedHash> {
  return verifyPasswordHash({ passwords: passwordsWith(signerKey) }, request);
}
