import { randomBytes } from 'node:crypto';
import library from 'argon2';
import { type Family, family, type HashMaker } from '../family.ts';
import type { Formula, HashCost } from '../form.ts';
import { bytes, number, part, refuseUnless } from '../form.ts';
import type { PossibleRepair } from '../mistakes.ts';
import { HashRefused } from '../refused.ts';
import type { Parts } from '../template.ts';

interface Costs {
  memoryKb: number;
  iterations: number;
  parallelism: number;
}

const TYPES = { d: library.argon2d, i: library.argon2i, id: library.argon2id } as const;
/** The library starts a thread for each lane. More lanes than this have no use. */
const MAX_LANES = 255;

/** Milliseconds to fill one MiB of uncached memory in one pass. Lanes share this work without reducing it. */
const MIB_PASS_MS = 0.9;
/** Milliseconds to start a thread. The library starts one for each lane in each quarter of a pass. */
const THREAD_MS = 0.02;
const SLICES = 4;

export function argon2Cost({ memoryKb, iterations, parallelism }: Costs): HashCost {
  const threads = parallelism === 1 ? 0 : SLICES * iterations * parallelism;
  return {
    memoryBytes: memoryKb * 1024,
    ms: (memoryKb / 1024) * iterations * MIB_PASS_MS + threads * THREAD_MS,
  };
}

const costsOf = (parts: Parts): Costs => ({
  memoryKb: number(parts, 'memoryKb'),
  iterations: number(parts, 'iterations'),
  parallelism: number(parts, 'parallelism'),
});

/** Returns the bytes of a hash, by default of argon2id in its current version. */
export const argon2Bytes = (
  password: Buffer,
  { memoryKb, iterations, parallelism }: Costs,
  options: library.Options,
): Promise<Buffer> =>
  library.hash(password, {
    ...{ raw: true, type: library.argon2id, version: 19 },
    ...{ memoryCost: memoryKb, timeCost: iterations, parallelism, ...options },
  });

/**
 * Formula that computes the digest itself, because the library's function to verify a hash string also accepts spare
 * bits, `keyid` and unknown versions.
 * @param withSecret whether the configured secret is argon2's secret value (`K` in RFC 9106)
 */
const formulaWith = (withSecret: boolean): Formula => ({
  family: withSecret ? 'argon2-secret' : 'argon2',
  digestPart: 'digest',
  of: ({ password, secret, parts }) =>
    argon2Bytes(password, costsOf(parts), {
      type: TYPES[parts.type as keyof typeof TYPES],
      version: number(parts, 'version'),
      hashLength: part(parts, 'digest').length,
      salt: bytes(parts, 'salt'),
      associatedData: bytes(parts, 'associatedData'),
      ...(withSecret && { secret }),
    }),
  cost(parts) {
    const { memoryKb, iterations, parallelism } = costsOf(parts);
    if (parallelism > MAX_LANES)
      throw new HashRefused('cost', `p is above ${MAX_LANES}, the fixed limit of lanes`);
    refuseUnless(memoryKb >= 8 * parallelism, 'm must be at least 8 times p');
    return argon2Cost({ memoryKb, iterations, parallelism });
  },
  strength: 'strong',
  time: '0.9 ms × MiB × passes, and 0.02 ms for each thread',
  // Few programs support argon2's "associated data".
  portable(parts) {
    if (bytes(parts, 'associatedData').length > 0) return undefined;
    const version = number(parts, 'version') === 16 ? 16 : 19;
    const [salt, hash] = [bytes(parts, 'salt'), bytes(parts, 'digest')];
    return { kind: 'argon2', type: parts.type as keyof typeof TYPES, ...costsOf(parts), version, salt, hash };
  },
  identity: ({ keyId: _, ...parts }) => parts,
  describe: ({ type, version, salt, digest, associatedData, ...parts }) => ({
    ...{ type: `argon2${type}`, version, ...costsOf(parts), salt, digest, associatedData },
  }),
});

