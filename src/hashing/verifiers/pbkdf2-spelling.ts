import type { PossibleRepair } from '../algorithm.ts';
import { dialectRepairs } from '../diagnose/dialect-repairs.ts';
import { type Encoding, HEX, PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, checkLength, encodedPart, type HashPart, partOf } from '../formats/hash-part.ts';
import { type Groups, HashPattern } from '../formats/hash-pattern.ts';
import { PBKDF2_DIGESTS, type Pbkdf2Digest } from '../kdf/pbkdf2.ts';
import { base64Repairs } from './base64-repairs.ts';
import type { Pbkdf2Dialect, Pbkdf2Text } from './define-pbkdf2.ts';

export interface Pbkdf2Spelling extends Pick<Pbkdf2Dialect, 'reader'> {
  decoy(encoded: string): string;
  repairs(encoded: string): PossibleRepair[];
}

export interface PatternOptions {
  looksLike: string;
  salt: Encoding;
  hash: Encoding;
  digest: Pbkdf2Digest | ((groups: Groups) => Pbkdf2Digest);
  iterations?: (groups: Groups) => string;
  /** Returns the required length of the hash in bytes. By default, any length is accepted. */
  hashBytes?: (digest: Pbkdf2Digest, groups: Groups) => number;
  /** Default numbers of iterations in the versions of the system, in ascending order. */
  versions?: readonly number[];
  saltText?: (groups: Groups) => string;
}

export const sizeOf = (digest: Pbkdf2Digest) => PBKDF2_DIGESTS[digest];
/** Returns the digest that the group `digest` names, or SHA-1 if the group did not match. */
export const digestNamed = ({ digest }: Groups) => (digest ?? 'sha1').toLowerCase() as Pbkdf2Digest;

/** @param source with the groups `salt` and `hash`, and usually `iterations` and `digest` */
export function spelling(source: RegExp, options: PatternOptions): Pbkdf2Spelling {
  const pattern = new HashPattern(source, {
    parts: { salt: options.salt, hash: options.hash },
    looksLike: options.looksLike,
  });
  const { digest: digestOf, saltText } = options;
  const otherRepairs = dialectRepairs({
    pattern: new RegExp(`^(?:${source.source})$`),
    hexHash: options.hash === HEX,
    versions: options.versions ?? [],
  });

  function saltOf(groups: Groups): HashPart {
    const salt = pattern.part(groups, 'salt');
    return saltText === undefined ? salt : encodedPart('salt', saltText(groups), options.salt);
  }
  function read(encoded: string): Pbkdf2Text {
    const groups = pattern.read(encoded);
    const digest = typeof digestOf === 'string' ? digestOf : digestOf(groups);
    const hash = pattern.part(groups, 'hash');
    const bytes = options.hashBytes?.(digest, groups);
    if (bytes !== undefined) checkLength('hash', hash, { min: bytes, max: bytes });
    const iterations = options.iterations?.(groups) ?? groups.iterations ?? '';
    return { digest, iterations, salt: saltOf(groups), hash };
  }
  return {
    reader: () => read,
    decoy: (encoded) => pattern.zeroed(encoded),
    repairs: (encoded) => [...base64Repairs(encoded, pattern), ...otherRepairs(encoded)],
  };
}

/** Content of a packed hash. `salt` and `hash` share memory with the packed bytes. */
export interface Unpacked {
  digest: Pbkdf2Digest;
  iterations: number | string;
  salt: Buffer;
  hash: Buffer;
  form?: string | undefined;
}

/** PBKDF2 hashes with salt, digest and perhaps numbers in one value of padded base64, the group `packed`. */
export function packedSpelling(
  source: RegExp,
  /** `unpack` throws HashRefused if the bytes are malformed. */
  { looksLike, unpack }: { looksLike: string; unpack(bytes: Buffer, groups: Groups): Unpacked },
): Pbkdf2Spelling {
  const pattern = new HashPattern(source, { parts: { packed: PADDED_BASE64 }, looksLike });
  function open(encoded: string): { bytes: Buffer; unpacked: Unpacked } {
    const groups = pattern.read(encoded);
    const bytes = bytesOf(pattern.part(groups, 'packed'));
    return { bytes, unpacked: unpack(bytes, groups) };
  }
  function read(encoded: string): Pbkdf2Text {
    const { digest, iterations, salt, hash, form } = open(encoded).unpacked;
    return { digest, iterations: String(iterations), salt: partOf(salt), hash: partOf(hash), form };
  }
  return {
    reader: () => read,
    decoy(encoded) {
      const { bytes, unpacked } = open(encoded);
      unpacked.salt.fill(0);
      unpacked.hash.fill(0);
      return pattern.rewritten(encoded, () => bytes.toString('base64'));
    },
    repairs: (encoded) => base64Repairs(encoded, pattern),
  };
}
