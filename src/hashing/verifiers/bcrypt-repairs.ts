import { bcryptBase64 } from '../formats/bcrypt-base64.ts';
import type { Repair } from '../verifier.ts';

/** Salt and digest as others write such bytes, perhaps with a `$` in between. */
const FOREIGN = [
  {
    mistake: 'URL_SAFE_OR_UNPADDED_BASE64',
    shape: /^(\$2[abxy]\$[0-9]{2}\$)([A-Za-z0-9+/_-]{22})(?:==)?\$?([A-Za-z0-9+/_-]{31})=?$/,
    encoding: 'base64',
  },
  {
    mistake: 'HEX_INSTEAD_OF_BASE64',
    shape: /^(\$2[abxy]\$[0-9]{2}\$)([0-9a-f]{32})\$?([0-9a-f]{46})$/i,
    encoding: 'hex',
  },
] as const;

/** What a bcrypt hash may have been before a mistake was made with it. */
export function bcryptRepairs(encoded: string): Repair[] {
  const rewritten = FOREIGN.flatMap(({ mistake, shape, encoding }): Repair[] => {
    const [, setting, ...parts] = shape.exec(encoded) ?? [];
    if (setting === undefined) return [];
    const own = parts.map((part) => bcryptBase64(Buffer.from(part, encoding)));
    return [{ mistake, encoded: setting + own.join('') }];
  });
  const variant = encoded.startsWith('$2x$') ? 'y' : 'x';
  const relabelled = encoded.replace(/^\$2[abxy]/, () => `$2${variant}`);
  return [...rewritten, { mistake: 'BCRYPT_2X_MISLABELLED', encoded: relabelled }];
}
