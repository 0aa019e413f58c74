import type { SourcePassword } from '../source-user.ts';
import { textOf } from './values.ts';

const BCRYPT = /^\$2[abxy]?\$/;

/**
 * Returns the hash of a system that stores plain bcrypt, unchanged. Names the algorithm if the hash has a
 * prefix of bcrypt; otherwise, the service identifies it. Returns undefined if there is no hash.
 */
export function selfDescribingHash(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  return BCRYPT.test(encoded) ? { encoded, algorithm: 'bcrypt' } : { encoded };
}
