import { timingSafeEqual } from 'node:crypto';
import argon2 from 'argon2';
import { type Algorithm, defineVerifier } from '../define-verifier.ts';
import { type Base64Part, bytesOf, checkBase64 } from '../formats/base64-part.ts';
import { checkMemory, parseCost } from '../formats/cost-bounds.ts';
import { namedFields, requiredField } from '../formats/named-fields.ts';
import { rememberLast } from '../formats/remember-last.ts';
import { argon2Ms } from '../reference-cost.ts';
import { type HashParameters, HashRefused, type HashVerifier } from '../verifier.ts';
import { argon2Repairs } from './argon2-repairs.ts';

export interface Argon2Bounds {
  /** argon2_max_memory_kb, in KiB. */
  maxMemoryKb: number;
  /** argon2_max_iterations. */
  maxIterations: number;
  /** argon2_max_parallelism. */
  maxParallelism: number;
  /** hashing_memory_mb, in bytes. */
  memoryBudgetBytes: number;
  /** hashing_max_ms. */
  maxMs: number;
}

type Fields = ReadonlyMap<'m' | 't' | 'p' | 'keyid' | 'data', string>;

interface Costs {
  memoryKb: number;
  iterations: number;
  parallelism: number;
}

interface Argon2Hash extends Costs {
  associatedData: Base64Part;
  type: 'd' | 'i' | 'id';
  version: 16 | 19;
  salt: Base64Part;
  digest: Base64Part;
}

const TYPES = { d: argon2.argon2d, i: argon2.argon2i, id: argon2.argon2id } as const;
/** Lengths in bytes. The lower ones are the algorithm's (RFC 9106, section 3.1); the upper ones bound the work of a check. */
const SALT = { min: 8, max: 1024 };
const DIGEST = { min: 4, max: 1024 };
const ASSOCIATED_DATA = { min: 0, max: 512 };

/** Argon2d, argon2i and argon2id, versions 16 (0x10) and 19 (0x13), with or without associated data. */
export function argon2Verifier(bounds: Argon2Bounds): HashVerifier {
  const readFields = rememberLast(parseFields);
  const readCosts = rememberLast((text) => parseCosts(readFields(text), bounds));
  const definition: Algorithm<Argon2Hash> = {
    algorithm: 'argon2',
    displayName: 'Argon2',
    prefix: /^\$argon2/,
    parse: (encoded) => parse(encoded, { readFields, readCosts }),
    cost: (hash) => ({ memoryBytes: hash.memoryKb * 1024, ms: argon2Ms(hash) }),
    decoy,
    describe,
    repairs: argon2Repairs,
    matches,
  };
  return defineVerifier(definition, bounds.maxMs);
}

interface Readers {
  readFields(parameters: string): Fields;
  readCosts(parameters: string): Costs;
}

function parse(encoded: string, { readFields, readCosts }: Readers): Argon2Hash {
  const type = /^\$argon2(d|i|id)\$/.exec(encoded)?.[1];
  if (type !== 'd' && type !== 'i' && type !== 'id') {
    throw new HashRefused('format', 'does not begin with $argon2d$, $argon2i$ or $argon2id$');
  }
  const sections = encoded.split('$').slice(2);
  const version = sections[0]?.startsWith('v=') ? parseVersion(sections.shift()) : 16;
  const [parameters = '', salt = '', digest = ''] = sections;
  if (sections.length !== 3) {
    throw new HashRefused(
      'format',
      `expected 3 sections (parameters, salt, digest) after type and version, got ${sections.length}`,
    );
  }
  const parts = {
    associatedData: checkSized('data', readFields(parameters).get('data') ?? '', ASSOCIATED_DATA),
    salt: checkSized('salt', salt, SALT),
    digest: checkSized('digest', digest, DIGEST),
  };
  // Last: whoever raises a bound for a hash should not find that it is malformed.
  const { memoryKb, iterations, parallelism } = readCosts(parameters);
  return { type, version, memoryKb, iterations, parallelism, ...parts };
}

/** Without a version it is 16: the field came with version 19. */
function parseVersion(section: string | undefined): 16 | 19 {
  if (section === 'v=19') return 19;
  if (section === 'v=16') return 16;
  throw new HashRefused('format', 'version is neither 16 nor 19');
}

function parseFields(parameters: string): Fields {
  const fields = namedFields(parameters.split(','), ['m', 't', 'p', 'keyid', 'data']);
  if (!fields.has('keyid')) return fields;
  throw new HashRefused('format', 'keyid names a secret key, which this service does not have');
}

function parseCosts(fields: Fields, bounds: Argon2Bounds): Costs {
  const memoryKb = parseCost(requiredField(fields, 'm'), {
    name: 'm',
    min: 8,
    max: bounds.maxMemoryKb,
    setting: 'argon2_max_memory_kb',
  });
  const iterations = parseCost(requiredField(fields, 't'), {
    name: 't',
    min: 1,
    max: bounds.maxIterations,
    setting: 'argon2_max_iterations',
  });
  const parallelism = parseCost(requiredField(fields, 'p'), {
    name: 'p',
    min: 1,
    max: bounds.maxParallelism,
    setting: 'argon2_max_parallelism',
  });
  if (memoryKb < 8 * parallelism) throw new HashRefused('format', 'm must be at least 8 times p');
  checkMemory(memoryKb * 1024, bounds.memoryBudgetBytes);
  return { memoryKb, iterations, parallelism };
}

function checkSized(name: string, text: string, { min, max }: { min: number; max: number }): Base64Part {
  const part = checkBase64(name, text, 'bare');
  if (part.length < min || part.length > max) {
    throw new HashRefused('format', `${name} must be ${min} to ${max} bytes long, got ${part.length}`);
  }
  return part;
}

function decoy({ type, version, memoryKb, iterations, parallelism, ...parts }: Argon2Hash): string {
  const zeros = ({ length }: Base64Part) => Buffer.alloc(length).toString('base64').replaceAll('=', '');
  const data = parts.associatedData.length === 0 ? '' : `,data=${zeros(parts.associatedData)}`;
  const parameters = `m=${memoryKb},t=${iterations},p=${parallelism}${data}`;
  return `$argon2${type}$v=${version}$${parameters}$${zeros(parts.salt)}$${zeros(parts.digest)}`;
}

function describe({ type, salt, digest, associatedData, ...others }: Argon2Hash): HashParameters {
  return {
    type: `argon2${type}`,
    ...others,
    saltBytes: salt.length,
    digestBytes: digest.length,
    ...(associatedData.length > 0 && { associatedDataBytes: associatedData.length }),
  };
}

/** The library's own `verify` parses leniently (spare bits, `keyid`, any version); it gets nothing but numbers and bytes. */
async function matches(hash: Argon2Hash, password: Buffer): Promise<boolean> {
  const computed = await argon2.hash(password, {
    raw: true,
    type: TYPES[hash.type],
    version: hash.version,
    memoryCost: hash.memoryKb,
    timeCost: hash.iterations,
    parallelism: hash.parallelism,
    hashLength: hash.digest.length,
    salt: bytesOf(hash.salt),
    associatedData: bytesOf(hash.associatedData),
  });
  return timingSafeEqual(computed, bytesOf(hash.digest));
}
