import { expect, it } from 'vitest';
import { buildRegistry } from '../../src/hashing/registry.ts';
import { acceptHash } from '../../src/passwords/accept-hash.ts';
import { CHEAP_LIMITS } from '../support/vectors.ts';

const registry = buildRegistry(CHEAP_LIMITS, undefined);
const BCRYPT = `$2b$04$${'C'.repeat(21)}.${'q'.repeat(31)}`;
const ARGON2 = `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const SCRYPT = '$f_scrypt$aGFzaA==$c2FsdA==$m=4$r=8$s=Bw==';

const INVALID = 'PASSWORD_HASH_INVALID';
const UNSUPPORTED = 'HASHING_ALGORITHM_UNSUPPORTED';
type Row = [code: string, hash: string, algorithm: string | undefined, message: string];
const NONE_OF_THE_FORMATS = 'Password hash is in invalid format: it has none of the formats in docs/';

it.each<Row>([
  ['PASSWORD_HASH_EMPTY', '', undefined, 'Password hash cannot be an empty string'],
  ['PASSWORD_HASH_EMPTY', ' \t\0', 'bcrypt', 'Password hash cannot be an empty string'],
  ['HASHING_ALGORITHM_EMPTY', BCRYPT, '', 'Hashing Algorithm cannot be an empty string'],
  ['HASHING_ALGORITHM_EMPTY', BCRYPT, ' \n', 'Hashing Algorithm cannot be an empty string'],
  [UNSUPPORTED, BCRYPT, 'bcrpyt', 'Unsupported password hashing algorithm: did you mean bcrypt'],
  [UNSUPPORTED, BCRYPT, '__proto__', 'Unsupported password hashing algorithm'],
  [UNSUPPORTED, BCRYPT, 'whirlpool', 'this service does not implement this digest'],
  [UNSUPPORTED, BCRYPT, 'awscognito', 'Cognito never hands out hashes'],
  ...['*0', '*1', '*', 'x', '!', '!9wa845vn7098ythaehasldkfj', '*LK*'].map(
    (hash): Row => [INVALID, hash, undefined, 'import such users without a password'],
  ),
  ...['{no-such_1}', '$nosuch$', '$NO-SUCH_123456789$'].map(
    (scheme): Row => [INVALID, `${scheme}abc`, undefined, `it begins with ${scheme} `],
  ),
  ...['plain', '{no such}', `$${'n'.repeat(21)}$`, '{nö}', '$$', '{}', '{a', '$a'].map(
    (start): Row => [INVALID, start, undefined, NONE_OF_THE_FORMATS],
  ),
  [INVALID, ARGON2, 'bcrypt', 'Password hash is in invalid BCrypt format: '],
  [INVALID, BCRYPT, 'argon2', 'Password hash is in invalid Argon2 format: '],
  [INVALID, BCRYPT, 'external_scrypt', 'Password hash is in invalid External SCrypt format: '],
  [INVALID, BCRYPT.slice(0, 41), undefined, 'invalid BCrypt format: digest must be 23 bytes long, got 9'],
  ['PASSWORD_HASH_COST', BCRYPT.replace('$04$', '$15$'), undefined, 'Password hash cost is not allowed: '],
  ['SIGNER_KEY_NOT_CONFIGURED', SCRYPT, undefined, "'external_password_hashing_signer_key' is not"],
])('answers %s to %j as %j', (code, hash, algorithm, message) => {
  expect(() => acceptHash(registry, hash, algorithm)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  );
});

it.each([
  [BCRYPT, undefined, 'bcrypt'],
  [BCRYPT, 'bcrypt', 'bcrypt'],
  [BCRYPT, ' BCrypt\n', 'bcrypt'],
  [ARGON2, undefined, 'argon2'],
  [ARGON2, 'ARGON2', 'argon2'],
])('accepts %s, called %j, as %s', (hash, name, algorithm) => {
  expect(acceptHash(registry, hash, name)).toEqual({ encoded: hash, algorithm });
  expect(acceptHash(registry, ` ${hash}\r\n`, name)).toEqual({ encoded: hash, algorithm });
});

it('never repeats the name or the hash it received, except a short scheme', () => {
  const secret = 'hunter2-Hunter3';
  for (const [hash, algorithm] of [
    [secret, undefined],
    [`{${secret.repeat(2)}}`, undefined],
    [`!${secret}`, undefined],
    [BCRYPT, secret],
    [BCRYPT, secret.repeat(5000)],
  ] as const) {
    expect(() => acceptHash(registry, hash, algorithm)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  }
});

it('passes on errors that are not refusals', () => {
  const bug = new TypeError('a bug');
  const broken = {
    ...registry,
    recognise: () => ({
      ...registry.all[0],
      parse: () => {
        throw bug;
      },
    }),
  };
  expect(() => acceptHash(broken as unknown as typeof registry, BCRYPT)).toThrow(bug);
});
