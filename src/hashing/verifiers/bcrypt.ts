import library from 'bcrypt';
import { defineAlgorithm, type PossibleRepair } from '../algorithm.ts';
import { appendSecret } from '../kdf/append-secret.ts';
import { buggyBcryptKey } from '../kdf/buggy-bcrypt-key.ts';
import type { PasswordReading } from '../kdf/password-reading.ts';
import { type HashCost, HashRefused } from '../verifier.ts';
import type { EnvelopeKey } from './define-envelope.ts';

/** Whole: variant, cost, and 53 characters of salt and digest. */
export const BCRYPT_SHAPE = /^\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/;

/**
 * As `BCRYPT_SHAPE`, without `$2x$`. Its bug lets a byte from 0x80 up wipe out the three before it: with a secret behind the
 * password, some bytes of the secret would hide others from the digest, and the rest could be guessed.
 */
export const BCRYPT_WITH_SECRET_SHAPE = /^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/;

interface BcryptHash {
  variant: string;
  cost: number;
  encoded: string;
}

const LENGTH = 60;
/** So many are read; what follows is ignored. */
const MAX_PASSWORD_BYTES = 72;
/** npm bcrypt's salt check shifts a signed 1 by the cost. With 31 that is negative, and it refuses after running for days. */
const MAX_VERIFIABLE_COST = 30;
/** Room for Blowfish's S-boxes and subkeys (4168 bytes), and for the copies of the key. */
const MEMORY_BYTES = 8 * 1024;

/** Cost 10 takes 50 ms, and each step doubles that. */
const ROUND_MS = 50 / 2 ** 10;

/** Salt and digest of decoys and examples. */
const EMPTY = '.'.repeat(53);

/** `$2a$`, `$2b$`, `$2x$` and `$2y$`. Passwords are read to their 72nd byte, NUL bytes included. */
export const bcrypt = defineAlgorithm({
  name: 'bcrypt',
  aliases: ['parse-server', 'ghost', 'strapi', 'supabase', 'pocketbase', 'laravel', 'codeigniter', 'ips4'],
  displayName: 'BCrypt',
  looksLike: '`$2<a|b|x|y>$<cost>$<salt><digest>`, 60 characters, cost of two digits from 04',
  strength: 'strong',
  reference: {
    formula: '50 ms × 2^(cost − 10)',
    examples: 'cost 12: 200 ms; 15: 1600 ms',
    measured: 'cost 10: 66 ms, 12: 266 ms, 13: 531 ms',
  },
  limits: {
    bcrypt_max_cost: {
      min: 4,
      max: 30,
      default: 15,
      description: 'Highest cost of an imported bcrypt hash.',
    },
  },
  // Any letter is recognised, so that a refusal can name the four. `$2$` alone also begins hashes that are not bcrypt.
  shape: /^\$2(?:[a-z]\$|\$[0-9]{2}\$)/,
  parser:
    ({ settings }) =>
    (encoded) =>
      parse(encoded, settings.bcrypt_max_cost),
  cost: ({ cost }) => costOf(cost),
  decoy: ({ cost }) => settingOf(cost, EMPTY),
  password: ({ variant }) => bcryptKey(variant),
  // All variants are computed alike, but for the one with the bug.
  identity: ({ variant, cost, encoded }) => ({
    hasBug: variant === 'x',
    cost,
    salt: withoutSpareBits(encoded.slice(7, 29), 4),
    digest: withoutSpareBits(encoded.slice(29), 2),
  }),
  describe: ({ variant, cost }) => ({ variant: `2${variant}`, cost }),
  repairs,
  compute: { digest: ({ encoded }) => digestText(withoutSpareBits(encoded.slice(29), 2)), of: compute },
  own: {
    settings: {
      bcrypt_log_rounds: {
        min: 4,
        max: 30,
        default: 11,
        description: 'bcrypt cost of passwords set here.',
        atMost: 'bcrypt_max_cost',
      },
    },
    mainSetting: 'bcrypt_log_rounds',
    cost: (settings) => costOf(settings.bcrypt_log_rounds),
    maker: ({ bcrypt_log_rounds: cost }) => ({
      example: settingOf(cost, EMPTY),
      make: (password) => library.hash(password, cost),
    }),
  },
});

/**
 * `a` and `a␀a` are one key, as the schedule repeats a password and the NUL at its end. The bug of `$2x$` erases bytes before one from
 * 0x80 up.
 */
const bcryptKey = (variant: string): PasswordReading => ({
  of: (password) => password,
  isOnly: (password) =>
    password.length < MAX_PASSWORD_BYTES &&
    !password.includes(0) &&
    !(variant === 'x' && password.some((byte) => byte >= 0x80)),
});

/** Fewer unknown bytes could be guessed. */
const MIN_SECRET_BYTES = 16;

/**
 * The password with a secret behind it (appendSecret). Other passwords that bcrypt reads alike end with the beginning of the secret, or leave it out:
 * only a secret that repeats itself, or of which hardly anything is read, lets such a password be guessed.
 */
export const PEPPERED: EnvelopeKey = {
  of: (password, secret) => appendSecret(password, secret, MAX_PASSWORD_BYTES),
  isOnly(password, { isOnlyInner, secret }) {
    if (!isOnlyInner(password)) return false;
    const room = MAX_PASSWORD_BYTES - password.length;
    return secret.length < room || periodOf(secret.subarray(0, room)) >= MIN_SECRET_BYTES;
  },
};

