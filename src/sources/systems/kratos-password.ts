import type { JsonObject } from '../../lib/json/json-object.ts';
import { firebaseHash, invalidHash } from '../fields/hashes.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';

/**
 * Algorithms by the beginning of a Kratos hash. Some look like those of other systems but mean something
 * else: `ln` of scrypt is N itself.
 */
const FAMILIES: readonly (readonly [start: string, algorithm: string])[] = [
  ['$2', 'bcrypt'],
  ['$argon2', 'argon2'],
  ['$pbkdf2-', 'pbkdf2-kratos'],
  ['$scrypt$', 'scrypt-kratos'],
  ['$md5-crypt$', 'md5-crypt-kratos'],
  ['$sha256-crypt$', 'sha256-crypt-kratos'],
  ['$sha512-crypt$', 'sha512-crypt-kratos'],
  ['$md5$', 'md5-kratos'],
  ['$sha1$', 'sha-kratos'],
  ['$sha256$', 'sha-kratos'],
  ['$sha512$', 'sha-kratos'],
  ['$hmac-', 'hmac-kratos'],
];

/**
 * Reads the password in the `config` of a Kratos credential. With `use_password_migration_hook`, the hash is
 * still in another system.
 * @see ory/kratos hash/hash_comparator.go
 */
export function kratosPassword({ hashed_password, password }: JsonObject): SourcePassword | undefined {
  const encoded = textOf(hashed_password);
  if (encoded === undefined) {
    const plainText = textOf(password);
    return plainText === undefined ? undefined : { plainText };
  }
  if (encoded.startsWith('$firescrypt$')) return firescrypt(encoded);
  const algorithm = FAMILIES.find(([start]) => encoded.startsWith(start))?.[1];
  return algorithm === undefined ? { encoded } : { encoded, algorithm };
}

/**
 * Converts `$firescrypt$ln=14,r=8,p=1$<salt>$<hash>$<separator>$<signer key>` of Kratos. The signer key
 * must be in the configuration of the service.
 */
function firescrypt(encoded: string): SourcePassword {
  const [, , costs = '', salt, hash, saltSeparator, ...rest] = encoded.split('$', 9);
  const parameters = /^ln=(\d+),r=(\d+),p=1$/.exec(costs);
  if (
    parameters === null ||
    salt === undefined ||
    hash === undefined ||
    saltSeparator === undefined ||
    rest.length !== 1
  ) {
    return invalidHash(
      'the firescrypt hash is not $firescrypt$ln=…,r=…,p=1$<salt>$<hash>$<separator>$<signer key>',
    );
  }
  const [, memCost = '', rounds = ''] = parameters;
  return firebaseHash({ hash, salt, memCost, rounds, saltSeparator, signerKey: rest[0] });
}
