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

/** Few rounds take less than a millisecond, for which a message to a thread is not worth it. */
export const MAX_EVENT_LOOP_ROUNDS = 100;

export type RoundHasher = (...parts: readonly Uint8Array[]) => Uint8Array;

const made = new Map<RoundDigest, Promise<RoundHasher>>();
const MAX_CALL_BYTES = 16 * 1024;

/**
 * Digest function for loops of many rounds. It is WebAssembly, because a call into OpenSSL takes longer than
 * the round itself: WebAssembly needs 0.3 to 0.6 of the time. It is synchronous, so use it only on threads
 * that serve no requests, or for few rounds.
 */
export function roundHasher(digest: RoundDigest): Promise<RoundHasher> {
  const making = made.get(digest) ?? MAKERS[digest]().then(hasherOf);
  made.set(digest, making);
  return making;
}

function hasherOf(library: IHasher): RoundHasher {
  const joined = new Uint8Array(MAX_CALL_BYTES);
  // Copying all inputs of a round into one array halves the time of a round.
  const join = (parts: readonly Uint8Array[]): readonly Uint8Array[] => {
    let length = 0;
    for (const part of parts) {
      if (length + part.length > MAX_CALL_BYTES) return parts;
      joined.set(part, length);
      length += part.length;
    }
    return [joined.subarray(0, length)];
  };
  return (...parts) => {
    library.init();
    for (const part of join(parts)) library.update(part);
    return library.digest('binary');
  };
}

/** Microseconds of one round on the reference machine: a fixed time, and a time for each byte of input. */
const ROUND_MICROSECONDS: Record<RoundDigest, [call: number, byte: number]> = {
  md5: [0.4, 0.0017],
  sha1: [0.6, 0.0015],
  sha224: [0.6, 0.0036],
  sha256: [0.6, 0.0036],
  sha384: [0.8, 0.0026],
  sha512: [0.8, 0.0026],
};

export function roundMs(digest: RoundDigest, bytes: number): number {
  const [call, byte] = ROUND_MICROSECONDS[digest];
  return (call + bytes * byte) / 1000;
}
