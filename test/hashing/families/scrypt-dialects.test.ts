import { expect, it } from 'vitest';
import { vector, verifierOf } from '../../support/vectors.ts';

it('NFC unites composed and decomposed letters, and keeps compatibility characters', () => {
  const hash = verifierOf('redwood').parse(vector('redwood', 'lt-redwood-02').hash);
  for (const password of ['pässwörd', 'pässwörd'.normalize('NFD'), 'K'])
    expect(hash.isOnlyPassword(Buffer.from(password))).toBe(false);
  for (const password of ['password', 'ﬁt', '\ufeffpassword'])
    expect(hash.isOnlyPassword(Buffer.from(password))).toBe(true);
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