/**
 * Lengths are in bytes. The minimum of the digest is that of RFC 9106, section 3.1, and the minimum of the salt that of
 * the reference implementation. The maximums limit the time of parsing.
 */
const TEMPLATE =
  '$argon2<type:d|i|id>$[v=<version:16|19>$]<m=memoryKb:int/8,t=iterations:int,p=parallelism:int,keyid?=keyId:bare64*/0..64,data?=associatedData:bare64*/0..512>$<salt:bare64/8..1024>$<digest:bare64/4..1024>';
/** Version of a hash without the field `v`, which was introduced with version 19. */
const DEFAULTS = { version: 16 };

export const argon2: Family = family('argon2', {
  title: 'Argon2',
  as: TEMPLATE,
  check: ({ keyId }) =>
    refuseUnless(
      keyId === undefined,
      'keyid names a secret key: send hashingAlgorithm argon2-secret, and configure the key',
    ),
  formula: formulaWith(false),
  mark: /^\$argon2/,
  defaults: DEFAULTS,
  repairs,
  own: {
    settings: {
      argon2_memory_kb: {
        ...{ min: 8, max: 4_194_304, default: 19_456 },
        description: 'argon2 memory of passwords set here, in KiB.',
      },
      argon2_iterations: {
        min: 1,
        max: 1000,
        default: 2,
        description: 'argon2 passes of passwords set here.',
      },
      argon2_parallelism: {
        ...{ min: 1, max: MAX_LANES, default: 1 },
        description: 'argon2 lanes of passwords set here.',
      },
    },
    mainSetting: 'argon2_memory_kb',
    cost: (settings) => argon2Cost(ownCosts(settings)),
    conflicts: (settings) =>
      Number(settings.argon2_memory_kb) >= 8 * Number(settings.argon2_parallelism)
        ? []
        : ['argon2_memory_kb: must be at least 8 times argon2_parallelism'],
    maker: (settings) => maker(ownCosts(settings)),
  },
});

const secretArgon2 = family('argon2-secret', {
  as: TEMPLATE,
  looksLike:
    "`$argon2<d|i|id>$[v=<16|19>$]m=<KiB>,t=<passes>,p=<lanes>[,data=…]$<salt>$<digest>`, as argon2, with argon2's secret value",
  formula: formulaWith(true),
  defaults: DEFAULTS,
  secret: 'required',
  byName: true,
});
export const ARGON2_FAMILIES = [argon2, secretArgon2];

const ownCosts = (settings: Readonly<Record<string, number>>): Costs => ({
  memoryKb: Number(settings.argon2_memory_kb),
  iterations: Number(settings.argon2_iterations),
  parallelism: Number(settings.argon2_parallelism),
});

/**
 * Makes hashes with the parameters in the order m,t,p, because other tools (the reference decoder, PHP) accept no
 * other. The library writes m,p,t.
 */
function maker(costs: Costs): HashMaker {
  const { memoryKb, iterations, parallelism } = costs;
  const prefix = `$argon2id$v=19$m=${memoryKb},t=${iterations},p=${parallelism}$`;
  return {
    example: `${prefix}${'A'.repeat(22)}$${'A'.repeat(43)}`,
    async make(password) {
      const salt = randomBytes(16);
      const digest = await argon2Bytes(password, costs, { hashLength: 32, salt });
      return `${prefix}${unpadded(salt)}$${unpadded(digest)}`;
    },
  };
}

const unpadded = (raw: Buffer) => raw.toString('base64').replaceAll('=', '');

function repairs(encoded: string): PossibleRepair[] {
  const [, type, version, rest] =
    /^(\$argon2(?:d|i|id)\$)(v=[0-9]+\$)?([^$]*\$[^$]*\$[^$]*)$/.exec(encoded) ?? [];
  if (type === undefined || version !== undefined) return [];
  return [{ mistake: 'ARGON2_VERSION_MISSING', encoded: `${type}v=19$${rest}` }];
}
