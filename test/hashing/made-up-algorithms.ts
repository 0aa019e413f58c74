import { createHash, scryptSync } from 'node:crypto';
import { defineAlgorithm, type HashAlgorithm } from '../../src/hashing/algorithm.ts';
import { Decoys } from '../../src/hashing/decoys.ts';
import { type CanonicalMistakes, canonicalRepairs } from '../../src/hashing/diagnose/canonical-repairs.ts';
import { canonicalReader, zeroedCanonical } from '../../src/hashing/formats/canonical.ts';
import { bytesOf } from '../../src/hashing/formats/hash-part.ts';
import { BYTES } from '../../src/hashing/kdf/password-reading.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { newHashMaker } from '../../src/hashing/new-hash.ts';
import { Passwords } from '../../src/hashing/passwords.ts';
import { buildRegistry } from '../../src/hashing/registry.ts';
import type { HashingSecret } from '../../src/hashing/secrets.ts';
import { HashRefused } from '../../src/hashing/verifier.ts';
import { argon2 } from '../../src/hashing/verifiers/argon2.ts';
import { DEFAULT_LIMITS } from '../support/vectors.ts';

const md5 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

interface SaltedHex {
  digest: Buffer;
  salt: Buffer;
}

type SaltedHexTraits = Pick<HashAlgorithm, 'name'> &
  Partial<Pick<HashAlgorithm, 'byNameOnly' | 'rank' | 'secret'>> & {
    aliases?: string[];
    shape?: RegExp;
    /** Reference cost. */
    ms?: number;
    of(password: Buffer, salt: Buffer, secret: Buffer): Buffer;
  };

/** Defines hashes of the form `<32 hexadecimal digits>:<salt>`, which several systems write. */
export const saltedHex = ({ shape, ms, of, ...traits }: SaltedHexTraits) =>
  defineAlgorithm<SaltedHex>({
    displayName: traits.name,
    looksLike: '`<md5>:<salt>`',
    strength: 'broken',
    reference: { formula: '', examples: '', measured: '' },
    shape: shape ?? /^[0-9a-f]{32}:/,
    ...traits,
    parser: () => (encoded) => {
      const [, digest = '', salt = ''] = /^([0-9a-f]{32}):(.{0,64})$/s.exec(encoded) ?? [];
      if (digest === '')
        throw new HashRefused('format', 'expected 32 hexadecimal digits, a colon and the salt');
      return { digest: Buffer.from(digest, 'hex'), salt: Buffer.from(salt) };
    },
    password: () => BYTES,
    cost: () => ({ memoryBytes: 1024, ms: ms ?? 0.01, ...(ms === undefined && { runsOn: 'event-loop' }) }),
    decoy: (_parsed, encoded) => encoded.replace(/[^:]/g, '0'),
    describe: ({ salt }) => ({ saltBytes: salt.length }),
    compute: {
      digest: ({ digest }) => digest,
      of: ({ salt }, password, secret) => of(password, salt, secret),
    },
  });

export const SALT_FIRST = saltedHex({
  name: 'salt-first',
  aliases: ['s-first'],
  byNameOnly: true,
  of: (password, salt) => md5(salt, password),
});
export const SALT_LAST = saltedHex({
  name: 'salt-last',
  byNameOnly: true,
  of: (password, salt) => md5(password, salt),
});
export const PEPPERED = saltedHex({
  name: 'peppered',
  byNameOnly: true,
  secret: 'required',
  of: (password, salt, secret) => md5(salt, password, secret),
});

export const saltFirst = (password: string, salt: string) => `${md5(salt, password).toString('hex')}:${salt}`;
export const peppered = (password: string, salt: string, secret: string) =>
  `${md5(salt, password, secret).toString('hex')}:${salt}`;

interface Digested {
  fields: ReadonlyMap<string, string>;
  salt: Buffer;
  hash: Buffer;
}

/** Defines a family in the canonical form that computes a digest. */
const canonical = (
  name: string,
  fields: readonly string[],
  mistakes: CanonicalMistakes,
  of: (parsed: Digested, password: Buffer) => Buffer,
) =>
  defineAlgorithm<Digested>({
    name,
    displayName: name,
    looksLike: `\`$${name}$\``,
    strength: 'broken',
    reference: { formula: '', examples: '', measured: '' },
    shape: new RegExp(`^\\$${name}\\$`),
    parser: () => {
      const read = canonicalReader(name, fields);
      return (encoded) => {
        const { salt, hash, ...rest } = read(encoded);
        return { ...rest, salt: bytesOf(salt), hash: bytesOf(hash) };
      };
    },
    password: () => BYTES,
    cost: () => ({ memoryBytes: 1024, ms: 0.01, runsOn: 'event-loop' }),
    decoy: (_parsed, encoded) => zeroedCanonical(encoded),
    describe: ({ salt }) => ({ saltBytes: salt.length }),
    compute: { digest: ({ hash }) => hash, of },
    repairs: canonicalRepairs(mistakes),
  });

const ordered = (digest: string) => (parsed: Digested, password: Buffer) => {
  const { fields, salt } = parsed;
  const bytes = fields.get('e') === 'utf16le' ? Buffer.from(password.toString('utf8'), 'utf16le') : password;
  const parts =
    { sp: [salt, bytes], ps: [bytes, salt], sps: [salt, bytes, salt] }[fields.get('o') ?? ''] ?? [];
  return createHash(digest).update(Buffer.concat(parts)).digest();
};
const MISTAKES_OF_SALTED: CanonicalMistakes = {
  order: true,
  salt: true,
  encoding: true,
  digests: { 'made-md5': 16, 'made-sha1': 20, 'made-sha256': 32 },
};

export const CANONICAL = [
  ...['md5', 'sha1', 'sha256'].map((digest) =>
    canonical(`made-${digest}`, ['o', 'e'], MISTAKES_OF_SALTED, ordered(digest)),
  ),
  canonical('made-scrypt', ['r'], { salt: true, blockSize: true }, ({ fields, salt, hash }, password) =>
    scryptSync(password, salt, hash.length, { N: 16, r: Number(fields.get('r')) }),
  ),
];

/** Returns passwords with these algorithms, and argon2 for new hashes. */
export function passwordsOf(
  algorithms: readonly HashAlgorithm[],
  secrets: readonly HashingSecret[] = [],
): Passwords {
  const registry = buildRegistry(DEFAULT_LIMITS, secrets, [argon2, ...algorithms]);
  const maker = newHashMaker({ algorithm: 'argon2', settings: DEFAULT_LIMITS.settings }, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: DEFAULT_LIMITS.memoryBudgetBytes, queueLimit: 10 });
  return new Passwords({
    registry,
    gate,
    decoys: new Decoys(maker.example, 'a secret'),
    maker,
    wrapMaker: maker,
  });
}
