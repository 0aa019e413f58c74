import { createHash, hash } from 'node:crypto';
import { cryptRounds } from './crypt-rounds.ts';
import { inOrder } from './md5-crypt.ts';

export type ShaCryptDigest = 'sha256' | 'sha512';

/**
 * Order of digest bytes in a sha-crypt hash: groups of three that are a third of the digest apart. Each group
 * starts one byte later, with the order of its three bytes rotated.
 */
function orderOf(bytes: number): number[] {
  const third = Math.floor(bytes / 3);
  const turn = bytes === 32 ? 2 : 1;
  return Array.from({ length: bytes }, (_, index) => {
    const group = Math.floor(index / 3);
    return group < third ? ((2 - (index % 3) + group * turn) % 3) * third + group : index;
  });
}

export interface ShaCryptInput {
  digest: ShaCryptDigest;
  password: Buffer;
  salt: Buffer;
  rounds: number;
}

/**
 * Ulrich Drepper's SHA crypt (SHA-crypt.txt, 2008). Returns the digest in the order of a hash. One-shot
 * digests of OpenSSL are as fast as WebAssembly for short passwords and twice as fast for long ones.
 */
export function shaCrypt({ digest, password, salt, rounds }: ShaCryptInput): Buffer {
  const digestOf = (input: Uint8Array) => hash(digest, input, 'buffer');
  const alternate = digestOf(Buffer.concat([password, salt, password]));
  const begin = createHash(digest).update(password).update(salt);
  begin.update(Buffer.alloc(password.length, alternate));
  for (let length = password.length; length > 0; length >>= 1) {
    begin.update(length % 2 === 1 ? alternate : password);
  }
  const first = begin.digest();
  // This step takes quadratic time in the length of the password, so the verifiers limit the length.
  const ofPassword = digestOf(Buffer.concat(Array.from(password, () => password)));
  const ofSalt = digestOf(Buffer.concat(Array.from({ length: 16 + (first[0] ?? 0) }, () => salt)));
  const last = cryptRounds({
    rounds,
    first,
    password: Buffer.alloc(password.length, ofPassword),
    salt: Buffer.alloc(salt.length, ofSalt),
    digestOf,
  });
  return inOrder(last, orderOf(last.length));
}
