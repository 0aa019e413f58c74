import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import type { Family } from '../../src/hashing/family.ts';
import type { HashingSecret } from '../../src/hashing/secrets.ts';
import { acceptHash } from '../../src/passwords/accept-hash.ts';
import { identifyCandidates, verifyPasswordHash } from '../../src/passwords/verify-password-hash.ts';
import {
  PEPPERED,
  passwordsOf,
  passwordThenSalt,
  peppered,
  SALT_FIRST,
  SALT_LAST,
  saltedHex,
  saltFirst,
  saltThenPassword,
  withPepper,
} from '../hashing/made-up-families.ts';

const HASH = saltFirst('secret', 'Xy9');
const PEPPER: HashingSecret = { id: 'site', algorithm: 'peppered', bytes: Buffer.from('pepper') };
const CLASH = [SALT_LAST, SALT_FIRST, PEPPERED];

const verify = (
  request: Parameters<typeof verifyPasswordHash>[1],
  families: readonly Family[] = CLASH,
  secrets: readonly HashingSecret[] = [],
) => verifyPasswordHash({ passwords: passwordsOf(families, secrets) }, request);

const match = (algorithm: string, mustBeNamed = true) => ({
  algorithm,
  parameters: { hashBytes: 16, saltBytes: 3 },
  cost: { ms: expect.any(Number), memoryBytes: 8192 },
  mustBeNamed,
});
const runnersUp = (names: string[], ms?: number) =>
  names.map((name) => saltedHex(name, () => Buffer.alloc(16, 1), { byName: true, ...(ms && { ms }) }));

describe('a hash that fits several families', () => {
  it('is refused by the import, which names the families', () => {
    const { registry } = passwordsOf(CLASH);
    expect(() => acceptHash(registry, HASH)).toThrow(
      expect.objectContaining({
        code: 'PASSWORD_HASH_INVALID',
        message:
          'Password hash is in invalid format: name the hashingAlgorithm, one of salt-last, salt-first, peppered',
      }),
    );
    expect(acceptHash(registry, HASH, 'S-First').algorithm).toBe('salt-first');
  });

  it('is identified by its password', async () => {
    expect(await verify({ passwordHash: HASH, password: 'secret' })).toEqual({
      match: true,
      algorithm: 'salt-first',
      parameters: { hashBytes: 16, saltBytes: 3 },
      cost: { ms: expect.any(Number), memoryBytes: 8192 },
      matches: [match('salt-first')],
    });
  });

  it('has every family that matches, by rank and then in the order of the list', async () => {
    const twin = (name: string, rank: number) => saltedHex(name, saltThenPassword, { byName: true, rank });
    const answer = await verify({ passwordHash: HASH, password: 'secret' }, [
      twin('rare', 1),
      SALT_LAST,
      twin('usual', -1),
      SALT_FIRST,
      twin('other', 0),
    ]);
    expect(answer.algorithm).toBe('usual');
    expect(answer.matches?.map(({ algorithm }) => algorithm)).toEqual([
      'usual',
      'salt-first',
      'other',
      'rare',
    ]);
  });

  it('has the recognised family first, then every other that matches', async () => {
    const usual = saltedHex('usual', saltThenPassword);
    const twin = saltedHex('twin', saltThenPassword, { byName: true });
    const request = { passwordHash: HASH, password: 'secret' };
    expect((await verify(request, [SALT_LAST, twin, usual])).matches).toEqual([
      match('usual', false),
      match('twin'),
    ]);
    expect(await verify({ ...request, hashingAlgorithm: 'usual' }, [twin, usual])).not.toHaveProperty(
      'matches',
    );
  });

  it('may belong to a family that must be named, if the recognised one does not match', async () => {
    const usual = saltedHex('usual', passwordThenSalt);
    const request = { passwordHash: HASH, password: 'secret' };
    expect(await verify(request, [usual, SALT_FIRST])).toMatchObject({
      match: true,
      algorithm: 'salt-first',
      matches: [match('salt-first')],
    });
    expect(await verify({ ...request, password: 'wrong' }, [usual, SALT_FIRST])).toEqual({
      match: false,
      algorithm: 'usual',
      parameters: { hashBytes: 16, saltBytes: 3 },
      cost: expect.anything(),
      candidates: [
        expect.objectContaining({ hashingAlgorithm: 'usual' }),
        expect.objectContaining({ hashingAlgorithm: 'salt-first' }),
      ],
    });
  });

  it('is refused as by the import, if the recognised family refuses it and no other matches', async () => {
    const recognised = saltedHex('usual', withPepper, { secret: 'required' });
    const refused = { code: 'HASHING_SECRET_MISSING' };
    const request = { passwordHash: HASH, password: 'wrong' };
    await expect(verify(request, [recognised, SALT_FIRST])).rejects.toMatchObject(refused);
    expect(await verify({ ...request, password: 'secret' }, [recognised, SALT_FIRST])).toMatchObject({
      match: true,
      algorithm: 'salt-first',
    });
  });

  it('has its families listed if none matches, without a guess', async () => {
    expect(await verify({ passwordHash: HASH, password: 'wrong' })).toMatchObject({
      match: false,
      candidates: [
        { hashingAlgorithm: 'salt-last', mustBeNamed: true, parses: true },
        { hashingAlgorithm: 'salt-first', mustBeNamed: true, parses: true },
        { hashingAlgorithm: 'peppered', needsSecret: true, parses: false },
      ],
    });
  });

  it('has its mistake named, in whichever family', async () => {
    const passwordHash = saltFirst('secret\n', 'Xy9');
    expect(await verify({ passwordHash, password: 'secret' })).toMatchObject({
      match: false,
      algorithm: 'salt-first',
      mistake: {
        code: 'PASSWORD_WHITESPACE',
        message: expect.stringMatching(/ As it is, it is refused: .* name the hashingAlgorithm, one of /),
      },
    });
  });
});

