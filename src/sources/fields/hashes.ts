import type { SourcePassword } from '../source-user.ts';

/** Base64 without padding, as PHC strings have it. */
const phc = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** `$pbkdf2-sha256$i=27500,l=64$<salt>$<hash>` of its pieces. */
export function pbkdf2Hash(pieces: {
  digest: 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
  iterations: number;
  salt: Uint8Array;
  hash: Uint8Array;
}): SourcePassword {
  const { digest, iterations, salt, hash } = pieces;
  return {
    encoded: `$pbkdf2-${digest}$i=${iterations},l=${hash.length}$${phc(salt)}$${phc(hash)}`,
    algorithm: 'pbkdf2',
  };
}

/** `$scrypt$ln=14,r=8,p=1$<salt>$<hash>` of its pieces; a problem where N is no power of two. */
export function scryptHash(pieces: {
  cost: number;
  blockSize: number;
  parallelization: number;
  salt: Uint8Array;
  hash: Uint8Array;
}): SourcePassword {
  const { cost, blockSize, parallelization, salt, hash } = pieces;
  const log = Math.log2(cost);
  if (!Number.isInteger(log) || log < 1) return invalidHash('the cost N of scrypt is no power of two');
  return {
    encoded: `$scrypt$ln=${log},r=${blockSize},p=${parallelization}$${phc(salt)}$${phc(hash)}`,
    algorithm: 'scrypt',
  };
}

/** `$argon2id$v=19$m=4096,t=3,p=1$<salt>$<hash>` of its pieces. */
export function argon2Hash(pieces: {
  variant: 'argon2d' | 'argon2i' | 'argon2id';
  version?: number;
  memoryKiB: number;
  passes: number;
  lanes: number;
  salt: Uint8Array;
  hash: Uint8Array;
}): SourcePassword {
  const { variant, version = 0x13, memoryKiB, passes, lanes, salt, hash } = pieces;
  return {
    encoded: `$${variant}$v=${version}$m=${memoryKiB},t=${passes},p=${lanes}$${phc(salt)}$${phc(hash)}`,
    algorithm: 'argon2',
  };
}

/** `$f_scrypt$<hash>$<salt>$m=14$r=8$s=Bw==` of its pieces, all in standard base64. */
export function firebaseHash(pieces: {
  hash: string;
  salt: string;
  memCost: string;
  rounds: string;
  saltSeparator: string;
}): SourcePassword {
  const { hash, salt, memCost, rounds, saltSeparator } = pieces;
  return {
    encoded: `$f_scrypt$${hash}$${salt}$m=${memCost}$r=${rounds}$s=${saltSeparator}`,
    algorithm: 'external_scrypt',
  };
}

export const invalidHash = (message: string): SourcePassword => ({
  problem: 'PASSWORD_HASH_INVALID',
  message,
});

export const unknownAlgorithm = (message: string): SourcePassword => ({
  problem: 'HASH_ALGORITHM_UNKNOWN',
  message,
});
