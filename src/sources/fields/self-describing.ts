import type { SourcePassword } from '../source-user.ts';
import { textOf } from './values.ts';

const BCRYPT = /^\$2[abxy]?\$/;

/**
 * Returns an unchanged hash, for systems that use plain bcrypt. A hash with a prefix of bcrypt is named `bcrypt`; the service
 * identifies any other. Undefined if there is no hash.
 */
export function selfDescribingHash(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  return BCRYPT.test(encoded) ? { encoded, algorithm: 'bcrypt' } : { encoded };
}
