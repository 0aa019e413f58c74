import type { JsonObject } from '../../lib/json/json-object.ts';
import { argon2Hash, invalidHash, pbkdf2Hash, unknownAlgorithm } from '../fields/hashes.ts';
import { totpOfBase32, totpOfBytes } from '../fields/totp.ts';
import { objectOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';

/**
 * Reads a credential with a password. Since Keycloak 8, its two halves are texts that contain JSON. A credential that
 * cannot be read is a problem, and not a user without a password.
 */
export function passwordOf(credential: JsonObject): SourcePassword {
  const secret = objectOf(credential.secretData);
  if (secret !== undefined) {
    return hashOf(objectOf(credential.credentialData) ?? {}, textOf(secret.value), textOf(secret.salt));
  }
  const hash = textOf(credential.hashedSaltedValue);
  if (hash !== undefined) return hashOf(credential, hash, textOf(credential.salt));
  const plainText = textOf(credential.value);
  return plainText === undefined
    ? invalidHash('secretData is missing, or is not JSON with a value')
    : { plainText };
}

/**
 * Reads a TOTP credential. Since Keycloak 8, the characters of the secret are the key, unless it is marked as base32.
 */
export function totpOf(credential: JsonObject): JsonObject[] {
  const data = objectOf(credential.credentialData);
  const secret = textOf(objectOf(credential.secretData)?.value);
  if (data?.subType !== 'totp' || secret === undefined) return [];
  const { period, digits, algorithm, secretEncoding } = data;
  const options = { name: credential.userLabel, period, digits, algorithm };
  return secretEncoding === 'BASE32'
    ? totpOfBase32(secret, options)
    : totpOfBytes(Buffer.from(secret, 'utf8'), options);
}

const PBKDF2 = new Map([
  ['pbkdf2', 'sha1'],
  ['hmacsha1', 'sha1'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha512', 'sha512'],
] as const);

/**
 * Builds a hash from the parts of a credential.
 * @param members algorithm and costs. Early versions of Keycloak had only one algorithm, and no member for it
 */
function hashOf(members: JsonObject, hash: string | undefined, salt: string | undefined): SourcePassword {
  if (hash === undefined) return invalidHash('secretData has no value');
  // A common extension of Keycloak stores complete bcrypt hashes.
  if (hash.startsWith('$2')) return { encoded: hash, algorithm: 'bcrypt' };
  const name = textOf(members.algorithm)?.toLowerCase() ?? 'pbkdf2';
  const digest = PBKDF2.get(name as 'pbkdf2');
  if (digest === undefined && name !== 'argon2') {
    return unknownAlgorithm('the algorithm of this credential is none of Keycloak itself');
  }
  const { hashIterations } = members;
  if (digest !== undefined) return pbkdf2Hash({ digest, iterations: hashIterations, salt, hash });
  return argon2Of(objectOf(members.additionalParameters), { passes: hashIterations, salt, hash });
}

/** Keycloak stores each parameter of argon2 as a list of one text. */
function argon2Of(
  parameters: JsonObject | undefined,
  rest: { passes: unknown; salt: string | undefined; hash: string },
): SourcePassword {
  const parameter = (name: string): string | undefined => {
    const value = parameters?.[name];
    return textOf(Array.isArray(value) ? value[0] : value);
  };
  const type = parameter('type') ?? 'id';
  if (type !== 'id' && type !== 'i' && type !== 'd')
    return invalidHash('the type of argon2 is not id, i or d');
  return argon2Hash({
    variant: `argon2${type}`,
    version: parameter('version') === '1.0' ? 0x10 : 0x13,
    memoryKiB: parameter('memory') ?? 7168,
    lanes: parameter('parallelism') ?? 1,
    ...rest,
  });
}
