import { describe, expect, it } from 'vitest';
import { passwordOf, refusalOf, vector, verifierOf } from '../../support/vectors.ts';

const parse = (algorithm: string, id: string) => verifierOf(algorithm).parse(vector(algorithm, id).hash);

describe('a password as a C string', () => {
  it.each([
    ['md5-crypt', 'md5-crypt-pl-md5_crypt-11', 'test'],
    ['sha1-crypt', 'php-sha1-crypt-4', 'test'],
    ['sun-md5', 'lx-sun-md5-09', 'abc'],
    ['bsdi-crypt', 'lx-bsdi-crypt-07', 'challenge'],
    ['bigcrypt', 'bigcrypt-pl-bigcrypt-01', 'passphrase'],
  ])('ends at NUL: %s', async (algorithm, id, password) => {
    const hash = parse(algorithm, id);
    const behind = Buffer.from(`${password}\0more`);
    expect(await hash.verify(behind)).toBe(true);
    expect(hash.isOnlyPassword(behind)).toBe(false);
    // DES reads `e` and the zeros behind it as it reads `倀`.
    expect(hash.isOnlyPassword(Buffer.from(password))).toBe(!/^(?:bsdi-|big)crypt$/.test(algorithm));
  });

  it('does not end at NUL in Kratos', async () => {
    const hash = parse('md5-crypt-kratos', 'kr-md5-crypt-kratos-069');
    expect(await hash.verify(Buffer.from('ory\0'))).toBe(false);
    expect(hash.isOnlyPassword(Buffer.from('ory\0'))).toBe(true);
  });

  it('has at most 511 bytes', async () => {
    const hash = parse('sha512-crypt', 'own-sha512-crypt-511');
    const password = passwordOf(vector('sha512-crypt', 'own-sha512-crypt-511'));
    expect(await hash.verify(password)).toBe(true);
    expect(await hash.verify(Buffer.concat([password, Buffer.of(0), password]))).toBe(true);
    expect(await hash.verify(Buffer.concat([password, Buffer.of(65)]))).toBe(false);
  });
});

describe('DES', () => {
  it.each([
    ['des-crypt', 'lx-des-crypt-07', 'challenge', 'challenger', false],
    ['des-crypt', 'des-crypt-pl-des_crypt-02', 'U*U***U', 'ժU***U', false],
    ['crypt16', 'crypt16-pl-crypt16-04', 'LOLOAQICI82QB4IP', 'LOLOAQICI82QB4IPx', false],
    ['crypt16', 'crypt16-pl-crypt16-04', 'LOLOAQICI82QB4IP', 'LOLOAQICI82QB4IP', false],
    ['crypt16', 'crypt16-pl-crypt16-02', 'printf', 'print怀', false],
    ['bsdi-crypt', 'own-bsdi-crypt-high-bit', 'C)', 'é', false],
    ['tripcode', 'own-tripcode-1', 'hashcat', 'hashcat', true],
  ])('reads a part of the password: %s', async (algorithm, id, password, typed, isOnly) => {
    const hash = parse(algorithm, id);
    expect(await hash.verify(Buffer.from(password))).toBe(true);
    expect(await hash.verify(Buffer.from(typed))).toBe(true);
    expect(hash.isOnlyPassword(Buffer.from(typed))).toBe(isOnly);
  });

  it('accepts no tripcode of an empty password', async () => {
    expect(await parse('tripcode', 'own-tripcode-1').verify(Buffer.alloc(0))).toBe(false);
  });

  it('has as many blocks as a bigcrypt hash has room for, at most sixteen', async () => {
    const hash = parse('bigcrypt', 'bigcrypt-pl-bigcrypt-01');
    expect(await hash.verify(Buffer.from('passphrasepassphrase'))).toBe(false);
    const full = verifierOf('bigcrypt').parse(`ab${'.'.repeat(16 * 11)}`);
    expect(full.isOnlyPassword(Buffer.alloc(127, 'x'))).toBe(true);
    expect(full.isOnlyPassword(Buffer.alloc(128, 'x'))).toBe(false);
    expect(refusalOf(() => verifierOf('bigcrypt').parse(`ab${'.'.repeat(17 * 11)}`)).reason).toBe('format');
  });
});

it('accepts a Sun hash with and without the dollar that belongs to its salt', () => {
  const verifier = verifierOf('sun-md5');
  const digest = 'RUFgPpn0wCSHXSxUbzK7q0';
  for (const setting of ['$md5$', '$md5$salt$', '$md5,rounds=1$salt', '$md5$rounds=1$salt$']) {
    expect(verifier.parse(`${setting}$${digest}`).cost.ms).toBeGreaterThan(12);
  }
});
