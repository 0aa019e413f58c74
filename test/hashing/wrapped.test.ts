import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { HashRefused } from '../../src/hashing/refused.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import type { HashingSecret } from '../../src/hashing/secrets.ts';
import type { HashVerifier, ParsedHash, StoredHash } from '../../src/hashing/verifier.ts';
import { WRAPPED } from '../../src/hashing/wrapped.ts';
import {
  accepted,
  CHEAP_LIMITS,
  CHEAP_SETTINGS,
  DEFAULT_LIMITS,
  passwordOf,
  refusalOf,
  secretOf,
  secretsFor,
  vectorsOf,
  verifierOf,
} from '../support/vectors.ts';
import { brokenHash, testMd5, weakHash } from '../support/weak-hashes.ts';

const SECRETS: HashingSecret[] = [
  { id: 'pepper', algorithm: undefined, algorithms: ['test-md5'], bytes: Buffer.from('salz') },
  { id: 'salt', algorithm: 'test-md5', bytes: Buffer.from('pfeffer') },
];
const registry = buildRegistry(DEFAULT_LIMITS, SECRETS, [...FAMILIES, testMd5]);

async function wrap(hash: ParsedHash, known = registry): Promise<ParsedHash | undefined> {
  const wrapping = await hash.wrapping();
  if (wrapping === undefined) return undefined;
  const maker = newHashMaker({ algorithm: 'argon2', settings: CHEAP_SETTINGS }, known);
  const outer = await maker.make(wrapping.digest);
  const encoded = wrapping.around(outer.encoded) as StoredHash;
  return known.read({ algorithm: WRAPPED, encoded, secretId: hash.secretId });
}

const parse = (encoded: string, secretId?: string) => {
  const hash = registry.recognise(encoded)?.parse(encoded, secretId);
  if (hash === undefined) throw new Error('not recognised');
  return hash;
};
async function wrapped(encoded: string, secretId?: string): Promise<ParsedHash> {
  const hash = await wrap(parse(encoded, secretId));
  if (hash === undefined) throw new Error('not wrapped');
  return hash;
}

describe('a wrapped hash', () => {
  it('matches the same password', async () => {
    const hash = await wrapped(brokenHash('password'));
    expect(await hash.verify(Buffer.from('password'))).toBe(true);
    expect(await hash.verify(Buffer.from('passwort'))).toBe(false);
    expect(hash.strength).toBe('strong');
  });

  it('holds the salt of the imported hash, but not its digest', async () => {
    const encoded = brokenHash('password', 'c0ffee');
    const digest = parse(encoded).digest ?? Buffer.alloc(0);
    const text = (await wrapped(encoded)).encoded;
    expect(text).toMatch(
      /^\$wrapped\$test-md5\$argon2id\$v=19\$m=64,t=1,p=1\$[^$]{22}\$[^$]{43}\$\$test-md5\$\$c0ffee\$0{32}$/,
    );
    for (const form of ['hex', 'base64'] as const) {
      expect(text).not.toContain(digest.toString(form).replaceAll('=', ''));
    }
  });

  it('differs each time', async () => {
    const encoded = brokenHash('password');
    expect((await wrapped(encoded)).encoded).not.toBe((await wrapped(encoded)).encoded);
  });

  it('reads as much of a password as the inner hash', async () => {
    const hash = await wrapped(brokenHash('12345678'));
    expect(await hash.verify(Buffer.from('123456789'))).toBe(true);
    expect([
      hash.isOnlyPassword(Buffer.from('1234567')),
      hash.isOnlyPassword(Buffer.from('12345678')),
    ]).toEqual([true, false]);
  });

  it('needs the secret of the inner hash', async () => {
    const byDefault = await wrapped(brokenHash('x', 'ab', 'pfeffer'));
    const byId = await wrapped(brokenHash('x', 'ab', 'salz'), 'pepper');
    expect([byDefault.secretId, byId.secretId]).toEqual(['salt', 'pepper']);
    for (const hash of [byDefault, byId]) expect(await hash.verify(Buffer.from('x'))).toBe(true);
    expect(
      await registry
        .read({ ...byId, encoded: byId.encoded, algorithm: WRAPPED, secretId: 'salt' })
        .verify(Buffer.from('x')),
    ).toBe(false);
    const without = buildRegistry(DEFAULT_LIMITS, [], [...FAMILIES, testMd5]);
    expect(() => without.read({ encoded: byId.encoded, algorithm: WRAPPED })).toThrow('hashing_secrets');
  });

  it('costs as much as both hashes, within the bounds of both', async () => {
    const hash = await wrapped(brokenHash('x'));
    const [inner, outer] = [parse(brokenHash('x')).cost, 0.9 / 16];
    expect(hash.cost.ms).toBeCloseTo(inner.ms + outer, 5);
    expect(hash.cost).toMatchObject({ memoryBytes: 64 * 1024 });
    expect(hash.cost.runsOn).toBeUndefined();
    const cheap = buildRegistry(
      { ...CHEAP_LIMITS, memoryBudgetBytes: 32 * 1024 },
      [],
      [...FAMILIES, testMd5],
    );
    expect(cheap.tryRead(hash)).toBeUndefined();
  });

  it('has a decoy that costs the same and reveals nothing', async () => {
    const hashes = [await wrapped(brokenHash('x', '0102')), await wrapped(brokenHash('y', 'a1b2'))];
    const [decoy, other] = hashes.map((hash) => hash.decoy());
    expect(decoy).toBe(other);
    const parsed = registry.find(WRAPPED)?.parse(decoy ?? '');
    expect(parsed?.decoy()).toBe(decoy);
    expect(parsed?.cost).toEqual(hashes[0]?.cost);
    expect(await parsed?.verify(Buffer.from('x'))).toBe(false);
    expect(hashes[0]?.describe()).toMatchObject({ inner: 'test-md5', memoryKb: 64 });
  });

  it('is not wrapped again', async () => {
    expect(await wrap(await wrapped(brokenHash('x')))).toBeUndefined();
  });

  it.each([
    ['', ''],
    ['$wrapped$', '$wrapped$'],
    ['an unknown inner algorithm', '$wrapped$rot13'],
    ['itself inside', '$wrapped$wrapped'],
    ['an inner hash of another algorithm', '$wrapped$bcrypt'],
  ])('is refused with %s', async (_what, start) => {
    const { encoded } = await wrapped(brokenHash('x'));
    const text = start === '$wrapped$' || start === '' ? start : encoded.replace('$wrapped$test-md5', start);
    expect(refusalOf(() => registry.find(WRAPPED)?.parse(text)).reason).toBe('format');
  });
});

