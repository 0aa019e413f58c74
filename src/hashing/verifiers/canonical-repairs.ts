import type { PossibleRepair } from '../algorithm.ts';
import { hexToBase64 } from '../diagnose/repair-text.ts';

const SHAPE = /^(\$[^$]+\$[^$]*\$[^$]*\$)([^$]+)$/;

/**
 * Columns mostly hold hexadecimal digits, and the canonical form has base64. The salt stays: where it is text, its digits are the
 * bytes. Returns nothing for other spellings.
 */
export function canonicalRepairs(encoded: string): PossibleRepair[] {
  const [, before, hash] = SHAPE.exec(encoded) ?? [];
  if (before === undefined || hash === undefined) return [];
  return [{ mistake: 'HEX_INSTEAD_OF_BASE64', encoded: before + hexToBase64(hash) }];
}