/** After so many bytes the bytes are those from the start on. */
function periodOf(bytes: Buffer): number {
  let period = 1;
  while (!bytes.subarray(period).equals(bytes.subarray(0, Math.max(0, bytes.length - period)))) period += 1;
  return Math.min(period, bytes.length);
}

function costOf(cost: number): HashCost {
  return { memoryBytes: MEMORY_BYTES, ms: 2 ** cost * ROUND_MS };
}

function parse(encoded: string, maxCost: number): BcryptHash {
  if (!BCRYPT_SHAPE.test(encoded)) refuse(encoded);
  const cost = Number(encoded.slice(4, 6));
  checkCost(cost, maxCost);
  return { variant: encoded.charAt(2), cost, encoded };
}

/** @throws {HashRefused} saying what is malformed */
function refuse(encoded: string): never {
  if (!/^\$2[abxy]\$/.test(encoded)) {
    throw new HashRefused('format', 'does not begin with $2a$, $2b$, $2x$ or $2y$');
  }
  if (encoded.length !== LENGTH) {
    throw new HashRefused('format', `expected ${LENGTH} characters, got ${encoded.length}`);
  }
  if (!/^[0-9]{2}\$/.test(encoded.slice(4))) {
    throw new HashRefused('format', 'cost is not two digits followed by $');
  }
  const stray = encoded.slice(7).search(/[^./A-Za-z0-9]/);
  throw new HashRefused('format', `character ${8 + stray} is not of the bcrypt alphabet ./A-Za-z0-9`);
}

function checkCost(cost: number, maxCost: number): void {
  if (cost < 4) throw new HashRefused('format', 'cost must be at least 04');
  if (cost > maxCost) {
    throw new HashRefused('cost', `cost ${cost} is above the limit of ${maxCost} (bcrypt_max_cost)`);
  }
  if (cost > MAX_VERIFIABLE_COST) {
    throw new HashRefused(
      'cost',
      `cost ${cost} is above ${MAX_VERIFIABLE_COST}, the highest that can be verified`,
    );
  }
}

/** The digits of bcrypt's own base64. It has the bits of the standard one, and no padding. */
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Old passlib (before 1.5.3) set the unused bits of the last character; the library writes them as zero. */
function withoutSpareBits(text: string, bits: number): string {
  const last = ALPHABET.indexOf(text.slice(-1));
  return text.slice(0, -1) + ALPHABET.charAt((last >> bits) << bits);
}

/**
 * Everything is computed as `$2b$`. npm bcrypt answers false for `$2y$` and `$2x$`, and for `$2a$` it keeps an 8-bit
 * length that wraps at 255 bytes, so that other passwords match. Its `compare` answers false whatever is wrong, and is not used.
 */
async function compute({ variant, cost, encoded }: BcryptHash, password: Buffer): Promise<Buffer> {
  const key = variant === 'x' ? buggyBcryptKey(password) : password;
  const setting = settingOf(cost, withoutSpareBits(encoded.slice(7, 29), 4));
  const computed = await library.hash(key, setting);
  if (computed.length !== LENGTH || !computed.startsWith(setting)) {
    throw new Error('bcrypt answered with something that is no hash for the salt it was given');
  }
  return digestText(computed.slice(setting.length));
}

/** Returns what crypt(3) would: the hash of this password with variant, cost and salt of another hash. */
export async function bcryptLike(encoded: string, password: Buffer): Promise<string> {
  const hash = { variant: encoded.charAt(2), cost: Number(encoded.slice(4, 6)), encoded };
  const salt = withoutSpareBits(encoded.slice(7, 29), 4);
  return encoded.slice(0, 7) + salt + (await compute(hash, password)).toString('latin1');
}

/** The digest is compared as text, as the library writes it. */
const digestText = (text: string) => Buffer.from(text, 'latin1');

function settingOf(cost: number, salt: string): string {
  return `$2b$${String(cost).padStart(2, '0')}$${salt}`;
}

/** Salt and digest as other programs write bytes, perhaps with a `$` between them. */
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

function repairs(encoded: string): PossibleRepair[] {
  const rewritten = FOREIGN.flatMap(({ mistake, shape, encoding }): PossibleRepair[] => {
    const [, setting, ...parts] = shape.exec(encoded) ?? [];
    if (setting === undefined) return [];
    const own = parts.map((part) => ownBase64(Buffer.from(part, encoding)));
    return [{ mistake, encoded: setting + own.join('') }];
  });
  const variant = encoded.startsWith('$2x$') ? 'y' : 'x';
  const relabelled = encoded.replace(/^\$2[abxy]/, () => `$2${variant}`);
  return [...rewritten, { mistake: 'BCRYPT_2X_MISLABELLED', encoded: relabelled }];
}

/** Writes bytes in bcrypt's own base64. */
export function ownBase64(bytes: Buffer): string {
  const digits = Buffer.from(bytes.toString('base64').replaceAll('=', ''), 'latin1');
  for (let index = 0; index < digits.length; index += 1) digits[index] = OWN_DIGITS[digits[index] ?? 0] ?? 0;
  return digits.toString('latin1');
}

/** The character codes of bcrypt's digits, by those of the standard ones. */
const OWN_DIGITS = Uint8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.charCodeAt(Math.max(0, STANDARD_ALPHABET.indexOf(String.fromCharCode(code)))),
);
