import { timingSafeEqual } from 'node:crypto';
import bcrypt from 'bcrypt';
import { type Algorithm, defineVerifier } from '../define-verifier.ts';
import { BCRYPT_ALPHABET } from '../formats/bcrypt-base64.ts';
import { buggyBcryptKey } from '../kdf/buggy-bcrypt-key.ts';
import { bcryptMs } from '../reference-cost.ts';
import { HashRefused, type HashVerifier } from '../verifier.ts';
import { bcryptRepairs } from './bcrypt-repairs.ts';

interface BcryptHash {
  variant: string;
  cost: number;
  encoded: string;
}

const LENGTH = 60;
/** npm bcrypt's salt check shifts a signed 1 by the cost: 31 becomes negative, and it refuses after running for days. */
const MAX_VERIFIABLE_COST = 30;
/** Blowfish's S-boxes and subkeys, and room for the copies of the key. */
const MEMORY_BYTES = 8 * 1024;

/**
 * `$2a$`, `$2b$`, `$2x$` and `$2y$`. Passwords are read to their 72nd byte, NUL bytes included.
 * @param bounds `maxCost`: bcrypt_max_cost, log2 of the rounds; `maxMs`: hashing_max_ms
 */
export function bcryptVerifier(bounds: { maxCost: number; maxMs: number }): HashVerifier {
  const definition: Algorithm<BcryptHash> = {
    algorithm: 'bcrypt',
    displayName: 'BCrypt',
    // With any letter, so that a refusal can name the four; `$2$` alone also begins hashes that are not bcrypt.
    prefix: /^\$2(?:[a-z]\$|\$[0-9]{2}\$)/,
    parse: (encoded) => parse(encoded, bounds.maxCost),
    cost: ({ cost }) => ({ memoryBytes: MEMORY_BYTES, ms: bcryptMs(cost) }),
    decoy: ({ cost }) => `${settingOf(cost, '.'.repeat(22))}${'.'.repeat(31)}`,
    describe: ({ variant, cost }) => ({ variant: `2${variant}`, cost }),
    repairs: bcryptRepairs,
    matches,
  };
  return defineVerifier(definition, bounds.maxMs);
}

const WELL_FORMED = /^\$2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/;

function parse(encoded: string, maxCost: number): BcryptHash {
  if (!WELL_FORMED.test(encoded)) refuse(encoded);
  const cost = Number(encoded.slice(4, 6));
  checkCost(cost, maxCost);
  return { variant: encoded.charAt(2), cost, encoded };
}

/** @throws {HashRefused} with what is malformed */
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

/** Old passlib (before 1.5.3) set the unused bits of the last character; the library writes them as zero. */
function withoutSpareBits(text: string, bits: number): string {
  const last = BCRYPT_ALPHABET.indexOf(text.slice(-1));
  return text.slice(0, -1) + BCRYPT_ALPHABET.charAt((last >> bits) << bits);
}

/**
 * Everything is computed as `$2b$`. npm bcrypt answers false for `$2y$` and `$2x$`, and for `$2a$` it keeps an 8-bit
 * length that wraps at 255 bytes, so that other passwords match. Its `compare` never fails, whatever is wrong.
 */
async function matches(hash: BcryptHash, password: Buffer): Promise<boolean> {
  const key = hash.variant === 'x' ? buggyBcryptKey(password) : password;
  const setting = settingOf(hash.cost, withoutSpareBits(hash.encoded.slice(7, 29), 4));
  const computed = await bcrypt.hash(key, setting);
  if (computed.length !== LENGTH || !computed.startsWith(setting)) {
    throw new Error('bcrypt answered with something that is no hash for the salt it was given');
  }
  return timingSafeEqual(
    Buffer.from(computed.slice(setting.length)),
    Buffer.from(withoutSpareBits(hash.encoded.slice(29), 2)),
  );
}

function settingOf(cost: number, salt: string): string {
  return `$2b$${String(cost).padStart(2, '0')}$${salt}`;
}
