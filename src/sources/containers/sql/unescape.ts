import { CODE, type Escapes, KEPT } from './escapes.ts';

const BACKSLASH = 0x5c;

/** Returns the bytes of an escaped SQL text. The result is never longer than the input. */
export function unescapeBytes(bytes: Buffer, start: number, end: number, escapes: Escapes): Buffer {
  const out = Buffer.allocUnsafe(end - start);
  const { doubled, signs } = escapes;
  let length = 0;
  let pos = start;
  while (pos < end) {
    const byte = bytes[pos++] ?? 0;
    if (byte !== BACKSLASH || signs === undefined || pos === end) {
      out[length++] = byte;
      if (byte === doubled) pos++;
      continue;
    }
    const sign = bytes[pos] ?? 0;
    const meant = signs[sign] ?? sign;
    const code = meant === CODE ? codeAt(bytes, pos, end, escapes) : undefined;
    if (code !== undefined) {
      length += typeof code.value === 'string' ? out.write(code.value, length) : 1;
      if (typeof code.value === 'number') out[length - 1] = code.value;
      pos = code.end;
    } else {
      if (meant === KEPT) out[length++] = BACKSLASH;
      out[length++] = meant < 0 ? sign : meant;
      pos++;
    }
  }
  return out.subarray(0, length);
}

function codeAt(bytes: Buffer, pos: number, end: number, escapes: Escapes) {
  if (escapes.hasByteCodes) {
    const [digits = ''] =
      /^(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2})|^/.exec(bytes.toString('latin1', pos, Math.min(end, pos + 3))) ?? [];
    const value = digits.startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 8);
    if (digits !== '') return { value: value & 0xff, end: pos + digits.length };
  }
  for (const [sign, digits] of escapes.codePoints) {
    const high = codePointAt(bytes, pos, end, sign, digits);
    if (high === undefined) continue;
    const highEnd = pos + sign.length + digits;
    if (high < 0xd800 || high > 0xdbff) return { value: String.fromCodePoint(high), end: highEnd };
    // First half of a UTF-16 surrogate pair. The second half is escaped in the same way.
    const low = bytes[highEnd] === BACKSLASH ? codePointAt(bytes, highEnd + 1, end, sign, digits) : undefined;
    if (low === undefined) return { value: '\ufffd', end: highEnd };
    return { value: String.fromCodePoint(high, low).toWellFormed(), end: highEnd + 1 + sign.length + digits };
  }
  return undefined;
}

function codePointAt(
  bytes: Buffer,
  pos: number,
  end: number,
  sign: string,
  digits: number,
): number | undefined {
  const from = pos + sign.length;
  if (from + digits > end || bytes.toString('latin1', pos, from) !== sign) return undefined;
  const text = bytes.toString('latin1', from, from + digits);
  const value = /^[0-9A-Fa-f]+$/.test(text) ? Number.parseInt(text, 16) : Number.POSITIVE_INFINITY;
  return value > 0x10ffff ? undefined : value;
}
