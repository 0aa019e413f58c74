import library from 'bcrypt';
import { defineAlgorithm, type PossibleRepair } from '../algorithm.ts';
import { appendSecret } from '../kdf/append-secret.ts';
import { buggyBcryptKey } from '../kdf/buggy-bcrypt-key.ts';
import type { PasswordReading } from '../kdf/password-reading.ts';
import { type HashCost, HashRefused } from '../verifier.ts';
import type { EnvelopeKey } from './define-envelope.ts';

export const BCRYPT_SHAPE = /^\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/;

/**
 * Excludes `$2x$`, for passwords that are followed by a secret. The bug of `$2x$` lets a byte from 0x80 up
 * erase the three bytes before it: some bytes of the secret would hide others, and the rest could be guessed.
 */
export const BCRYPT_WITH_SECRET_SHAPE = /^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/;

interface BcryptHash {
  variant: string;
  cost: number;
  encoded: string;
}

const LENGTH = 60;
/** bcrypt ignores further bytes. */
const MAX_PASSWORD_BYTES = 72;
/**
 * The library's check of the salt shifts a signed 1 by the cost. With cost 31 the result is negative, and the
 * library fails only after running for days.
 */
const MAX_VERIFIABLE_COST = 30;
/** Blowfish's S-boxes and subkeys (4168 bytes), and copies of the key. */
const MEMORY_BYTES = 8 * 1024;

/** Milliseconds of one of bcrypt's 2^cost rounds. Cost 10 takes 50 ms. */
const ROUND_MS = 50 / 2 ** 10;

const EMPTY = '.'.repeat(53);

/** bcrypt hashes. Passwords are read up to their 72nd byte, including NUL bytes. */
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
      description: 'Maximum cost of an imported bcrypt hash.',
    },
  },
  // Matches any variant letter, so that the error for a wrong one can list the four known ones. `$2$` must be
  // followed by a cost, because hashes of other families begin with it, too.
  shape: /^\$2(?:[a-z]\$|\$[0-9]{2}\$)/,
  parser:
    ({ settings }) =>
    (encoded) =>
      parse(encoded, settings.bcrypt_max_cost),
  cost: ({ cost }) => costOf(cost),
  decoy: ({ cost }) => settingOf(cost, EMPTY),
  password: ({ variant }) => bcryptKey(variant),
  // All variants of bcrypt give the same digest, except `$2x$` with its bug.
  identity: ({ variant, cost, encoded }) => ({
    hasBug: variant === 'x',
    cost,
    salt: withoutSpareBits(encoded.slice(7, 29), 4),
    digest: withoutSpareBits(encoded.slice(29), 2),
  }),
  portable: ({ variant, cost, encoded }) => ({ kind: 'bcrypt', variant, cost, encoded }),
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
 * bcrypt repeats the password and its final NUL, so `a` and `a␀a` give the same key. The bug of `$2x$` erases
 * bytes before a byte from 0x80 up.
 */
const bcryptKey = (variant: string): PasswordReading => ({
  of: (password) => password,
  isOnly: (password) =>
    password.length < MAX_PASSWORD_BYTES &&
    !password.includes(0) &&
    !(variant === 'x' && password.some((byte) => byte >= 0x80)),
});

/** Minimum number of unknown bytes of a secret that nobody can guess by trying. */
const MIN_SECRET_BYTES = 16;

/**
 * Key of a password that is followed by a secret (pepper). Two passwords give the same key only if the longer
 * one ends with the beginning of the secret. Such a password can be guessed only if the secret repeats
 * itself, or if bcrypt reads hardly any of it.
 */
export const PEPPERED: EnvelopeKey = {
  of: (password, secret) => appendSecret(password, secret, MAX_PASSWORD_BYTES),
  isOnly(password, { isOnlyInner, secret }) {
    if (!isOnlyInner(password)) return false;
    const room = MAX_PASSWORD_BYTES - password.length;
    return secret.length < room || periodOf(secret.subarray(0, room)) >= MIN_SECRET_BYTES;
  },
};

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

/** Digits of bcrypt's base64, which has the bit order of standard base64 and no padding. */
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** passlib before 1.5.3 set unused bits in salts. The library writes unused bits as zero. */
function withoutSpareBits(text: string, bits: number): string {
  const last = ALPHABET.indexOf(text.slice(-1));
  return text.slice(0, -1) + ALPHABET.charAt((last >> bits) << bits);
}

/**
 * Computes every variant as `$2b$`: npm's bcrypt returns false for `$2y$` and `$2x$`, and for `$2a$` it keeps
 * the length in 8 bits, which overflow at 255 bytes, so that other passwords match. Its `compare` is not used
 * because it returns false for every failure.
 */
async function compute({ variant, cost, encoded }: BcryptHash, password: Buffer): Promise<Buffer> {
  const key = variant === 'x' ? buggyBcryptKey(password) : password;
  const setting = settingOf(cost, withoutSpareBits(encoded.slice(7, 29), 4));
  const computed = await library.hash(key, setting);
  if (computed.length !== LENGTH || !computed.startsWith(setting)) {
    throw new Error('bcrypt returned something other than a hash with the given salt');
  }
  return digestText(computed.slice(setting.length));
}

/** Hashes the password with the variant, cost and salt of another bcrypt hash, as crypt(3) does. */
export async function bcryptLike(encoded: string, password: Buffer): Promise<string> {
  const hash = { variant: encoded.charAt(2), cost: Number(encoded.slice(4, 6)), encoded };
  const salt = withoutSpareBits(encoded.slice(7, 29), 4);
  return encoded.slice(0, 7) + salt + (await compute(hash, password)).toString('latin1');
}

const digestText = (text: string) => Buffer.from(text, 'latin1');

function settingOf(cost: number, salt: string): string {
  return `$2b$${String(cost).padStart(2, '0')}$${salt}`;
}

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

export function ownBase64(bytes: Buffer): string {
  const digits = Buffer.from(bytes.toString('base64').replaceAll('=', ''), 'latin1');
  for (let index = 0; index < digits.length; index += 1) digits[index] = OWN_DIGITS[digits[index] ?? 0] ?? 0;
  return digits.toString('latin1');
}

const OWN_DIGITS = Uint8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.charCodeAt(Math.max(0, STANDARD_ALPHABET.indexOf(String.fromCharCode(code)))),
);
