import type { ParsedHash } from '../verifier.ts';

export interface TimedVerification {
  matches: boolean;
  /** Milliseconds that the verification took on this machine. */
  ms: number;
}

/** Verifies a password and measures the duration of the verification. */
export async function timedVerify(hash: ParsedHash, password: Uint8Array): Promise<TimedVerification> {
  const startMs = performance.now();
  const matches = await hash.verify(password);
  return { matches, ms: Math.round((performance.now() - startMs) * 10) / 10 };
}
