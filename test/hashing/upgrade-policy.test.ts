import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { isUpgradeDue, type UpgradePolicy } from '../../src/hashing/passwords.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import { CHEAP_LIMITS, CHEAP_SETTINGS } from '../support/vectors.ts';
import { brokenHash, testMd5, weakHash } from '../support/weak-hashes.ts';

const settings = { ...CHEAP_SETTINGS, bcrypt_log_rounds: 5 };
const registry = buildRegistry(CHEAP_LIMITS, [], [...FAMILIES, testMd5]);
const examples = {
  argon2: newHashMaker({ algorithm: 'argon2', settings }, registry).example,
  bcrypt: newHashMaker({ algorithm: 'bcrypt', settings }, registry).example,
};

const argon2 = (type: string, costs: string) =>
  `$argon2${type}$v=19$${costs}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function isDue(
  policy: UpgradePolicy,
  encoded: string,
  password: string | Buffer = 'pass',
  own: keyof typeof examples = 'argon2',
): boolean {
  const hash = registry.recognise(encoded)?.parse(encoded);
  if (hash === undefined) throw new Error('not recognised');
  return isUpgradeDue(policy, { hash, password: Buffer.from(password), example: examples[own] });
}

describe('off', () => {
  it('upgrades nothing', () => {
    for (const hash of [brokenHash('x'), weakHash('x'), bcrypt.hashSync('x', 4)]) {
      expect(isDue('off', hash)).toBe(false);
    }
  });
});

describe('weak', () => {
  it('upgrades legacy and broken hashes only', () => {
    expect(isDue('weak', brokenHash('x'))).toBe(true);
    expect(isDue('weak', weakHash('x'))).toBe(true);
    expect(isDue('weak', bcrypt.hashSync('x', 4))).toBe(false);
    expect(isDue('weak', argon2('i', 'm=8,t=1,p=1'))).toBe(false);
  });
});

describe('outdated', () => {
  it('upgrades every hash that differs from new hashes', () => {
    expect(isDue('outdated', weakHash('x'))).toBe(true);
    expect(isDue('outdated', bcrypt.hashSync('x', 4))).toBe(true);
    expect(isDue('outdated', argon2('id', 'm=64,t=1,p=1'))).toBe(false);
    expect(isDue('outdated', argon2('id', 'm=65,t=1,p=1'))).toBe(true);
    expect(isDue('outdated', argon2('i', 'm=64,t=1,p=1'))).toBe(true);
    expect(isDue('outdated', examples.bcrypt.encoded, 'pass', 'bcrypt')).toBe(false);
    expect(isDue('outdated', bcrypt.hashSync('x', 5).replace('$2b', '$2a'), 'pass', 'bcrypt')).toBe(false);
    expect(isDue('outdated', bcrypt.hashSync('x', 4), 'pass', 'bcrypt')).toBe(true);
  });
});

describe.each(['weak', 'outdated'] as const)('%s never upgrades', (policy) => {
  it('a hash with a digest so short that other matching passwords can be found', () => {
    const [salt, short, long] = ['c2FsdHNhbHQ=', 'KSldhA==', 'KSldhKSldhI='];
    const policyAt = (digest: string, password: string) =>
      isDue(
        policy,
        `$pbkdf2-sha256$i=1,l=${Buffer.from(digest, 'base64').length}$${salt}$${digest}`,
        password,
      );
    // These two passwords have the same digest.
    for (const password of ['pass37453', 'pass94953']) expect(policyAt(short, password)).toBe(false);
    expect(policyAt(long, 'pass37453')).toBe(true);
  });

  it('a hash that ignores the rest of longer passwords', () => {
    expect(isDue(policy, brokenHash('x'), '1234567')).toBe(true);
    expect(isDue(policy, brokenHash('x'), '12345678')).toBe(false);
    expect(isDue(policy, brokenHash('x'), '123456789')).toBe(false);
  });

  it('a hash if the new one would accept longer passwords', () => {
    expect(isDue(policy, weakHash('x'), 'x'.repeat(71), 'bcrypt')).toBe(true);
    expect(isDue(policy, weakHash('x'), 'x'.repeat(72), 'bcrypt')).toBe(false);
    expect(isDue(policy, weakHash('x'), 'x'.repeat(73))).toBe(true);
  });

  it('a hash of a password that nobody types, of more than 1024 bytes', () => {
    expect(isDue(policy, weakHash('x'), 'x'.repeat(1024))).toBe(true);
    expect(isDue(policy, weakHash('x'), 'x'.repeat(1025))).toBe(false);
  });

  it('a hash of a password with NUL: HMAC pads its key with NULs, so that other passwords match as well', () => {
    expect(isDue(policy, weakHash('x'), 'x')).toBe(true);
    expect(isDue(policy, weakHash('x'), 'x\0')).toBe(false);
  });
});

it('a bcrypt hash that other passwords match as well', () => {
  const hash = bcrypt.hashSync('x', 4);
  const withBug = hash.replace('$2b', '$2x');
  expect(isDue('outdated', hash, 'x'.repeat(71))).toBe(true);
  expect(isDue('outdated', hash, 'x'.repeat(72))).toBe(false);
  expect(isDue('outdated', hash, 'é'.repeat(37))).toBe(false);
  expect(isDue('outdated', hash, 'a\0a')).toBe(false);
  expect(isDue('outdated', hash, 'pässword')).toBe(true);
  expect(isDue('outdated', withBug, 'password')).toBe(true);
  expect(isDue('outdated', withBug, 'pässword')).toBe(false);
});
