import { randomBytes } from 'node:crypto';
import library from 'argon2';
import { defineAlgorithm, type HashMaker, type ParserContext, type PossibleRepair } from '../algorithm.ts';
import { hexToBase64, swapNames } from '../diagnose/repair-text.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { base64Part, bytesOf, type HashPart } from '../formats/hash-part.ts';
import { namedFields, requiredField } from '../formats/named-fields.ts';
import { rememberLast } from '../formats/remember-last.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { type HashCost, type HashParameters, HashRefused } from '../verifier.ts';

type Fields = ReadonlyMap<'m' | 't' | 'p' | 'keyid' | 'data', string>;

interface Costs {
  memoryKb: number;
  iterations: number;
  parallelism: number;
}

interface Argon2Hash extends Costs {
  associatedData: HashPart;
  type: 'd' | 'i' | 'id';
  version: 16 | 19;
  salt: HashPart;
  digest: HashPart;
}

const TYPES = { d: library.argon2d, i: library.argon2i, id: library.argon2id } as const;
/**
 * Lengths in bytes. The minimums are those of RFC 9106, section 3.1. The maximums limit the time of parsing.
 */
const SALT = { min: 8, max: 1024 };
const DIGEST = { min: 4, max: 1024 };
const ASSOCIATED_DATA = { min: 0, max: 512 };
const NO_DATA: HashPart = { text: '', length: 0 };

/** Milliseconds to fill one MiB of uncached memory in one pass. Lanes share this work without reducing it. */
const MIB_PASS_MS = 0.9;
/** Milliseconds to start a thread. The library starts one for each lane in each quarter of a pass. */
const THREAD_MS = 0.02;
const SLICES = 4;

export const argon2 = defineAlgorithm({
  name: 'argon2',
  displayName: 'Argon2',
  looksLike: '`$argon2<d|i|id>$[v=<16|19>$]m=<KiB>,t=<passes>,p=<lanes>[,data=…]$<salt>$<digest>`',
  strength: 'strong',
  reference: {
    formula: '0.9 ms × MiB × passes, and 0.02 ms for each thread',
    examples: '19 MiB × 2: 34 ms; 64 MiB × 3: 173 ms; 1 GiB × 2: 1843 ms',
    measured: '0.54 to 0.80 ms × MiB × passes, first pass over 1 GiB 1.2 ms; a thread 0.013 to 0.023 ms',
  },
  limits: {
    argon2_max_memory_kb: {
      min: 8,
      max: 4_194_304,
      default: 1_048_576,
      description: 'Maximum memory of an imported argon2 hash, in KiB. `hashing_memory_mb` applies as well.',
    },
    argon2_max_iterations: {
      min: 1,
      max: 1000,
      default: 32,
      description: 'Maximum passes of an imported argon2 hash.',
    },
    argon2_max_parallelism: {
      min: 1,
      max: 255,
      default: 16,
      description: 'Maximum lanes of an imported argon2 hash.',
    },
  },
  shape: /^\$argon2/,
  parser(context) {
    const readFields = rememberLast(parseFields);
    const readCosts = rememberLast((text) => parseCosts(readFields(text), context));
    return (encoded) => parse(encoded, { readFields, readCosts });
  },
  cost: costOf,
  password: () => BYTES,
  decoy,
  // Few programs support argon2's "associated data".
  portable: ({ type, version, memoryKb, iterations, parallelism, associatedData, salt, digest }) =>
    associatedData.length > 0
      ? undefined
      : {
          ...{ kind: 'argon2', type, version, memoryKb, iterations, parallelism },
          ...{ salt: bytesOf(salt), hash: bytesOf(digest) },
        },
  describe,
  repairs,
  compute: { digest: ({ digest }) => bytesOf(digest), of: compute },
  own: {
    settings: {
      argon2_memory_kb: {
        min: 8,
        max: 4_194_304,
        default: 19_456,
        description: 'argon2 memory of passwords set here, in KiB.',
        atMost: 'argon2_max_memory_kb',
      },
      argon2_iterations: {
        min: 1,
        max: 1000,
        default: 2,
        description: 'argon2 passes of passwords set here.',
        atMost: 'argon2_max_iterations',
      },
      argon2_parallelism: {
        min: 1,
        max: 255,
        default: 1,
        description: 'argon2 lanes of passwords set here.',
        atMost: 'argon2_max_parallelism',
      },
    },
    mainSetting: 'argon2_memory_kb',
    cost: (settings) => costOf(ownCosts(settings)),
    conflicts: (settings) =>
      settings.argon2_memory_kb >= 8 * settings.argon2_parallelism
        ? []
        : ['argon2_memory_kb: must be at least 8 times argon2_parallelism'],
    maker: (settings) => maker(ownCosts(settings)),
  },
});

