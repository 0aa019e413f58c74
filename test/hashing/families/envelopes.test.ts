import { expect, it } from 'vitest';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import {
  DEFAULT_LIMITS,
  isAvailable,
  passwordOf,
  refusalOf,
  secretOf,
  vector,
  vectorsOf,
  verifierOf,
} from '../../support/vectors.ts';

function parsed(algorithm: string, id: string) {
  const one = vector(algorithm, id);
  return verifierOf(algorithm, undefined, secretOf(one)).parse(one.hash);
}

const long = 'x'.repeat(73);
it.each([
  ['bcrypt-sha256', 'lt-bcrypt-sha256-03', { [long]: true, 'a\0b': true }],
  ['bcrypt-sha512', 'lt-bcrypt-sha512-02', { [long]: true }],
  ['django-bcrypt', 'lt-django-bcrypt-01', { [long]: false, 'a\0b': false, short: true }],
  ['bcrypt-pepper', 'lt-bcrypt-pepper-01', { [long]: false, 'a\0b': false, short: true }],
  ['wordpress-bcrypt', 'wp-1', { [long]: false, ' a': false, 'a\u00a0': false, 'a b': false }],
  ['smf2', 'lt-smf2-01', { ['x'.repeat(66)]: true, ['x'.repeat(67)]: false }],
  ['wbb4', 'lt-wbb4-02', { [long]: false, short: true }],
  ['nextcloud', 'lt-nextcloud-15', { [long]: true }],
  ['nextcloud', 'lt-nextcloud-09', { [long]: false }],
  ['nextcloud', 'lt-nextcloud-04', { [long]: false, short: true }],
])('whether a password is the only one that matches: %s %s', (algorithm, id, passwords) => {
  for (const [password, isOnly] of Object.entries(passwords)) {
    expect(parsed(algorithm, id).isOnlyPassword(Buffer.from(password)), JSON.stringify(password)).toBe(
      isOnly,
    );
  }
});

it('an envelope holds no other envelope', () => {
  const inner = vector('shiro2', 'lt-shiro2-02').hash;
  expect(refusalOf(() => verifierOf('shiro2').parse(`$shiro2${inner}`)).reason).toBe('format');
});

it('needs its secret only for hashes that were made with one', () => {
  const verifier = verifierOf('nextcloud');
  expect(refusalOf(() => verifier.parse(vector('nextcloud', 'lt-nextcloud-04').hash)).reason).toBe('secret');
  expect(verifier.parse(vector('nextcloud', 'lt-nextcloud-03').hash).strength).toBe('broken');
  expect(verifier.parse(vector('nextcloud', 'lt-nextcloud-09').hash).strength).toBe('strong');
});

it('refuses what the algorithm of the inner hash refuses, with the same message', () => {
  const { reason, message } = refusalOf(() =>
    verifierOf('shiro2').parse('$shiro2$2y$16$7rOjsAf2U/AKKqpMpCIn6etuOXyQ86tp2Tn9xv6FyXl2T0QYc3.G.'),
  );
  expect(reason).toBe('cost');
  expect(message).toBe('takes 3200 ms by the reference table, above the limit of 2000 ms (hashing_max_ms)');
});

it('counts both runs of bcrypt', () => {
  const twice = parsed('wbb4', 'lt-wbb4-02').cost.ms;
  expect(twice).toBe(2 * verifierOf('bcrypt').parse(vector('wbb4', 'lt-wbb4-02').hash).cost.ms);
});

it('describes its hash, and reveals nothing of the user', () => {
  expect(parsed('nextcloud', 'lt-nextcloud-15').describe()).toMatchObject({
    inner: 'argon2',
    memoryKb: 1024,
  });
  expect(parsed('smf2', 'lt-smf2-01').describe()).toMatchObject({ variant: '2y', cost: 5, userBytes: 5 });
  expect(parsed('smf2', 'lt-smf2-01').decoy()).toBe(`$smf2$u=AAAAAAA=$2b$05$${'.'.repeat(53)}`);
});

it('WordPress matches no password above 4096 bytes', async () => {
  const longest = vector('wordpress-bcrypt', 'lt-wordpress-bcrypt-04');
  const password = passwordOf(longest);
  expect(await parsed('wordpress-bcrypt', longest.id).verify(password)).toBe(true);
  expect(password.length).toBeLessThanOrEqual(4096);
  // The password would match if it were trimmed first.
  const padded = Buffer.concat([password, Buffer.alloc(4097 - password.length, ' ')]);
  expect(await parsed('wordpress-bcrypt', longest.id).verify(padded)).toBe(false);
});

it.runIf(isAvailable('yescrypt'))('holds hashes that need a library of the machine', async () => {
  const { hash, ...rest } =
    vectorsOf('yescrypt').find((one) => one.expect === true) ?? vector('yescrypt', '');
  const stored = verifierOf('ldap-crypt').parse(`{CRYPT}${hash}`);
  expect(stored.strength).toBe('strong');
  expect(await stored.verify(passwordOf({ hash, ...rest }))).toBe(true);
});

it('an envelope is as strong as the inner hash', () => {
  const strengthOf = (algorithm: string, hash: string) => verifierOf(algorithm).parse(hash).strength;
  expect(strengthOf('spring-delegating', '{noop}secret')).toBe('broken');
  expect(
    strengthOf('spring-delegating', vector('spring-delegating', 'lt-spring-delegating-15').hash.trim()),
  ).toBe('strong');
  expect(strengthOf('dovecot', '{PLAIN}secret')).toBe('broken');
  expect(strengthOf('mediawiki', vector('mediawiki', 'own-a').hash)).toBe('broken');
});

it('leaves schemes shared with directory servers to their algorithms, unless Dovecot is named', () => {
  const registry = buildRegistry(DEFAULT_LIMITS);
  for (const { hash } of vectorsOf('dovecot').filter((one) => one.expect === true)) {
    const found = registry.recognise(hash)?.algorithm;
    expect(
      [
        'dovecot',
        'ldap-crypt',
        'ldap-sha',
        'ldap-ssha',
        'ldap-smd5',
        'ldap-sha2',
        'ldap-pbkdf2',
        'scram',
        'spring-delegating',
      ],
      hash,
    ).toContain(found);
    expect(registry.named('dovecot')?.parse(hash).algorithm).toBe('dovecot');
  }
});
