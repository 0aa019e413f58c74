import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { firebaseHash, invalidHash, scryptHash, unknownAlgorithm } from '../fields/hashes.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { objectOf, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';

/**
 * Reads the password of an Appwrite user, by its kind (`hash`) and `hashOptions`.
 * @see appwrite/appwrite src/Appwrite/Utopia/Response/Model/User.php and Algo*.php
 */
export function appwritePassword(record: SourceRecord, settings: Settings): SourcePassword | undefined {
  const encoded = textOf(record.password);
  if (encoded === undefined) return undefined;
  if (encoded.startsWith('{')) {
    return {
      problem: 'HASH_ENCRYPTED',
      message: 'the database keeps hashes encrypted: take the users from the API (GET /users)',
    };
  }
  const options = objectOf(record.hashOptions) ?? {};
  switch ((textOf(record.hash) ?? '').toLowerCase()) {
    case 'argon2':
      return { encoded, algorithm: 'argon2' };
    case 'bcrypt':
      return { encoded, algorithm: 'bcrypt' };
    case 'phpass':
      return { encoded, algorithm: 'phpass' };
    case 'md5':
      return { encoded, algorithm: 'hex-md5' };
    case 'sha':
      return shaHash(encoded, options, settings);
    case 'scrypt':
      return ofScrypt(encoded, options);
    case 'scryptmod':
      return ofFirebase(encoded, options);
    case 'plaintext':
      return { plainText: encoded };
    default:
      return selfDescribingHash(encoded);
  }
}

const SHA1_DIGITS = 40;
const DIGESTS = ['sha1', 'sha256', 'sha512'];

/** Appwrite's API does not show the variant of an unsalted SHA hash, and several have 64 digits. */
function shaHash(encoded: string, { version }: JsonObject, { shaVersion }: Settings): SourcePassword {
  const told = textOf(version) ?? shaVersion ?? (encoded.length === SHA1_DIGITS ? 'sha1' : undefined);
  if (told === undefined) {
    return unknownAlgorithm('hashOptions does not say which digest it is: name it with --set shaVersion=…');
  }
  const digest = told.toLowerCase();
  if (DIGESTS.includes(digest)) return { encoded, algorithm: `hex-${digest}` };
  return {
    problem: 'HASH_ALGORITHM_UNSUPPORTED',
    message: 'digests of kind sha are taken of sha1, sha256 and sha512 only',
  };
}

/** `costMemory` of Appwrite is the parameter r. The salt is text, not base64. */
function ofScrypt(encoded: string, options: JsonObject): SourcePassword {
  const { costCpu, costMemory, costParallel } = options;
  const salt = textOf(options.salt);
  const [cost, blockSize, parallelization] = [costCpu, costMemory, costParallel].map((one) =>
    Number(textOf(one)),
  );
  if (salt === undefined || !isCount(cost) || !isCount(blockSize) || !isCount(parallelization)) {
    return invalidHash('hashOptions of scrypt must have salt, costCpu, costMemory and costParallel');
  }
  if (!/^(?:[0-9a-f]{2})+$/i.test(encoded)) {
    return invalidHash('a hash of kind scrypt must be hexadecimal digits');
  }
  return scryptHash({
    cost,
    blockSize,
    parallelization,
    salt: Buffer.from(salt),
    hash: Buffer.from(encoded, 'hex'),
  });
}

const isCount = (number: number | undefined): number is number =>
  number !== undefined && Number.isSafeInteger(number) && number > 0;

/** Appwrite verifies hashes of Firebase's scrypt with N 16384 and r 8, whatever the project at Firebase had. */
function ofFirebase(encoded: string, options: JsonObject): SourcePassword {
  const [salt, saltSeparator] = [textOf(options.salt), textOf(options.saltSeparator)];
  if (salt === undefined) return invalidHash('hashOptions of scryptMod must have a salt');
  return firebaseHash({
    hash: encoded,
    salt,
    memCost: '14',
    rounds: '8',
    saltSeparator: saltSeparator ?? '',
    signerKey: textOf(options.signerKey),
  });
}