describe('no request', () => {
  it('can contain a wrapped hash', async () => {
    const { encoded } = await wrapped(brokenHash('x'));
    for (const name of ['wrapped', 'WRAPPED']) expect(registry.named(name)).toBeUndefined();
    expect(registry.recognise(encoded)).toBeUndefined();
    expect(registry.resembling(encoded)).toEqual([]);
    expect(registry.all.map(({ algorithm }) => algorithm)).not.toContain(WRAPPED);
  });
});

describe('hashes that cannot be wrapped', () => {
  it('include those whose stored digest is needed to compute another', async () => {
    const long = `$pbkdf2-sha256$i=1$c2FsdA$${Buffer.alloc(64, 7).toString('base64')}`;
    expect(await wrap(parse(long))).toBeUndefined();
    expect(await wrap(parse(weakHash('x')))).toBeDefined();
  });

  it('include those that contain their digest twice', async () => {
    const digest = brokenHash('x').slice(-32);
    expect(await wrap(parse(`$test-md5$$${digest}$${digest}`))).toBeUndefined();
  });
});

/** Returns another character of the same kind. */
const neighbour = (character: string) =>
  /[0-8a-eA-E]/.test(character)
    ? String.fromCharCode(character.charCodeAt(0) + 1)
    : character === '9'
      ? '8'
      : 'A';

/** Returns the digest of this password, or undefined if the text is not a hash. */
async function tells(verifier: HashVerifier, encoded: string, password: Buffer): Promise<string | undefined> {
  try {
    const hash = verifier.parse(encoded);
    return `${hash.digest?.toString('hex')} ${(await hash.digestOf(password))?.toString('hex')}`;
  } catch (error) {
    if (error instanceof HashRefused) return undefined;
    throw error;
  }
}

const MAX_HASHES = 8;

/** Only broken hashes are wrapped. All families are tested, to show that wrapping works for each. */
describe.each(FAMILIES.map(({ name }) => name))('%s', (name) => {
  const cheap = vectorsOf(name)
    .filter(
      (vector) =>
        vector.expect === true &&
        !vector.acceptable &&
        accepted(verifierOf(name, CHEAP_LIMITS, secretOf(vector)), vector.hash),
    )
    .slice(0, MAX_HASHES);

  it('matches the same passwords when it is wrapped', async () => {
    for (const vector of cheap) {
      const known = buildRegistry(DEFAULT_LIMITS, secretsFor(name, secretOf(vector)));
      const hash = known.read({ algorithm: name, encoded: vector.hash as StoredHash });
      const around = await wrap(hash, known);
      if (hash.strength === 'broken') expect(around, vector.id).toBeDefined();
      if (around === undefined) continue;
      const password = passwordOf(vector);
      expect(await around.verify(password), vector.id).toBe(true);
      expect(await around.verify(Buffer.from('surely another password')), vector.id).toBe(false);
      expect(around.isOnlyPassword(password)).toBe(hash.isOnlyPassword(password));
    }
  });

  it('keeps no part of the hash that is not needed, because it could be another digest', async () => {
    for (const vector of cheap.slice(0, 3)) {
      const known = buildRegistry(DEFAULT_LIMITS, secretsFor(name, secretOf(vector)));
      const hash = known.read({ algorithm: name, encoded: vector.hash as StoredHash });
      if (hash.strength !== 'broken') continue;
      const text = hash.shell();
      const told = await tells(hash.verifier, text, passwordOf(vector));
      const idle: number[] = [];
      for (let at = 0; at < text.length; at += 1) {
        const changed = text.slice(0, at) + neighbour(text.charAt(at)) + text.slice(at + 1);
        const isZero = '0A.'.includes(text.charAt(at));
        if (!isZero && (await tells(hash.verifier, changed, passwordOf(vector))) === told) idle.push(at);
      }
      // Letter case, or a digit in the name of a scheme.
      expect(idle.length, vector.id).toBeLessThan(8);
    }
  });
});