describe('a named family', () => {
  it('is the only answer if it matches', async () => {
    const answer = await verify({ passwordHash: HASH, password: 'secret', hashingAlgorithm: 'salt-first' });
    expect(answer).toMatchObject({ match: true, algorithm: 'salt-first' });
    expect(answer).not.toHaveProperty('matches');
  });

  it('is a mistake if another family of the same format matches', async () => {
    const request = { passwordHash: HASH, password: 'secret', hashingAlgorithm: 'salt-last' };
    expect(await verify(request)).toMatchObject({
      match: false,
      algorithm: 'salt-last',
      mistake: { code: 'ALGORITHM_MISNAMED', message: expect.stringMatching(/ Name salt-first\.$/) },
      matches: [match('salt-first')],
    });
  });

  it('is a mistake if a configured pepper is missing', async () => {
    const request = { passwordHash: peppered('secret', 'Xy9', 'pepper'), password: 'secret' };
    const named = { ...request, hashingAlgorithm: 'salt-first' };
    expect(await verify(named, CLASH, [PEPPER])).toMatchObject({
      match: false,
      mistake: { code: 'PEPPER_MISSING', message: expect.stringMatching(/ Name peppered\.$/) },
    });
    expect(await verify(request, CLASH, [PEPPER])).toMatchObject({ match: true, algorithm: 'peppered' });
    expect(await verify(named)).toMatchObject({ match: false });
    expect(await verify(named)).not.toHaveProperty('mistake');
  });
});

