import { randomBytes } from 'node:crypto';
import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import type { HashRegistry } from './registry.ts';
import type { PasswordHash } from './verifier.ts';

/** How passwords set through this service are hashed. */
export interface NewHashSettings {
  algorithm: 'ARGON2' | 'BCRYPT';
  argon2: { memoryKb: number; iterations: number; parallelism: number };
  bcryptCost: number;
}

export interface NewHashMaker {
  /** A hash with these settings over fixed bytes: what one costs, and what a decoy looks like. */
  readonly example: PasswordHash;
  /** Hashes with a fresh random salt. bcrypt reads the first 72 bytes of `password` only. */
  make(password: Uint8Array): Promise<PasswordHash>;
}

/** The maker for the configured algorithm. What it makes has passed the same `accept` as an imported hash. */
export function newHashMaker(settings: NewHashSettings, registry: HashRegistry): NewHashMaker {
  const algorithm = settings.algorithm === 'ARGON2' ? 'argon2' : 'bcrypt';
  const verifier = registry.find(algorithm);
  if (verifier === undefined) throw new Error(`no verifier for ${algorithm}`);
  const accepted = (encoded: string): PasswordHash => ({ encoded: verifier.accept(encoded), algorithm });

  if (algorithm === 'bcrypt') {
    const cost = settings.bcryptCost.toString().padStart(2, '0');
    return {
      example: accepted(`$2b$${cost}$${'.'.repeat(53)}`),
      make: async (password) => accepted(await bcrypt.hash(Buffer.from(password), settings.bcryptCost)),
    };
  }
  const { memoryKb, iterations, parallelism } = settings.argon2;
  // Assembled here because npm argon2 writes m,p,t; other tools (the reference decoder, PHP) read only m,t,p.
  const prefix = `$argon2id$v=19$m=${memoryKb},t=${iterations},p=${parallelism}$`;
  return {
    example: accepted(`${prefix}${'A'.repeat(22)}$${'A'.repeat(43)}`),
    async make(password) {
      const salt = randomBytes(16);
      const digest = await argon2.hash(Buffer.from(password), {
        raw: true,
        type: argon2.argon2id,
        memoryCost: memoryKb,
        timeCost: iterations,
        parallelism,
        hashLength: 32,
        salt,
      });
      return accepted(`${prefix}${unpadded(salt)}$${unpadded(digest)}`);
    },
  };
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
