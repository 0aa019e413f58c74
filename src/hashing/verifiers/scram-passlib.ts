import { defineAlgorithm } from '../algorithm.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { AB64 } from '../formats/encodings.ts';
import { bytesOf, checkLength, encodedPart, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { namedFields } from '../formats/named-fields.ts';
import { hmacKey } from '../kdf/password-reading.ts';
import { PBKDF2_DIGESTS, pbkdf2Key } from '../kdf/pbkdf2.ts';
import { SASLPREP } from '../kdf/saslprep.ts';
import { HashRefused } from '../verifier.ts';
import { PBKDF2_ITERATION_MS, PBKDF2_LIMITS, type Pbkdf2Limit } from './define-pbkdf2.ts';

/** Digests of passlib's SCRAM hashes, in order of preference. Only the first one in a hash is verified. */
const DIGESTS = {
  'sha-256': 'sha256',
  'sha-512': 'sha512',
  'sha-224': 'sha224',
  'sha-384': 'sha384',
  'sha-1': 'sha1',
} as const;
type DigestName = keyof typeof DIGESTS;
const NAMES = Object.keys(DIGESTS) as DigestName[];

interface ScramPassword {
  name: DigestName;
  iterations: number;
  salt: HashPart;
  /** Value that RFC 5802 calls SaltedPassword. */
  hash: HashPart;
}

const MEMORY_BYTES = 8 * 1024;
const PATTERN = new HashPattern(/\$scram\$(?<iterations>[0-9]+)\$(?<salt>[^$]*)\$(?<hashes>[^$]+)/, {
  parts: { salt: AB64 },
  looksLike: '$scram$<iterations>$<salt>$sha-1=<hash>,…',
});

export const scramPasslib = defineAlgorithm<ScramPassword, Pbkdf2Limit>({
  name: 'scram-passlib',
  displayName: 'passlib SCRAM',
  looksLike: '`$scram$<iterations>$<salt>$sha-1=<hash>[,sha-256=<hash>,…]`, all in `ab64`',
  shape: /^\$scram\$[0-9]/,
  strength: 'legacy',
  reference: {
    formula: 'as pbkdf2 of one block',
    examples: 'SHA-256, 100,000: 30 ms',
    measured: 'SHA-256, 100,000: 30 to 45 ms',
  },
  limits: PBKDF2_LIMITS,
  parser:
    ({ settings }) =>
    (encoded) =>
      parse(encoded, settings.pbkdf2_max_iterations),
  cost: ({ name, iterations }) => ({
    memoryBytes: MEMORY_BYTES,
    ms: iterations * PBKDF2_ITERATION_MS[DIGESTS[name]],
  }),
  describe: ({ name, iterations, salt, hash }) => ({
    digest: DIGESTS[name],
    iterations,
    saltBytes: salt.length,
    hashBytes: hash.length,
  }),
  decoy({ name, iterations, salt }) {
    const hashes = [...new Set<DigestName>(['sha-1', name])].map(
      (one) => `${one}=${zeros(PBKDF2_DIGESTS[DIGESTS[one]])}`,
    );
    return `$scram$${iterations}$${zeros(salt.length)}$${hashes.join(',')}`;
  },
  password: ({ name }) => hmacKey(DIGESTS[name], SASLPREP),
  compute: {
    digest: ({ hash }) => bytesOf(hash),
    of: ({ name, iterations, salt, hash }, password) =>
      pbkdf2Key({ password, salt: bytesOf(salt), iterations, digest: DIGESTS[name] }, hash.length),
  },
});

const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64').replaceAll('=', '');

function parse(encoded: string, max: number): ScramPassword {
  const groups = PATTERN.read(encoded);
  const hashes = new Map<DigestName, HashPart>();
  for (const [name, text] of namedFields((groups.hashes ?? '').split(','), NAMES)) {
    const part = encodedPart(name, text, AB64);
    const bytes = PBKDF2_DIGESTS[DIGESTS[name]];
    checkLength(name, part, { min: bytes, max: bytes });
    hashes.set(name, part);
  }
  const name = NAMES.find((one) => hashes.has(one));
  const hash = name && hashes.get(name);
  if (name === undefined || hash === undefined || !hashes.has('sha-1')) {
    throw new HashRefused('format', 'sha-1 is missing, which SCRAM requires');
  }
  const bound = { name: 'iterations', min: 1, max, setting: 'pbkdf2_max_iterations' };
  return {
    name,
    hash,
    iterations: parseCost(groups.iterations ?? '', bound),
    salt: PATTERN.part(groups, 'salt'),
  };
}
