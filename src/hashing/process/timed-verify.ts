import type { HashVerifier, StoredHash } from '../verifier.ts';

export interface TimedVerification {
  matches: boolean;
  /** How long it took here. */
  ms: number;
}

/** Verifies, and takes the time. */
export async function timedVerify(
  verifier: HashVerifier,
  stored: StoredHash,
  password: Uint8Array,
): Promise<TimedVerification> {
  const startMs = performance.now();
  const matches = await verifier.verify(stored, password);
  return { matches, ms: Math.round((performance.now() - startMs) * 10) / 10 };
}
