import {
  createMD5,
  createSHA1,
  createSHA224,
  createSHA256,
  createSHA384,
  createSHA512,
  type IHasher,
} from 'hash-wasm';

const MAKERS = {
  md5: createMD5,
  sha1: createSHA1,
  sha224: createSHA224,
  sha256: createSHA256,
  sha384: createSHA384,
  sha512: createSHA512,
} as const;

export type RoundDigest = keyof typeof MAKERS;

/** Digests the parts, one behind the other. */
export type RoundHasher = (...parts: readonly Uint8Array[]) => Uint8Array;

const made = new Map<RoundDigest, Promise<IHasher>>();

/**
 * Returns a digest function for loops of many rounds. It is WebAssembly: a call from JavaScript into OpenSSL costs more than the round
 * itself, so this takes 0.4 to 0.7 of the time. The function is synchronous, and is for threads that serve no calls.
 */
export async function roundHasher(digest: RoundDigest): Promise<RoundHasher> {
  const making = made.get(digest) ?? MAKERS[digest]();
  made.set(digest, making);
  const hasher = await making;
  return (...parts) => {
    hasher.init();
    for (const part of parts) hasher.update(part);
    return hasher.digest('binary');
  };
}
