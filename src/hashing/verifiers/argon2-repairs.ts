import { hexToBase64, swapNames } from '../diagnose/repair-text.ts';
import type { Repair } from '../verifier.ts';

const SHAPE = /^(\$argon2(?:d|i|id)\$)(v=[0-9]+\$)?([^$]*)\$([^$]*)\$([^$]*)$/;

/** What an argon2 hash may have been before a mistake was made with it. */
export function argon2Repairs(encoded: string): Repair[] {
  const match = SHAPE.exec(encoded);
  if (match === null) return [];
  const [, type = '', version = '', costs = '', salt = '', digest = ''] = match;
  const before = type + version;
  const swapped = swapNames(costs.split(','), 'm', 't').join(',');
  return [
    { mistake: 'URL_SAFE_OR_UNPADDED_BASE64', encoded: `${before}${costs}$${bare(salt)}$${bare(digest)}` },
    {
      mistake: 'HEX_INSTEAD_OF_BASE64',
      encoded: `${before}${costs}$${hexToBase64(salt)}$${hexToBase64(digest)}`,
    },
    { mistake: 'MEM_COST_AND_ROUNDS_SWAPPED', encoded: `${before}${swapped}$${salt}$${digest}` },
    { mistake: 'ARGON2_VERSION_MISSING', encoded: `${type}${version || 'v=19$'}${costs}$${salt}$${digest}` },
  ];
}

/** Any base64 as this format has it: standard alphabet, no padding. */
function bare(text: string): string {
  return text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
}
