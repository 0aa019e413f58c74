import { type BinaryLike, createCipheriv, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Algorithm, defineVerifier } from '../define-verifier.ts';
import { type Base64Part, bytesOf, checkBase64 } from '../formats/base64-part.ts';
import { checkMemory, parseCost } from '../formats/cost-bounds.ts';
import { namedFields, requiredField } from '../formats/named-fields.ts';
import { rememberLast } from '../formats/remember-last.ts';
import { scryptMs } from '../reference-cost.ts';
import { HashRefused, type HashVerifier } from '../verifier.ts';
import { externalScryptRepairs } from './external-scrypt-repairs.ts';

export interface ExternalScryptOptions {
  /** external_password_hashing_signer_key, decoded. Without it nothing is accepted. */
  signerKey: Uint8Array | undefined;
  /** external_scrypt_max_mem_cost, log2 of scrypt's N. */
  maxMemCost: number;
  /** external_scrypt_max_rounds, scrypt's r. */
  maxRounds: number;
  /** hashing_memory_mb, in bytes. */
  memoryBudgetBytes: number;
  /** hashing_max_ms. */
  maxMs: number;
}

type Fields = ReadonlyMap<'m' | 'r' | 's', string>;

interface Parameters {
  memCost: number;
  rounds: number;
  separator: Base64Part;
}

interface ExternalScryptHash extends Parameters {
  digest: Base64Part;
  salt: Base64Part;
  signerKey: Uint8Array;
}

const scryptAsync = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

/** `$f_scrypt$<hash>$<salt>$m=<mem_cost>$r=<rounds>$s=<salt separator>`: scrypt gives the key that encrypts the signer key. */
export function externalScryptVerifier(options: ExternalScryptOptions): HashVerifier {
  const readFields = rememberLast(parseFields);
  const readParameters = rememberLast((text) => parseParameters(readFields(text), options));
  const definition: Algorithm<ExternalScryptHash> = {
    algorithm: 'external_scrypt',
    displayName: 'External SCrypt',
    prefix: /^\$f_scrypt\$/,
    parse: (encoded) => parse(encoded, { readFields, readParameters, signerKey: options.signerKey }),
    cost: (hash) => ({
      memoryBytes: memoryBytes(hash),
      ms: scryptMs({ N: 2 ** hash.memCost, r: hash.rounds, p: 1 }),
    }),
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
  };
  return defineVerifier(definition, options.maxMs);
}

const PREFIX = '$f_scrypt$';

interface Readers {
  readFields(parameters: string): Fields;
  readParameters(parameters: string): Parameters;
  signerKey: Uint8Array | undefined;
}

function parse(encoded: string, { readFields, readParameters, signerKey }: Readers): ExternalScryptHash {
  if (!encoded.startsWith(PREFIX)) throw new HashRefused('format', 'does not begin with $f_scrypt$');
  const saltAt = encoded.indexOf('$', PREFIX.length) + 1;
  const parametersAt = saltAt === 0 ? 0 : encoded.indexOf('$', saltAt) + 1;
  if (parametersAt === 0) refuseSections(encoded.split('$').length - 2);
  const parameters = encoded.slice(parametersAt);
  readFields(parameters);
  const digest = checkFilled('hash', encoded.slice(PREFIX.length, saltAt - 1));
  const salt = checkFilled('salt', encoded.slice(saltAt, parametersAt - 1));
  // After what else can be malformed: whoever raises a bound for a hash should not find that it is.
  const { memCost, rounds, separator } = readParameters(parameters);
  return { digest, salt, separator, memCost, rounds, signerKey: signerKeyFor(digest, signerKey) };
}

function refuseSections(sections: number): never {
  throw new HashRefused(
    'format',
    `expected 5 sections (hash, salt, m=, r=, s=) after $f_scrypt, got ${sections}`,
  );
}

function parseFields(parameters: string): Fields {
  const items = parameters.split('$');
  if (items.length !== 3) refuseSections(items.length + 2);
  return namedFields(items, ['m', 'r', 's']);
}

function parseParameters(fields: Fields, options: ExternalScryptOptions): Parameters {
  const separator = checkBase64('salt separator', requiredField(fields, 's'), 'lenient');
  const memCost = parseCost(requiredField(fields, 'm'), {
    name: 'm',
    min: 1,
    max: options.maxMemCost,
    setting: 'external_scrypt_max_mem_cost',
  });
  const rounds = parseCost(requiredField(fields, 'r'), {
    name: 'r',
    min: 1,
    max: options.maxRounds,
    setting: 'external_scrypt_max_rounds',
  });
  // RFC 7914, section 2: N must be less than 2^(128 * r / 8). OpenSSL refuses more as "memory limit exceeded".
  if (memCost >= 16 * rounds) throw new HashRefused('format', 'm must be less than 16 times r');
  checkMemory(memoryBytes({ memCost, rounds }), options.memoryBudgetBytes);
  return { memCost, rounds, separator };
}

function checkFilled(name: string, text: string): Base64Part {
  const part = checkBase64(name, text, 'lenient');
  if (part.length === 0) throw new HashRefused('format', `${name} is empty`);
  return part;
}

function signerKeyFor(digest: Base64Part, signerKey: Uint8Array | undefined): Uint8Array {
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
  const zeros = ({ length }: Base64Part) => Buffer.alloc(length).toString('base64');
  return `$f_scrypt$${zeros(digest)}$${zeros(salt)}$m=${memCost}$r=${rounds}$s=${zeros(separator)}`;
}

async function matches(hash: ExternalScryptHash, password: Buffer): Promise<boolean> {
  const derived = await scryptAsync(
    password,
    Buffer.concat([bytesOf(hash.salt), bytesOf(hash.separator)]),
    64,
    {
      N: 2 ** hash.memCost,
      r: hash.rounds,
      p: 1,
      maxmem: memoryBytes(hash),
    },
  );
  const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16));
  return timingSafeEqual(cipher.update(hash.signerKey), bytesOf(hash.digest));
}
