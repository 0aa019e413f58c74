import type { ParsedHash } from '../verifier.ts';

export interface TimedVerification {
  matches: boolean;
  ms: number;
}

export async function timedVerify(hash: ParsedHash, password: Uint8Array): Promise<TimedVerification> {
  const startMs = performance.now();
  const matches = await hash.verify(password);
  return { matches, ms: Math.round((performance.now() - startMs) * 10) / 10 };
}
