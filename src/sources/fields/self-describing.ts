import type { SourcePassword } from '../source-user.ts';
import { textOf } from './values.ts';

const BCRYPT = /^\$2[abxy]?\$/;

/**
 * A hash that is taken as it stands: what begins as bcrypt does is named so, of all others the service looks at the look. For
 * systems that make plain bcrypt. Undefined where there is none.
 */
export function selfDescribingHash(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  return BCRYPT.test(encoded) ? { encoded, algorithm: 'bcrypt' } : { encoded };
}
