import type { JsonObject } from '../../lib/json/json-object.ts';
import { objectOf, textOf } from './values.ts';

/** Readers of TOTP devices for import lines (`totpDevices`). They return an empty list if a secret is not readable. */

export interface TotpOptions {
  name?: unknown;
  period?: unknown;
  skew?: unknown;
  digits?: unknown;
  /** Digest of one-time codes, such as `SHA1`, `HmacSHA256` or `sha-512`. */
  algorithm?: unknown;
}

/** Minimum length of a secret in base32. Shorter ones are placeholders. RFC 4226 asks for 16 bytes, many use 10. */
const MIN_SECRET = 8;
const BASE32 = /^[A-Z2-7]+$/;

/** Reads a secret in base32, in upper or lower case, with or without padding and spaces. */
export function totpOfBase32(secret: unknown, options: TotpOptions = {}): JsonObject[] {
  const text = (textOf(secret) ?? '').replace(/[\s-]|=+$/g, '');
  const key = text.toUpperCase();
  // Mixed case is not base32 but base64, as encrypted secrets are.
  if (key.length < MIN_SECRET || !BASE32.test(key) || (text !== key && text !== text.toLowerCase()))
    return [];
  const algorithm = /sha-?(1|256|512)$/i.exec(textOf(options.algorithm) ?? 'sha1')?.[1];
  // A device with an unknown algorithm is left out, because its one-time codes would be wrong.
  if (algorithm === undefined) return [];
  const [period, skew, digits] = [options.period, options.skew, options.digits].map(numberOf);
  return [
    {
      secretKey: key,
      deviceName: textOf(options.name)?.slice(0, 256),
      period,
      skew,
      digits,
      algorithm: `SHA${algorithm}`,
    },
  ];
}

function numberOf(value: unknown): number | undefined {
  const text = textOf(value);
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

export const totpOfBytes = (secret: Buffer | undefined, options?: TotpOptions): JsonObject[] =>
  secret === undefined ? [] : totpOfBase32(toBase32(secret), options);

/** Reads the text of a QR code: `otpauth://totp/…?secret=…`. */
export function totpOfUrl(text: unknown): JsonObject[] {
  const url = urlOf(textOf(text));
  if (url?.protocol !== 'otpauth:' || url.host !== 'totp') return [];
  const of = (name: string) => url.searchParams.get(name) ?? undefined;
  return totpOfBase32(of('secret'), {
    period: of('period'),
    digits: of('digits'),
    algorithm: of('algorithm'),
  });
}

function urlOf(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** Reads the TOTP device in a record of django-otp, GoTrue or django-allauth, which are recognised by their columns. */
export function totpOfRecord(record: JsonObject): JsonObject[] {
  // django-otp writes the key in hexadecimal digits.
  const hex = textOf(record.key);
  if (hex !== undefined && record.step !== undefined && /^([0-9a-f]{2})+$/i.test(hex)) {
    const { name, step, tolerance, digits } = record;
    return totpOfBytes(Buffer.from(hex, 'hex'), { name, period: step, skew: tolerance, digits });
  }
  // In GoTrue, factors of other types have no secret, and an encrypted secret is JSON, which is no base32.
  if (record.factor_type !== undefined)
    return record.factor_type === 'totp' ? totpOfBase32(record.secret, { name: record.friendly_name }) : [];
  // django-allauth has the secret in the JSON of the column `data`.
  if (record.type === 'totp') return totpOfBase32(objectOf(record.data)?.secret);
  return [];
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 of RFC 4648, without padding. */
function toBase32(bytes: Buffer): string {
  let text = '';
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}
