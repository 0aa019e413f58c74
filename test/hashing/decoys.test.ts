import { describe, expect, it } from 'vitest';
import { Decoys } from '../../src/hashing/decoys.ts';
import { EXPENSIVE_MS } from '../../src/hashing/kdf-gate.ts';
import type { ParsedHash } from '../../src/hashing/verifier.ts';
import { verifierOf, WIDEST_LIMITS } from '../support/vectors.ts';

const bcrypt = verifierOf('bcrypt');
const argon2 = verifierOf('argon2');

const bcryptHash = (cost: string, digest = 'x') =>
  bcrypt.parse(`$2b$${cost}$${digest.repeat(53).slice(0, 53)}`);
const argonHash = (memoryKb: number) =>
  argon2.parse(`$argon2id$v=19$m=${memoryKb},t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`);

const FALLBACK = argonHash(64);
const SECRET = 'a secret';
const emails = Array.from({ length: 1000 }, (_, index) => `nobody-${index}@example.com`);

function shares(decoys: Decoys): Map<string, number> {
  const counts = new Map<string, number>();
  for (const email of emails) {
    const { encoded } = decoys.pick(email);
    counts.set(encoded, (counts.get(encoded) ?? 0) + 1 / emails.length);
  }
  return counts;
}

it('returns the fallback until a hash was seen', () => {
  const decoys = new Decoys(FALLBACK, SECRET);
  expect(decoys.pick('a@b.c')).toBe(FALLBACK);
  decoys.learn(bcryptHash('05'));
  expect(decoys.pick('a@b.c').algorithm).toBe('bcrypt');
});

it('returns decoys in the proportions of the hashes seen', () => {
  const decoys = new Decoys(FALLBACK, SECRET);
  for (let n = 0; n < 70; n += 1) decoys.learn(bcryptHash('05'));
  for (let n = 0; n < 20; n += 1) decoys.learn(bcryptHash('10'));
  for (let n = 0; n < 10; n += 1) decoys.learn(argonHash(1024));
  const dealt = [...shares(decoys)].toSorted(([, a], [, b]) => b - a);
  expect(dealt.map(([encoded]) => encoded.slice(0, 24))).toEqual([
    '$2b$05$.................',
    '$2b$10$.................',
    '$argon2id$v=19$m=1024,t=',
  ]);
  // The e-mails and the secret are always the same, so the outcome is, too. 1000 throws deviate by 0.015 on average.
  for (const [index, expected] of [0.7, 0.2, 0.1].entries()) {
    expect(Math.abs((dealt[index]?.[1] ?? 0) - expected)).toBeLessThan(0.05);
  }
});

it('returns the same decoy for an e-mail under the same secret, and only then', () => {
  const deal = (secret: string) => {
    const decoys = new Decoys(FALLBACK, secret);
    decoys.learn(bcryptHash('05'));
    decoys.learn(bcryptHash('10'));
    return emails.map((email) => decoys.pick(email).encoded);
  };
  expect(deal('one')).toEqual(deal('one'));
  expect(deal('two')).not.toEqual(deal('one'));
});

it('changes the decoy of an e-mail only to a kind that became more frequent', () => {
  const decoys = new Decoys(FALLBACK, SECRET);
  for (const cost of ['05', '06', '07']) for (let n = 0; n < 10; n += 1) decoys.learn(bcryptHash(cost));
  const before = emails.map((email) => decoys.pick(email).encoded);
  for (let n = 0; n < 10; n += 1) decoys.learn(bcryptHash('06'));
  const after = emails.map((email) => decoys.pick(email).encoded);
  const moved = after.filter((decoy, index) => decoy !== before[index]);
  expect(moved.length).toBeGreaterThan(0);
  expect(new Set(moved)).toEqual(new Set([`$2b$06$${'.'.repeat(53)}`]));
});

it('can learn a cost without counting it', () => {
  const decoys = new Decoys(FALLBACK, SECRET);
  for (let n = 0; n < 50; n += 1) decoys.learn(bcryptHash('05'));
  for (let n = 0; n < 5000; n += 1) decoys.notice(bcryptHash('10'));
  const dealt = shares(decoys).get(`$2b$10$${'.'.repeat(53)}`) ?? 0;
  expect(dealt).toBeGreaterThan(0);
  expect(dealt).toBeLessThan(0.1);
});

