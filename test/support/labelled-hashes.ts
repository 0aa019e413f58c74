import type { KeptHash } from '../../src/hashing/verifier.ts';
import { CHEAP_LIMITS, verifierOf } from './vectors.ts';

const bcrypt = verifierOf('bcrypt', CHEAP_LIMITS);

/** Returns a valid hash that contains `label` (letters and digits). No password matches it. */
export function labelledHash(label: string): KeptHash {
  return bcrypt.parse(`$2b$04$${label.padEnd(53, '.')}`);
}
