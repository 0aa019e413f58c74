import library from 'argon2';
import { defineAlgorithm } from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { type DigestText, sized, wholeShape } from '../formats/digest-spelling.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { DIGEST_BYTES, hex, md5, sha256 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { type HashCost, HashRefused } from '../verifier.ts';
import { argon2 } from './argon2.ts';
import { DIGEST_COST } from './define-salted-digest.ts';

type Version = { name: string; bytes: number } & (
  | { of: (salt: Buffer, data: Buffer) => Buffer }
  | { memoryKb: number; iterations: number }
);

interface MagentoHash extends DigestText {
  salt: HashPart;
  versions: Version[];
}

/** Limits of the argon2 parameters, which are those of the family argon2. */
const LIMITS = {
  argon2_max_memory_kb: argon2.limits.argon2_max_memory_kb,
  argon2_max_iterations: argon2.limits.argon2_max_iterations,
};
type Limit = keyof typeof LIMITS;

/** No known chain of Magento has an algorithm twice. */
const MAX_VERSIONS = 4;
const ARGON2_SALT_BYTES = 16;

const DIGESTS: Record<string, Version> = {
  0: { name: '0', bytes: DIGEST_BYTES.md5, of: (salt, data) => md5(salt, data) },
  1: { name: '1', bytes: DIGEST_BYTES.sha256, of: (salt, data) => sha256(salt, data) },
};
/**
 * Parameters of Magento's version 2, libsodium's `INTERACTIVE`. Later versions write out their parameters.
 */
const INTERACTIVE = '3_32_2_67108864';

const SOURCE =
  /(?<hash>(?:[0-9a-f]{2}){16,128}):(?<salt>[^:\p{Cc}\p{Cs}]+)(?<versions>(?::[0-3](?:_[0-9]+_[0-9]+_[0-9]+)?)+)/u;
const PATTERN = new HashPattern(SOURCE, {
  parts: { hash: HEX, salt: TEXT },
  looksLike: '<lower-case hex>:<salt>:<version>[:<version>…]',
});

/** Strengthening a stored hash, Magento applies a newer version to the old hash and lists both versions. */
export const magento2 = defineAlgorithm<MagentoHash, Limit>({
  name: 'magento2',
  displayName: 'Magento 2',
  looksLike:
    '`<lower-case hex>:<salt>:<version>[:<version>…]`, versions 0, 1, 2 and `3_<bytes>_<passes>_<memory>`',
  strength: 'strong',
  strengthOf: ({ versions }) => (versions.some((one) => 'memoryKb' in one) ? 'strong' : 'broken'),
  reference: {
    formula: '0.05 ms; versions 2 and 3 as argon2',
    examples: 'version 2: 115 ms',
    measured: 'as argon2',
  },
  limits: LIMITS,
  shape: wholeShape(SOURCE),
  parser:
    ({ settings }) =>
    (encoded) =>
      parse(encoded, settings),
  cost: costOf,
  password: () => BYTES,
  decoy: (_parsed, encoded) => PATTERN.zeroed(encoded),
  // Magento's version 2 equals version 3 with particular parameters, so both have the same identity.
  identity: ({ versions, salt, hash }) => ({
    versions: versions.map((one) => ('memoryKb' in one ? { ...one, name: '3' } : one)),
    salt,
    hash,
  }),
  describe: ({ versions, salt, hash }) => ({
    versions: versions.map(({ name }) => name.charAt(0)).join(':'),
    memoryKb: sum(versions.map((one) => ('memoryKb' in one ? one.memoryKb : 0))),
    iterations: sum(versions.map((one) => ('memoryKb' in one ? one.iterations : 0))),
    saltBytes: salt.length,
    hashBytes: hash.length,
  }),
  compute: { digest: ({ hash }) => bytesOf(hash), of: compute },
});

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

function parse(encoded: string, settings: Readonly<Record<Limit, number>>): MagentoHash {
  const groups = PATTERN.read(encoded);
  const names = (groups.versions ?? '').slice(1).split(':');
  if (names.length > MAX_VERSIONS)
    throw new HashRefused('format', `expected at most ${MAX_VERSIONS} versions, got ${names.length}`);
  const versions = names.map((name) => DIGESTS[name] ?? argonVersion(name, settings));
  const bytes = versions.at(-1)?.bytes ?? 0;
  return {
    versions,
    hash: sized('hash', PATTERN.part(groups, 'hash'), bytes),
    salt: PATTERN.part(groups, 'salt'),
  };
}

function argonVersion(name: string, settings: Readonly<Record<Limit, number>>): Version {
  const [version, bytes, iterations, memory] = (name === '2' ? INTERACTIVE : name).split('_');
  if (version !== '3' || bytes === undefined || iterations === undefined || memory === undefined)
    throw new HashRefused('format', 'a version is not 0, 1, 2 or 3_<bytes>_<passes>_<memory>');
  const memoryBytes = parseCost(memory, {
    name: 'memory',
    min: 8 * 1024,
    max: settings.argon2_max_memory_kb * 1024,
    setting: 'argon2_max_memory_kb',
  });
  return {
    name,
    bytes: parseCost(bytes, { name: 'bytes', min: 16, max: 128, setting: 'no setting raises it' }),
    iterations: parseCost(iterations, {
      name: 'passes',
      min: 1,
      max: settings.argon2_max_iterations,
      setting: 'argon2_max_iterations',
    }),
    // Magento's memory parameter is in bytes, and libsodium rounds it down to KiB.
    memoryKb: Math.floor(memoryBytes / 1024),
  };
}

function costOf({ versions }: MagentoHash): HashCost {
  const costs = versions.flatMap((one) =>
    'memoryKb' in one ? [argon2.cost({ ...one, parallelism: 1 })] : [],
  );
  if (costs.length === 0) return DIGEST_COST;
  return {
    memoryBytes: Math.max(...costs.map(({ memoryBytes }) => memoryBytes)),
    ms: sum(costs.map(({ ms }) => ms)),
  };
}

async function compute({ versions, salt }: MagentoHash, password: Buffer): Promise<Buffer> {
  const saltBytes = bytesOf(salt);
  let data = password;
  let digest = password;
  for (const version of versions) {
    digest = 'of' in version ? version.of(saltBytes, data) : await argon(version, saltBytes, data);
    data = Buffer.from(hex(digest));
  }
  return digest;
}

/** The salt is cut or repeated to the length that libsodium requires. */
function argon(
  { bytes, memoryKb, iterations }: { bytes: number; memoryKb: number; iterations: number },
  salt: Buffer,
  data: Buffer,
): Promise<Buffer> {
  return library.hash(data, {
    raw: true,
    type: library.argon2id,
    version: 19,
    memoryCost: memoryKb,
    timeCost: iterations,
    parallelism: 1,
    hashLength: bytes,
    salt: Buffer.alloc(ARGON2_SALT_BYTES, salt),
  });
}
