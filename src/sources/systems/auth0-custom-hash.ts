import type { JsonObject } from '../../lib/json/json-object.ts';
import {
  type DigestName,
  hmacHash,
  invalidHash,
  isDigest,
  saltedDigest,
  scryptHash,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { type BytesEncoding, bytesOf, objectOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';

/** Reads `custom_password_hash` in a file for Auth0's bulk import. */
export function customHash(custom: JsonObject | undefined): SourcePassword {
  const hash = objectOf(custom?.hash);
  const value = textOf(hash?.value);
  if (custom === undefined || hash === undefined || value === undefined)
    return invalidHash('hash.value is missing');
  const salt = objectOf(custom.salt);
  const isUtf16 = /^(?:utf16le|ucs2)$/i.test(textOf(objectOf(custom.password)?.encoding) ?? '');
  const algorithm = textOf(custom.algorithm)?.toLowerCase();
  if (isUtf16 && !isDigest(algorithm) && algorithm !== 'hmac' && algorithm !== 'md4') return UTF16;
  switch (algorithm) {
    case 'bcrypt':
      return salt === undefined ? { encoded: value, algorithm } : SALTED_BCRYPT;
    case 'argon2':
    case 'pbkdf2':
      return { encoded: value, algorithm };
    case 'ldap':
      // The scheme in braces names the algorithm of an LDAP hash, so Auth0's `algorithm` is not
      // needed.
      return { encoded: value };
    case 'scrypt':
      return scryptOf(custom, hash);
    case 'hmac':
      return salt === undefined ? hmacOf(hash, isUtf16) : SALTED_HMAC;
    case 'md4':
      return salt === undefined ? md4Of(hash, isUtf16) : SALTED_MD4;
    default:
      return isDigest(algorithm)
        ? digestOf(algorithm, { hash, salt, isUtf16 })
        : unknownAlgorithm('custom_password_hash.algorithm is none that is known');
  }
}

const SALTED_BCRYPT = unsupportedAlgorithm('bcrypt over a salt of its own and the password is not taken');
const SALTED_HMAC = unsupportedAlgorithm('HMAC over a salt and the password is not taken');
const SALTED_MD4 = unsupportedAlgorithm('MD4 with a salt is not taken');
const UTF16 = unsupportedAlgorithm('passwords in UTF-16 are taken of plain digests and HMAC only');

/** Decodes `value` of a member, from the encoding that its `encoding` names. Default: `unnamed`. */
const decoded = (member: JsonObject | undefined, unnamed: BytesEncoding): Buffer | undefined => {
  const encoding = textOf(member?.encoding)?.toLowerCase() ?? unnamed;
  const isKnown = encoding === 'base64' || encoding === 'hex' || encoding === 'utf8';
  return isKnown ? bytesOf(member?.value, encoding) : undefined;
};

/** Decodes the hash: from hexadecimal digits, unless its `encoding` says otherwise. */
const hashBytes = (hash: JsonObject) => decoded(hash, 'hex');

function digestOf(
  digest: DigestName,
  parts: { hash: JsonObject; salt: JsonObject | undefined; isUtf16: boolean },
): SourcePassword {
  const salt = parts.salt === undefined ? Buffer.alloc(0) : decoded(parts.salt, 'utf8');
  const order = textOf(parts.salt?.position)?.toLowerCase() === 'suffix' ? 'ps' : 'sp';
  return saltedDigest({ digest, order, salt, hash: hashBytes(parts.hash), isUtf16: parts.isUtf16 });
}

function hmacOf(member: JsonObject, isUtf16: boolean): SourcePassword {
  const digest = textOf(member.digest)?.toLowerCase();
  return isDigest(digest)
    ? hmacHash({ digest, key: decoded(objectOf(member.key), 'utf8'), hash: hashBytes(member), isUtf16 })
    : unsupportedAlgorithm('hash.digest is none that is taken for HMAC');
}

function md4Of(member: JsonObject, isUtf16: boolean): SourcePassword {
  const hash = hashBytes(member)?.toString('hex');
  // MD4 of the password in UTF-16 is the NT hash of Windows.
  return hash === undefined
    ? invalidHash('hash.value is not in its encoding')
    : { encoded: hash, algorithm: isUtf16 ? 'nthash' : 'hex-md4' };
}

function scryptOf(custom: JsonObject, member: JsonObject): SourcePassword {
  const { keylen, cost = 16384, blockSize = 8, parallelization = 1 } = custom;
  const hash = hashBytes(member);
  if (keylen !== undefined && Number(textOf(keylen)) !== hash?.length)
    return invalidHash('keylen is not the length of the hash');
  return scryptHash({ cost, blockSize, parallelization, salt: decoded(objectOf(custom.salt), 'utf8'), hash });
}