describe('the cost of trying families', () => {
  const names = Array.from({ length: 40 }, (_, index) => `family-${index}`);

  /** Returns passwords with these families, and the costs of what is tried. */
  function watched(families: readonly Family[]) {
    const passwords = passwordsOf(families);
    const costs: number[] = [];
    const tryOut = passwords.tryOut.bind(passwords);
    passwords.tryOut = (trial, caller, signal) => {
      costs.push(trial.hash.cost.ms);
      return tryOut(trial, caller, signal);
    };
    return { passwords, costs };
  }

  it('is at most sixteen key derivations, and seven for mistakes; digests are counted separately', async () => {
    const { passwords, costs } = watched([
      ...runnersUp(names.slice(0, 20), 20),
      ...runnersUp(names.slice(20)),
    ]);
    await verifyPasswordHash({ passwords }, { passwordHash: HASH, password: 'secret' });
    expect(costs.filter((ms) => ms === 20)).toHaveLength(23);
    expect(costs.filter((ms) => ms < 20).length).toBeLessThanOrEqual(64);
    // The cheapest families are tried first.
    const first = costs.slice(0, 36);
    expect(first).toEqual([...first].sort((a, b) => a - b));
  });

  it('is at most two seconds by the reference for families, and two for mistakes', async () => {
    const { passwords, costs } = watched([...runnersUp(names.slice(0, 9), 1900), SALT_FIRST]);
    const answer = await verifyPasswordHash({ passwords }, { passwordHash: HASH, password: 'secret' });
    expect(answer.algorithm).toBe('salt-first');
    await verifyPasswordHash({ passwords }, { passwordHash: HASH, password: 'wrong' });
    expect(costs.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(2 * 4000);
  });
});

describe('candidates', () => {
  it('are listed without a key derivation, most plausible first', () => {
    const passwords = passwordsOf(CLASH, []);
    passwords.tryOut = () => Promise.reject(new Error('was tried'));
    const usual = { strength: 'broken', needsSecret: false, mustBeNamed: true, parses: true };
    expect(identifyCandidates({ passwords }, { passwordHash: ` ${HASH}\n` })).toEqual([
      { ...usual, hashingAlgorithm: 'salt-last' },
      { ...usual, hashingAlgorithm: 'salt-first', aliases: ['s-first'] },
      {
        ...{ ...usual, hashingAlgorithm: 'peppered', needsSecret: true, parses: false },
        reason: expect.stringMatching(/^'hashing_secrets' has no entry for peppered: /),
      },
    ]);
  });

  it('begin with the named family, whether the hash fits or not', () => {
    const passwords = passwordsOf([...CLASH, ...FAMILIES.filter(({ name }) => name === 'salted-md5')]);
    const named = (hashingAlgorithm: string) =>
      identifyCandidates({ passwords }, { passwordHash: HASH, hashingAlgorithm });
    expect(named('peppered')).toHaveLength(3);
    expect(named('peppered')[0]).toMatchObject({ hashingAlgorithm: 'peppered' });
    expect(named('salted-md5')).toHaveLength(4);
    expect(named('salted-md5')[0]).toMatchObject({
      parses: false,
      reason: expect.stringContaining('expected $'),
    });
  });

  it('are empty for text that resembles no hash', () => {
    const passwords = passwordsOf(CLASH);
    for (const passwordHash of ['hunter2', '$unknown$', HASH + 'a'.repeat(5000)])
      expect(identifyCandidates({ passwords }, { passwordHash })).toEqual([]);
    expect(() => identifyCandidates({ passwords }, { passwordHash: ' ' })).toThrow(
      'cannot be an empty string',
    );
  });
});

it('names another configured secret that matches', async () => {
  const secrets = [
    { id: 'new', algorithm: 'peppered', bytes: Buffer.from('new') },
    { id: 'old', algorithm: undefined, algorithms: ['peppered'], bytes: Buffer.from('pepper') },
  ];
  const passwordHash = peppered('secret', 'Xy9', 'pepper');
  const request = { passwordHash, hashingAlgorithm: 'peppered', password: 'secret' };
  expect(await verify(request, CLASH, secrets)).toMatchObject({
    match: false,
    mistake: { code: 'ANOTHER_SECRET', message: expect.stringMatching(/ Its id is old\.$/) },
  });
  // A secret for other families is not tried.
  const ofOthers = secrets.map((secret) => ({ ...secret, algorithms: ['salt-first'] }));
  expect(await verify(request, CLASH, ofOthers)).not.toHaveProperty('mistake');
});
