import argon2 from 'argon2';
import { describe, expect, it } from 'vitest';
import { refusalOf, vector, verifierOf } from '../../support/vectors.ts';

const verifier = verifierOf('argon2');
const GOOD = vector('argon2', 'argon2-phc-21').hash;

const verify = (hash: string, password: string) => verifier.parse(hash).verify(Buffer.from(password));

it('accepts the output of the library, with all its options', async () => {
  const associatedData = Buffer.from('tenant-7');
  for (const type of [argon2.argon2d, argon2.argon2i, argon2.argon2id] as const) {
    for (const version of [0x10, 0x13]) {
      const options = { type, version, associatedData, memoryCost: 64, timeCost: 1, parallelism: 2 };
      const hash = await argon2.hash('pässword', options);
      expect(await verify(hash, 'pässword')).toBe(true);
      expect(await verify(hash.replace(/,data=[^$]+/, ''), 'pässword')).toBe(false);
    }
  }
});

describe('extreme parameters', () => {
  it.each([
    ['least memory', { memoryCost: 8, parallelism: 1 }],
    ['least memory of three lanes', { memoryCost: 24, parallelism: 3 }],
    ['memory that is no multiple of the lanes', { memoryCost: 31, parallelism: 3 }],
    ['shortest salt', { salt: Buffer.alloc(8, 1) }],
    ['longest salt', { salt: Buffer.alloc(1024, 1) }],
    ['shortest digest', { hashLength: 4 }],
    ['longest digest', { hashLength: 1024 }],
    ['longest associated data', { associatedData: Buffer.alloc(512, 1) }],
    ['all of them', { salt: Buffer.alloc(1024, 1), hashLength: 1024, associatedData: Buffer.alloc(512, 1) }],
  ])('%s', async (_name, options) => {
    const hash = await argon2.hash('password', { memoryCost: 64, timeCost: 1, parallelism: 1, ...options });
    expect(await verify(hash, 'password')).toBe(true);
    expect(await verify(hash, 'Password')).toBe(false);
  });
});

describe('a decoy', () => {
  it('is the same for equal parameters, in any spelling', () => {
    const decoyOf = (hash: string) => verifier.parse(hash).decoy();
    const decoy = `$argon2id$v=19$m=256,t=2,p=1$${'A'.repeat(11)}$${'A'.repeat(43)}`;
    expect(decoyOf(GOOD)).toBe(decoy);
    expect(decoyOf(GOOD.replace('m=256,t=2,p=1', 'p=1,t=2,m=256'))).toBe(decoy);
    expect(decoyOf(vector('argon2', 'argon2-node-ad').hash)).toContain(`,data=${'A'.repeat(22)}$`);
  });
});

describe('a refusal names the reason', () => {
  const KEYID = expect.stringMatching(/^keyid names a secret key: send hashingAlgorithm argon2-secret/);
  it.each([
    [GOOD.replace('$argon2id', '$argon2x'), 'type must be one of d, i, id'],
    [vector('argon2', 'argon2-pl-keyid').hash, KEYID],
    [vector('argon2', 'argon2-lsi-9').hash, 'version must be one of 16, 19'],
    [GOOD.replace('t=2', 't=0'), 't must be at least 1'],
    [
      GOOD.replace('t=2', 't=10000'),
      'takes 2250 ms by the reference table, above the limit of 2000 ms (hashing_max_ms)',
    ],
    [
      GOOD.replace('m=256', 'm=4194304'),
      'needs 4096 MiB of memory, above the limit of 1024 MiB (hashing_memory_mb)',
    ],
    [
      GOOD.replace('m=256', 'm=18446744073709551872'),
      'needs 18014398509481984 MiB of memory, above the limit of 1024 MiB (hashing_memory_mb)',
    ],
    [GOOD.replace('m=256', 'm=15').replace('p=1', 'p=2'), 'm must be at least 8 times p'],
    [`${GOOD}=`, 'digest is not unpadded standard base64'],
    [`${GOOD}=`.replace('m=256', 'm=4194304'), 'digest is not unpadded standard base64'],
    [GOOD.slice(0, -1), 'digest is not canonical base64: cut off, or its unused bits are set'],
    [GOOD.replace('c29tZXNhbHQ', 'c29tZXNhbA'), 'salt must be 8 to 1024 bytes long, got 7'],
    [`${GOOD}${'A'.repeat(5000)}`, `expected at most 4096 characters, got ${GOOD.length + 5000}`],
  ] as [string, unknown][])('%j', (hash, message) => {
    expect(refusalOf(() => verifier.parse(hash)).message).toEqual(message);
  });
});
