import type { SourcePassword } from '../source-user.ts';
import { textOf } from './values.ts';

const BCRYPT = /^\$2[abxy]?\$/;

/** A hash of a system that stores plain bcrypt. The service identifies a hash without its prefix. */
export function selfDescribingHash(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  return BCRYPT.test(encoded) ? { encoded, algorithm: 'bcrypt' } : { encoded };
}
