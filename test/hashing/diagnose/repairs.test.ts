import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MISTAKES } from '../../../src/hashing/diagnose/mistakes.ts';
import { HashRefused, type HashVerifier } from '../../../src/hashing/verifier.ts';
import { DEFAULT_LIMITS, secretOf, vector, verifierOf as verifierNamed } from '../../support/vectors.ts';
import { MISTAKEN, type Mistaken, mistakenHash } from './mistaken-hashes.ts';

function verifierOf({ algorithm, signerKey }: Pick<Mistaken, 'algorithm' | 'signerKey'>): HashVerifier {
  const key = signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64');
  return verifierNamed(algorithm, DEFAULT_LIMITS, key);
}

/** Returns the mistakes whose repaired hash is accepted and matches. */
async function matching(verifier: HashVerifier, hash: string, password: string): Promise<string[]> {
  const mistakes: string[] = [];
  for (const repair of verifier.repairs(hash)) {
    const own = repair.verifier ?? verifier;
    try {
      if (await own.parse(repair.encoded).verify(Buffer.from(password, 'utf8')))
        mistakes.push(repair.mistake);
    } catch (error) {
      expect(error).toBeInstanceOf(HashRefused);
    }
  }
  return mistakes;
}

const OF_HASHES = MISTAKEN.filter(({ mistake }) => !/^PASSWORD_|^HASH_WRAPPED$/.test(mistake));

describe.each(OF_HASHES)('$mistake: $what', (mistaken) => {
  const { hash, password, mistake } = mistaken;
  const verifier = verifierOf(mistaken);

  it('does not verify unrepaired', async () => {
    if (mistaken.refused) expect(() => verifier.parse(hash)).toThrow(HashRefused);
    else expect(await verifier.parse(hash).verify(Buffer.from(password))).toBe(false);
  });

  it('has exactly one repair that verifies', async () => {
    expect(await matching(verifier, hash, password)).toEqual([mistake]);
    expect(await matching(verifier, hash, `${password}?`)).toEqual([]);
  });
});

describe('a signer key that differs in length', () => {
  const sample = vector('external_scrypt', 'own-umlaut');
  const signerKey = secretOf(sample)?.toString('base64');
  const [, , digest = ''] = sample.hash.split('$');
  const cutTo = (length: number) =>
    sample.hash.replace(digest, Buffer.from(digest, 'base64').subarray(0, length).toString('base64'));
  const mistakesOf = (hash: string, key = signerKey) =>
    verifierOf({ algorithm: 'external_scrypt', signerKey: key })
      .repairs(hash)
      .map(({ mistake }) => mistake);

  it('is not tried on a few bytes, because that would reveal the key byte by byte', () => {
    for (const length of [1, 2, 8, 15]) expect(mistakesOf(cutTo(length))).not.toContain('SIGNER_KEY_LENGTH');
    expect(mistakesOf(cutTo(16))).toContain('SIGNER_KEY_LENGTH');
    const short = Buffer.from(signerKey ?? '', 'base64')
      .subarray(0, 15)
      .toString('base64');
    expect(mistakesOf(sample.hash, short)).not.toContain('SIGNER_KEY_LENGTH');
  });

  it('is not a mistake if the lengths agree, or if no key is configured', () => {
    expect(mistakesOf(sample.hash)).not.toContain('SIGNER_KEY_LENGTH');
    expect(
      verifierOf({ algorithm: 'external_scrypt', signerKey: undefined })
        .repairs(cutTo(32))
        .map(({ mistake }) => mistake),
    ).not.toContain('SIGNER_KEY_LENGTH');
  });
});

it('does not hide junk after a hash', () => {
  const cutOff = mistakenHash('the hash is cut off');
  expect(verifierOf(cutOff).repairs(cutOff.hash)).not.toEqual([]);
  expect(verifierOf(cutOff).repairs(`${cutOff.hash}$junk`)).toEqual([]);
});

/** Mistakes with examples in canonical-repairs.test.ts and identify-hash.test.ts. */
const ELSEWHERE = [
  'ANOTHER_SECRET',
  'ALGORITHM_MISNAMED',
  'BASE64_INSTEAD_OF_HEX',
  'PASSWORD_IN_UTF16',
  'PEPPER_MISSING',
  'SALT_ORDER',
  'SCRYPT_BLOCK_SIZE',
];

it('every mistake has an example, and a row in the documentation', () => {
  const codes = Object.keys(MISTAKES);
  expect([...new Set([...MISTAKEN.map(({ mistake }) => mistake), ...ELSEWHERE])].sort()).toEqual(codes);
  const docs = readFileSync(new URL('../../../docs/hash-reference.md', import.meta.url), 'utf8');
  const [, section = ''] = docs.split('## Likely mistakes');
  expect([...section.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, code]) => code)).toEqual(codes);
});
