import { describe, expect, it } from 'vitest';
import { kratos, kratosPassword } from '../../../src/sources/systems/kratos.ts';
import { passwordOf, secretOf, vector, vectorsOf } from '../../support/vectors.ts';
import { acceptedHash, tableOf } from './read-users.ts';

const IDENTITY = { id: 'i1', schema_id: 'default', state: 'active', traits: { email: 'ada@example.com' } };
it('advice names the signer key without showing it', () => {
  const hashed_password = '$firescrypt$ln=14,r=8,p=1$c2FsdA==$aGFzaA==$Bw==$c2VjcmV0a2V5';
  const { head } = tableOf('json', [
    { ...IDENTITY, credentials: { password: { config: { hashed_password } } } },
  ]);
  const said = kratos.forms[0]?.advice?.({ tables: [head], settings: {} }).map(({ text }) => text);
  expect(said).toEqual([expect.stringContaining('external_password_hashing_signer_key')]);
  expect(said?.join()).not.toContain('c2VjcmV0');
});

describe('kratosPassword', () => {
  const families = [
    ...['bcrypt', 'argon2', 'pbkdf2-kratos', 'scrypt-kratos', 'md5-crypt-kratos', 'sha256-crypt-kratos'],
    ...['sha512-crypt-kratos', 'md5-kratos', 'sha-kratos', 'hmac-kratos'],
  ];

  it.each(families)('names %s', (algorithm) => {
    const known = vectorsOf(algorithm).filter(
      ({ expect: outcome, acceptable, hash }) =>
        outcome === true && acceptable === undefined && hash.startsWith('$'),
    );
    expect(known.length).toBeGreaterThan(0);
    for (const { hash } of known) {
      const password = kratosPassword({ hashed_password: hash });
      expect(password).toEqual({ encoded: hash, algorithm });
      expect(acceptedHash(password).algorithm).toBe(algorithm);
    }
  });

  it("converts firescrypt to Firebase's notation", async () => {
    const known = vector('external_scrypt', 'own-reference');
    const [, , hash = '', salt = ''] = known.hash.split('$');
    const separator = known.hash.match(/\$s=([^$]*)/)?.[1] ?? '';
    const [m, r] = [known.hash.match(/m=(\d+)/)?.[1], known.hash.match(/r=(\d+)/)?.[1]];
    const key = secretOf(known)?.toString('base64');
    const password = kratosPassword({
      hashed_password: `$firescrypt$ln=${m},r=${r},p=1$${salt}$${hash}$${separator}$${key}`,
    });
    expect(await acceptedHash(password, key).verify(passwordOf(known))).toBe(true);
    expect(JSON.stringify(password)).not.toContain(key);
  });

  it.each([
    '$firescrypt$',
    '$firescrypt$ln=14,r=8,p=2$a$b$c$d',
    '$firescrypt$ln=14,r=8,p=1$a$b$c',
    '$firescrypt$ln=14,r=8,p=1$a$b$c$d$e',
  ])('refuses %s without showing it', (hashed_password) => {
    const password = kratosPassword({ hashed_password });
    expect(password).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
    expect(JSON.stringify(password)).not.toContain('p=2');
  });

  it('leaves other hashes to the service', () => {
    expect(kratosPassword({ hashed_password: '{SSHA}x' })).toEqual({ encoded: '{SSHA}x' });
  });
});
