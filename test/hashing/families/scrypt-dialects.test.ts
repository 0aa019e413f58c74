import { describe, expect, it } from 'vitest';
import { vector, verifierOf } from '../../support/vectors.ts';

const isOnlyPassword = (algorithm: string, id: string, password: string | Buffer) =>
  verifierOf(algorithm).parse(vector(algorithm, id).hash).isOnlyPassword(Buffer.from(password));

const NFD = 'pässwörd'.normalize('NFD');
const NOT_UTF8 = Buffer.from('70e4737377f67264', 'hex');

describe('a family that normalises passwords', () => {
  it.each([
    ['better-auth', 'lt-better-auth-02'],
    ['lucia', 'lt-lucia-03'],
  ])('%s: every password has full-width forms that match as well', (algorithm, id) => {
    for (const password of ['password', 'ｆｕｌｌ', 'ﬁt', NFD]) {
      expect(isOnlyPassword(algorithm, id, password)).toBe(false);
    }
  });

  it('NFC unites composed and decomposed letters, and keeps compatibility characters', () => {
    for (const password of ['pässwörd', NFD, 'K'])
      expect(isOnlyPassword('redwood', 'lt-redwood-02', password)).toBe(false);
    for (const password of ['password', 'ﬁt', '\ufeffpassword'])
      expect(isOnlyPassword('redwood', 'lt-redwood-02', password)).toBe(true);
  });

  it('a family that does not normalise reads every byte', () => {
    for (const password of [NFD, NOT_UTF8, 'a\0b', 'x'.repeat(200)]) {
      expect(isOnlyPassword('node-scrypt-salt-hash', 'lt-node-scrypt-salt-hash-03', password)).toBe(true);
    }
  });
});

it('$scrypt$ dialects are distinguished by their costs', () => {
  const takers = (costs: string) =>
    ['scrypt', 'scrypt-kratos', 'scrypt-adonis'].filter((name) =>
      verifierOf(name).recognises(`$scrypt$${costs}$c2FsdA$aGFzaGhhc2g`),
    );
  expect(takers('ln=14,r=8,p=1')).toEqual(['scrypt']);
  expect(takers('r=8,p=1,ln=31')).toEqual(['scrypt']);
  expect(takers('ln=32,r=8,p=1')).toEqual(['scrypt-kratos']);
  expect(takers('r=8,p=1,ln=16384')).toEqual(['scrypt-kratos']);
  expect(takers('n=16384,r=8,p=1')).toEqual(['scrypt-adonis']);
  expect(takers('r=8,n=16384,p=1')).toEqual(['scrypt-adonis']);
});

it('memory and time follow from N, r and p, salt and digest', () => {
  const hash = verifierOf('scrypt').parse(vector('scrypt', 'aw-scrypt').hash);
  expect(hash.cost.memoryBytes).toBe(128 * 13 * (16384 + 2 + 2));
  const [input, output] = [13 * 2 * 4, 13 * 2 * 128 * 2];
  const saltBytes = Number(hash.describe().saltBytes);
  const ms = 16384 * 13 * 2 * 0.0003 + input * (0.0004 + saltBytes * 0.000_000_7) + output * 0.000_004;
  expect(hash.cost.ms).toBeCloseTo(ms);
});
