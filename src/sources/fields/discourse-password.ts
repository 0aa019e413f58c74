import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourcePassword } from '../source-user.ts';
import { bytesOf } from './bytes.ts';
import { invalidHash, pbkdf2Hash, unknownAlgorithm } from './hashes.ts';
import { isSet, textOf } from './values.ts';

/** Algorithm of password hashes that were stored before Discourse had the column `password_algorithm`. */
const FORMER_ALGORITHM = '$pbkdf2-sha256$i=64000,l=32$';
const ALGORITHM = /^\$pbkdf2-(sha1|sha256|sha512)\$i=([1-9]\d{0,8})(?:,l=\d{1,4})?\$$/;

/**
 * Returns the password of a Discourse user.
 * @param user row of `users`, which had the hashes until 2025
 * @param row row of `user_passwords`, which has had the hashes since
 */
export function discoursePassword(user: JsonObject, row: JsonObject | undefined): SourcePassword | undefined {
  if (row === undefined) return hashOf(user.password_hash, user.salt, user.password_algorithm);
  // Discourse rejects an expired password, so its hash is not imported, even if the time cannot be read.
  if (isSet(row.password_expired_at)) return undefined;
  return hashOf(row.password_hash, row.password_salt, row.password_algorithm);
}

function hashOf(hash: unknown, salt: unknown, algorithm: unknown): SourcePassword | undefined {
  const [digits, saltText] = [textOf(hash), textOf(salt)];
  if (digits === undefined) return undefined;
  const [, digest, iterations] = ALGORITHM.exec(textOf(algorithm) ?? FORMER_ALGORITHM) ?? [];
  if (digest !== 'sha1' && digest !== 'sha256' && digest !== 'sha512')
    return unknownAlgorithm('password_algorithm is none of $pbkdf2-<digest>$i=<iterations>,l=<bytes>$');
  if (saltText === undefined) return invalidHash('the salt is missing');
  const bytes = bytesOf(digits, 'hex');
  if (bytes === undefined) return invalidHash('the hash is not made of hexadecimal digits');
  // Discourse uses the hexadecimal digits of the salt as the salt, without decoding them.
  return pbkdf2Hash({
    digest,
    iterations: Number(iterations),
    salt: Buffer.from(saltText),
    hash: bytes,
  });
}