it('keeps the cost of a hash, but neither its salt nor its digest', () => {
  const secret = bcryptHash('07', 'Secret');
  const decoys = new Decoys(FALLBACK, SECRET);
  decoys.learn(secret);
  const decoy = decoys.pick('a@b.c');
  expect(decoy.encoded).toBe(`$2b$07$${'.'.repeat(53)}`);
  expect(secret.decoy()).toBe(decoy.encoded);
});

it('treats hashes of the same cost as one kind', () => {
  const decoys = new Decoys(FALLBACK, SECRET);
  decoys.learn(bcryptHash('05', 'abc'));
  decoys.learn(bcryptHash('05', 'xyz'));
  expect(shares(decoys).size).toBe(1);
});

it('remembers a bounded number of kinds', () => {
  const decoys = new Decoys(FALLBACK, SECRET);
  for (let n = 0; n < 500; n += 1) decoys.learn(argonHash(8 + n));
  expect(shares(decoys).size).toBe(64);
});

/** Returns the reference cost of every e-mail's decoy, in ms. */
const costs = (decoys: Decoys) => emails.map((email) => decoys.pick(email).cost.ms);
const expensiveShare = (decoys: Decoys) =>
  costs(decoys).filter((ms) => ms > EXPENSIVE_MS).length / emails.length;

/** Hashes of 1 MiB and many passes. Each `n` is a kind of its own, and all of them are expensive. */
const wideArgon2 = verifierOf('argon2', WIDEST_LIMITS);
const dear = (n: number): ParsedHash =>
  wideArgon2.parse(`$argon2id$v=19$m=${65_536 + n},t=12,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`);

describe('expensive hashes', () => {
  it('are returned for unknown e-mails as often as users have them', () => {
    const decoys = new Decoys(FALLBACK, SECRET);
    decoys.learn(bcryptHash('10'), 900);
    decoys.learn(bcryptHash('14'), 100);
    expect(Math.abs(expensiveShare(decoys) - 0.1)).toBeLessThan(0.05);
    decoys.learn(bcryptHash('15'), 1000);
    expect(Math.abs(expensiveShare(decoys) - 0.55)).toBeLessThan(0.05);
  });

  it('are the only decoys if all users have them', () => {
    const decoys = new Decoys(FALLBACK, SECRET);
    for (let n = 0; n < 32; n += 1) decoys.learn(bcryptHash('14'));
    expect(expensiveShare(decoys)).toBe(1);
  });

  it('make unknown e-mails expensive only in proportion, if a handful are among a million', () => {
    const decoys = new Decoys(FALLBACK, SECRET);
    decoys.learn(bcryptHash('10'), 1_000_000);
    for (let n = 0; n < 30; n += 1) decoys.learn(dear(n));
    // Signing in with them repeatedly changes nothing.
    for (let n = 0; n < 1000; n += 1) decoys.notice(dear(n % 30));
    expect(expensiveShare(decoys)).toBeLessThan(0.005);
  });

  it('are few of many when they are the first few of a new service', () => {
    const decoys = new Decoys(FALLBACK, SECRET);
    for (let n = 0; n < 4; n += 1) decoys.learn(bcryptHash('14'));
    expect(Math.abs(expensiveShare(decoys) - 4 / 32)).toBeLessThan(0.05);
    decoys.learn(bcryptHash('10'), 28);
    expect(Math.abs(expensiveShare(decoys) - 4 / 32)).toBeLessThan(0.05);
  });

  it('are not overrepresented as the first of many kinds', () => {
    const decoys = new Decoys(FALLBACK, SECRET);
    for (let n = 0; n < 64; n += 1) decoys.learn(dear(n));
    for (let n = 0; n < 6400; n += 16) decoys.learn(bcryptHash('10'), 16);
    expect(expensiveShare(decoys)).toBeLessThan(0.05);
  });

  it('are not overrepresented as the last of many kinds', () => {
    const decoys = new Decoys(FALLBACK, SECRET);
    for (let n = 0; n < 64; n += 1) decoys.learn(argonHash(8 + n), 10_000);
    for (let n = 0; n < 32; n += 1) decoys.learn(dear(n));
    expect(expensiveShare(decoys)).toBeLessThan(0.05);
  });
});
