import {
  createMD5,
  createSHA1,
  createSHA224,
  createSHA256,
  createSHA384,
  createSHA512,
  type IHasher,
} from 'hash-wasm';

/** Makers of digests. A round takes a fixed time on the reference machine, and a time for each byte of input. */
const DIGESTS = {
  md5: { make: createMD5, roundMicros: 0.4, byteMicros: 0.0017 },
  sha1: { make: createSHA1, roundMicros: 0.6, byteMicros: 0.0015 },
  sha224: { make: createSHA224, roundMicros: 0.6, byteMicros: 0.0036 },
  sha256: { make: createSHA256, roundMicros: 0.6, byteMicros: 0.0036 },
  sha384: { make: createSHA384, roundMicros: 0.8, byteMicros: 0.0026 },
  sha512: { make: createSHA512, roundMicros: 0.8, byteMicros: 0.0026 },
} as const;

export type RoundDigest = keyof typeof DIGESTS;

/**
 * Maximum number of rounds on the event loop. They take less than a millisecond, so a message to another process is not
 * worth it.
 */
export const MAX_EVENT_LOOP_ROUNDS = 100;

type RoundHasher = (...parts: readonly Uint8Array[]) => Uint8Array;

const made = new Map<RoundDigest, Promise<RoundHasher>>();
const MAX_CALL_BYTES = 16 * 1024;

/**
 * Digest function for loops of many rounds. It is WebAssembly, because a call into OpenSSL takes longer than
 * the round itself: WebAssembly needs 0.3 to 0.6 of the time. It is synchronous, so use it only on threads
 * that serve no requests, or for few rounds.
 */
export function roundHasher(digest: RoundDigest): Promise<RoundHasher> {
  const making = made.get(digest) ?? DIGESTS[digest].make().then(hasherOf);
  made.set(digest, making);
  return making;
}

function hasherOf(library: IHasher): RoundHasher {
  const joined = new Uint8Array(MAX_CALL_BYTES);
  return (...parts) => {
    let length = 0;
    for (const part of parts) {
      if (length + part.length <= MAX_CALL_BYTES) joined.set(part, length);
      length += part.length;
    }
    library.init();
    // Copying all inputs of a round into one array halves the time of a round.
    library.update(length <= MAX_CALL_BYTES ? joined.subarray(0, length) : Buffer.concat(parts));
    return library.digest('binary');
  };
}

export function roundMs(digest: RoundDigest, bytes: number): number {
  const { roundMicros, byteMicros } = DIGESTS[digest];
  return (roundMicros + bytes * byteMicros) / 1000;
}
