import { cryptRounds } from './crypt-rounds.ts';
import { roundHasher } from './round-hasher.ts';

const ROUNDS = 1000;

/** Order in which an md5-crypt or sun-md5 hash contains the bytes of its digest. */
export const MD5_CRYPT_ORDER = [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11] as const;

export const inOrder = (digest: Uint8Array, order: readonly number[]) =>
  Buffer.from(order.map((index) => digest[index] ?? 0));

/** Poul-Henning Kamp's MD5 crypt, in MD5_CRYPT_ORDER. `magic`, the prefix of the hash, is digested too. */
export async function md5Crypt(password: Buffer, salt: Buffer, magic: string): Promise<Buffer> {
  const md5 = await roundHasher('md5');
  const alternate = md5(password, salt, password);
  const repeated = Buffer.alloc(password.length, alternate);
  // md5-crypt also digests a byte for each binary digit of the password's length: NUL for 1, the first byte
  // of the password for 0. The lowest digit comes first.
  const ofLength: number[] = [];
  for (let length = password.length; length > 0; length >>= 1) {
    ofLength.push(length % 2 === 1 ? 0 : (password[0] ?? 0));
  }
  const first = md5(password, Buffer.from(magic), salt, repeated, Buffer.from(ofLength));
  const digest = cryptRounds({ rounds: ROUNDS, first, password, salt, digestOf: (input) => md5(input) });
  return inOrder(digest, MD5_CRYPT_ORDER);
}
