import { buildRegistry } from '../../src/hashing/registry.ts';
import type { PasswordHash } from '../../src/hashing/verifier.ts';
import { CHEAP_LIMITS } from '../hashing/vectors.ts';

const bcrypt = buildRegistry(CHEAP_LIMITS, undefined).find('bcrypt');

/** An accepted hash that is told from others by `label` (letters and digits); no password matches it. */
export function labelledHash(label: string): PasswordHash {
  if (bcrypt === undefined) throw new Error('bcrypt is not registered');
  return { encoded: bcrypt.accept(`$2b$04$${label.padEnd(53, '.')}`), algorithm: 'bcrypt' };
}