function costOf({ memoryKb, iterations, parallelism }: Costs): HashCost {
  const threads = parallelism === 1 ? 0 : SLICES * iterations * parallelism;
  return {
    memoryBytes: memoryKb * 1024,
    ms: (memoryKb / 1024) * iterations * MIB_PASS_MS + threads * THREAD_MS,
  };
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
  const sections = encoded.split('$');
  const hasVersion = sections[2]?.startsWith('v=') === true;
  const version = hasVersion ? parseVersion(sections[2]) : 16;
  const first = hasVersion ? 3 : 2;
  if (sections.length !== first + 3) {
    throw new HashRefused(
      'format',
      `expected 3 sections (parameters, salt, digest) after type and version, got ${sections.length - first}`,
    );
  }
  const parameters = sections[first] ?? '';
  const data = readFields(parameters).get('data');
  const associatedData = data === undefined ? NO_DATA : checkSized('data', data, ASSOCIATED_DATA);
  const salt = checkSized('salt', sections[first + 1] ?? '', SALT);
  const digest = checkSized('digest', sections[first + 2] ?? '', DIGEST);
  // Costs are checked last. Otherwise an operator might raise a limit for a hash and only then learn that the
  // hash is malformed.
  const { memoryKb, iterations, parallelism } = readCosts(parameters);
  return { type, version, memoryKb, iterations, parallelism, associatedData, salt, digest };
}

/** A hash without a version has version 16, because the field was introduced with version 19. */
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

type Limit = 'argon2_max_memory_kb' | 'argon2_max_iterations' | 'argon2_max_parallelism';

function parseCosts(fields: Fields, { settings }: ParserContext<Limit>): Costs {
  const bounded = (name: 'm' | 't' | 'p', min: number, setting: Limit) =>
    parseCost(requiredField(fields, name), { name, min, max: settings[setting], setting });
  const memoryKb = bounded('m', 8, 'argon2_max_memory_kb');
  const iterations = bounded('t', 1, 'argon2_max_iterations');
  const parallelism = bounded('p', 1, 'argon2_max_parallelism');
  if (memoryKb < 8 * parallelism) throw new HashRefused('format', 'm must be at least 8 times p');
  return { memoryKb, iterations, parallelism };
}

function checkSized(name: string, text: string, { min, max }: { min: number; max: number }): HashPart {
  const part = base64Part(name, text, 'bare');
  if (part.length < min || part.length > max) {
    throw new HashRefused('format', `${name} must be ${min} to ${max} bytes long, got ${part.length}`);
  }
  return part;
}

function decoy({ type, version, memoryKb, iterations, parallelism, ...parts }: Argon2Hash): string {
  const zeros = ({ length }: HashPart) => unpadded(Buffer.alloc(length));
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

/**
 * The library's own function to verify a hash string also accepts spare bits, `keyid` and unknown versions.
 */
function compute(hash: Argon2Hash, password: Buffer): Promise<Buffer> {
  return library.hash(password, {
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
}

type OwnSetting = 'argon2_memory_kb' | 'argon2_iterations' | 'argon2_parallelism';

const ownCosts = (settings: Readonly<Record<OwnSetting, number>>): Costs => ({
  memoryKb: settings.argon2_memory_kb,
  iterations: settings.argon2_iterations,
  parallelism: settings.argon2_parallelism,
});

/** The library writes m,p,t, but other tools (the reference decoder, PHP) accept only m,t,p. */
function maker({ memoryKb, iterations, parallelism }: Costs): HashMaker {
  const prefix = `$argon2id$v=19$m=${memoryKb},t=${iterations},p=${parallelism}$`;
  return {
    example: `${prefix}${'A'.repeat(22)}$${'A'.repeat(43)}`,
    async make(password) {
      const salt = randomBytes(16);
      const digest = await library.hash(password, {
        raw: true,
        type: library.argon2id,
        memoryCost: memoryKb,
        timeCost: iterations,
        parallelism,
        hashLength: 32,
        salt,
      });
      return `${prefix}${unpadded(salt)}$${unpadded(digest)}`;
    },
  };
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

const SHAPE = /^(\$argon2(?:d|i|id)\$)(v=[0-9]+\$)?([^$]*)\$([^$]*)\$([^$]*)$/;

function repairs(encoded: string): PossibleRepair[] {
  const match = SHAPE.exec(encoded);
  if (match === null) return [];
  const [, type = '', version = '', costs = '', salt = '', digest = ''] = match;
  const before = type + version;
  const swapped = swapNames(costs.split(','), 'm', 't').join(',');
  return [
    { mistake: 'URL_SAFE_OR_UNPADDED_BASE64', encoded: `${before}${costs}$${bare(salt)}$${bare(digest)}` },
    {
      mistake: 'HEX_INSTEAD_OF_BASE64',
      encoded: `${before}${costs}$${hexToBase64(salt)}$${hexToBase64(digest)}`,
    },
    { mistake: 'MEM_COST_AND_ROUNDS_SWAPPED', encoded: `${before}${swapped}$${salt}$${digest}` },
    { mistake: 'ARGON2_VERSION_MISSING', encoded: `${type}${version || 'v=19$'}${costs}$${salt}$${digest}` },
  ];
}

function bare(text: string): string {
  return text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
}
