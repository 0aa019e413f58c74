import { APPLICATION_FAMILIES } from './families/applications.ts';
import { ARGON2_FAMILIES, argon2 } from './families/argon2.ts';
import { BCRYPT_FAMILIES, bcrypt } from './families/bcrypt.ts';
import { CRYPT_FAMILIES } from './families/crypt.ts';
import { DIGEST_FAMILIES } from './families/digests.ts';
import { LOGIN_FAMILIES } from './families/logins.ts';
import { PBKDF2_FAMILIES } from './families/pbkdf2.ts';
import { PHPASS_FAMILIES, ROUNDS_FAMILIES } from './families/rounds.ts';
import { externalScrypt, SCRYPT_FAMILIES } from './families/scrypt.ts';
import { SYSTEM_FAMILIES } from './families/systems.ts';
import type { Family, WholeNumberSetting } from './family.ts';

/** All families. Documentation, messages and tests follow from this list, in this order: usual families first. */
export const FAMILIES: readonly Family[] = [
  bcrypt,
  argon2,
  externalScrypt,
  ...PBKDF2_FAMILIES,
  ...SCRYPT_FAMILIES,
  ...BCRYPT_FAMILIES.slice(1),
  ...ARGON2_FAMILIES.slice(1),
  ...SYSTEM_FAMILIES,
  ...PHPASS_FAMILIES,
  ...ROUNDS_FAMILIES,
  ...CRYPT_FAMILIES,
  ...DIGEST_FAMILIES,
  ...APPLICATION_FAMILIES,
  ...LOGIN_FAMILIES,
];

/** Firebase's scrypt, whose default secret may be configured by external_password_hashing_signer_key. */
export const SIGNER_KEY_ALGORITHM = externalScrypt.name;

/** Families of new hashes, argon2 first. */
export const OWN_FAMILIES: readonly Family[] = [argon2, bcrypt];

export const OWN_SETTINGS: readonly (readonly [name: string, setting: WholeNumberSetting])[] =
  OWN_FAMILIES.flatMap(({ own }) => Object.entries(own?.settings ?? {}));
