import type { SourcePassword } from '../source-user.ts';
import { textOf } from './values.ts';

const BCRYPT = /^\$2[abxy]?\$/;

/** Hash of a system that stores plain bcrypt. Without a prefix of bcrypt, the service identifies it. */
export function selfDescribingHash(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  return BCRYPT.test(encoded) ? { encoded, algorithm: 'bcrypt' } : { encoded };
}
