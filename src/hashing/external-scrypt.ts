import { type BinaryLike, createCipheriv, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeBase64 } from './base64.ts';
import { checkMemory, parseCost } from './cost-bounds.ts';
import { defineVerifier } from './define-verifier.ts';
import { externalScryptRepairs } from './external-scrypt-repairs.ts';
import { namedFields, requiredField } from './named-fields.ts';
import { HashRefused, type HashVerifier } from './verifier.ts';

export interface ExternalScryptOptions {
  /** external_password_hashing_signer_key, decoded. Without it nothing is accepted. */
  signerKey: Uint8Array | undefined;
  /** external_scrypt_max_mem_cost, log2 of scrypt's N. */
  maxMemCost: number;
  /** external_scrypt_max_rounds, scrypt's r. */
  maxRounds: number;
  /** hashing_memory_mb, in bytes. */
  memoryBudgetBytes: number;
}

interface ExternalScryptHash {
  digest: Buffer;
  salt: Buffer;
  separator: Buffer;
  memCost: number;
  rounds: number;
  signerKey: Uint8Array;
}

const scryptAsync = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

/** `$f_scrypt$<hash>$<salt>$m=<mem_cost>$r=<rounds>$s=<salt separator>`: scrypt gives the key that encrypts the signer key. */
export function externalScryptVerifier(options: ExternalScryptOptions): HashVerifier {
  return defineVerifier<ExternalScryptHash>({
    algorithm: 'external_scrypt',
    displayName: 'External SCrypt',
    prefix: /^\$f_scrypt\$/,
    parse: (encoded) => parse(encoded, options),
    memoryBytes,
    decoy,
    describe: ({ memCost, rounds, salt, separator, digest }) => ({
      memCost,
      rounds,
      saltBytes: salt.length,
      saltSeparatorBytes: separator.length,
      digestBytes: digest.length,
    }),
    repairs: (encoded) =>
      externalScryptRepairs(encoded, options.signerKey, (signerKey) =>
        externalScryptVerifier({ ...options, signerKey }),
      ),
    matches,
  });
}

function parse(encoded: string, options: ExternalScryptOptions): ExternalScryptHash {
  if (!encoded.startsWith('$f_scrypt$')) throw new HashRefused('format', 'does not begin with $f_scrypt$');
  const [digestText = '', saltText = '', ...parameters] = encoded.split('$').slice(2);
  if (parameters.length !== 3) {
    throw new HashRefused(
      'format',
      `expected 5 sections (hash, salt, m=, r=, s=) after $f_scrypt, got ${encoded.split('$').length - 2}`,
    );
  }
  const fields = namedFields(parameters, ['m', 'r', 's']);
  const digest = decodeFilled('hash', digestText);
  const salt = decodeFilled('salt', saltText);
  const separator = decodeBase64('salt separator', requiredField(fields, 's'), 'lenient');
  const costs = parseCosts(requiredField(fields, 'm'), requiredField(fields, 'r'), options);
  return { digest, salt, separator, ...costs, signerKey: signerKeyFor(digest, options.signerKey) };
}

function parseCosts(memCostText: string, roundsText: string, options: ExternalScryptOptions) {
  const memCost = parseCost(memCostText, {
    name: 'm',
    min: 1,
    max: options.maxMemCost,
    setting: 'external_scrypt_max_mem_cost',
  });
  const rounds = parseCost(roundsText, {
    name: 'r',
    min: 1,
    max: options.maxRounds,
    setting: 'external_scrypt_max_rounds',
  });
  // RFC 7914, section 2: N must be less than 2^(128 * r / 8). OpenSSL refuses more as "memory limit exceeded".
  if (memCost >= 16 * rounds) throw new HashRefused('format', 'm must be less than 16 times r');
  checkMemory(memoryBytes({ memCost, rounds }), options.memoryBudgetBytes);
  return { memCost, rounds };
}

function decodeFilled(name: string, text: string): Buffer {
  const bytes = decodeBase64(name, text, 'lenient');
  if (bytes.length === 0) throw new HashRefused('format', `${name} is empty`);
  return bytes;
}

function signerKeyFor(digest: Buffer, signerKey: Uint8Array | undefined): Uint8Array {
  if (signerKey === undefined) {
    throw new HashRefused('signer-key-missing', 'external_password_hashing_signer_key is not configured');
  }
  if (digest.length !== signerKey.length) {
    const sizes = `digest is ${digest.length} bytes but the signer key is ${signerKey.length} bytes`;
    throw new HashRefused('format', `${sizes}: wrong key?`);
  }
  return signerKey;
}

/** What OpenSSL counts: N + 2 blocks of 128 * r bytes to work in, one more for the input. Node's default limit is 32 MiB. */
function memoryBytes({ memCost, rounds }: Pick<ExternalScryptHash, 'memCost' | 'rounds'>): number {
  return 128 * rounds * (2 ** memCost + 3);
}

function decoy({ digest, salt, separator, memCost, rounds }: ExternalScryptHash): string {
  const zeros = ({ length }: Buffer) => Buffer.alloc(length).toString('base64');
  return `$f_scrypt$${zeros(digest)}$${zeros(salt)}$m=${memCost}$r=${rounds}$s=${zeros(separator)}`;
}

async function matches(hash: ExternalScryptHash, password: Buffer): Promise<boolean> {
  const derived = await scryptAsync(password, Buffer.concat([hash.salt, hash.separator]), 64, {
    N: 2 ** hash.memCost,
    r: hash.rounds,
    p: 1,
    maxmem: memoryBytes(hash),
  });
  const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16));
  return timingSafeEqual(cipher.update(hash.signerKey), hash.digest);
}
