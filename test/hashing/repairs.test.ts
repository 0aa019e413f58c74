import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { MISTAKES } from '../../src/hashing/mistakes.ts';
import { HashRefused } from '../../src/hashing/refused.ts';
import { type HashVerifier, tryParse } from '../../src/hashing/verifier.ts';
import {
  DEFAULT_LIMITS,
  formOf,
  secretOf,
  vector,
  vectorsOf,
  verifierOf as verifierNamed,
} from '../support/vectors.ts';
import { MISTAKEN, type Mistaken, mistakenHash } from './mistaken-hashes.ts';

function verifierOf({ algorithm, signerKey }: Pick<Mistaken, 'algorithm' | 'signerKey'>): HashVerifier {
  const key = signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64');
  return verifierNamed(algorithm, DEFAULT_LIMITS, key);
}

/** Texts of a part, as other writers encode its bytes. Only those that the family refuses are tested. */
const OTHER_TEXTS: readonly ((bytes: Buffer) => string)[] = [
  (bytes) => bytes.toString('hex'),
  (bytes) => bytes.toString('base64url'),
  (bytes) => bytes.toString('base64'),
];

describe.each(FAMILIES.map(({ name }) => name))('%s', (name) => {
  it('has repairs for parts in base64 that another writer encoded', () => {
    for (const sample of vectorsOf(name)) {
      if (sample.expect !== true) continue;
      const verifier = verifierNamed(name, DEFAULT_LIMITS, secretOf(sample));
      const right = tryParse(verifier, sample.hash);
      if (right instanceof HashRefused) continue;
      for (const { hole, text, start, end } of formOf(right).holesOf(sample.hash)) {
        if (hole.name === 'packed' || hole.encoding?.isBase64 !== true || text.length < 8) continue;
        for (const write of OTHER_TEXTS) {
          const other = write(hole.encoding.decode(text));
          const mistaken = sample.hash.slice(0, start) + other + sample.hash.slice(end);
          if (!(tryParse(verifier, mistaken) instanceof HashRefused)) continue;
          const repaired = verifier.repairs(mistaken).map(({ encoded }) => tryParse(verifier, encoded));
          const identities = repaired.map((one) => (one instanceof HashRefused ? '' : one.identity));
          expect(identities, `${hole.name} of ${sample.id} as ${other}`).toContain(right.identity);
        }
      }
    }
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
  for (const { encoded, verifier = verifierOf(cutOff) } of verifierOf(cutOff).repairs(`${cutOff.hash}$junk`))
    expect(() => verifier.parse(encoded)).toThrow(HashRefused);
});

/** Mistakes with examples in canonical-repairs.test.ts and identify-hash.test.ts. */
const ELSEWHERE = [
  'ANOTHER_SECRET',
  'ALGORITHM_MISNAMED',
  'BASE64_INSTEAD_OF_HEX',
  'HASH_IN_PIECES',
  'HEX_IN_BASE64',
  'PASSWORD_IN_UTF16',
  'PEPPER_MISSING',
  'ROUNDS_OF_TEXT',
  'SALT_ORDER',
  'SALTED_DIGEST',
  'SCRYPT_BLOCK_SIZE',
];

it('every mistake has an example, and a row in the documentation', () => {
  const codes = Object.keys(MISTAKES);
  expect([...new Set([...MISTAKEN.map(({ mistake }) => mistake), ...ELSEWHERE])].sort()).toEqual(codes);
  const docs = readFileSync(new URL('../../docs/hash-reference.md', import.meta.url), 'utf8');
  const [, section = ''] = docs.split('## Likely mistakes');
  expect([...section.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, code]) => code)).toEqual(codes);
});
