import bcrypt from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { buggyBcryptKey } from '../../../src/hashing/families/bcrypt.ts';
import { refusalOf, vector, vectorsOf, verifierOf, WIDEST_LIMITS } from '../../support/vectors.ts';

const verifier = verifierOf('bcrypt');
const GOOD = vector('bcrypt', 'bcrypt-pl-29');
const SETTING = '$2b$04$......................';

const verify = (hash: string, password: string | Buffer) =>
  verifier.parse(hash).verify(Buffer.from(password));

it('refuses cost 31, which the library refuses only after running it', () => {
  const widest = verifierOf('bcrypt', { ...WIDEST_LIMITS, maxMs: Number.POSITIVE_INFINITY });
  const { reason, message } = refusalOf(() => widest.parse(GOOD.hash.replace('$05$', '$31$')));
  expect(reason).toBe('cost');
  expect(message).toBe('cost 31 is above 30, the highest that can be verified');
  expect(widest.parse(GOOD.hash.replace('$05$', '$30$')).encoded).toMatch(/^\$2b\$30/);
});

it('matches no other password if unused bits of the hash are set', async () => {
  for (const id of ['bcrypt-pl-pad-1-bad', 'bcrypt-pl-pad-2-bad'])
    expect(await verify(vector('bcrypt', id).hash, 'tesT')).toBe(false);
});

describe('the bytes of a password that count', () => {
  it('are the first 72', async () => {
    const hash = await bcrypt.hash('x'.repeat(72), SETTING);
    for (const variant of ['$2a$', '$2b$', '$2x$', '$2y$']) {
      const labelled = hash.replace('$2b$', variant);
      for (const more of ['', 'y', 'y'.repeat(200)]) {
        expect(await verify(labelled, 'x'.repeat(72) + more)).toBe(true);
      }
      expect(await verify(labelled, 'x'.repeat(71))).toBe(false);
    }
  });

  it('include the first bytes of a character that is cut at the 72nd byte', async () => {
    const hash = await bcrypt.hash(`${'x'.repeat(71)}ä`, SETTING);
    expect(await verify(hash, `${'x'.repeat(71)}ö`)).toBe(true);
    expect(await verify(hash, `${'x'.repeat(71)}Ā`)).toBe(false);
  });

  it('include NUL bytes', async () => {
    const hash = await bcrypt.hash(Buffer.from('pass\0word'), SETTING);
    expect(await verify(hash, 'pass\0word')).toBe(true);
    for (const other of ['pass', 'pass\0', 'pass\0worx']) expect(await verify(hash, other)).toBe(false);
  });

  it('are equal for a password and its repetition after a NUL, by the definition of bcrypt', async () => {
    const hash = await bcrypt.hash('a', SETTING);
    expect(await verify(hash, 'a\0a')).toBe(true);
  });
});

describe('the key of $2x$', () => {
  it('equals that of $2b$ if no byte has its high bit set', () => {
    expect(buggyBcryptKey(Buffer.from('abc')).toString('latin1')).toBe('abc\0'.repeat(18));
  });

  it('loses the bytes before one with the high bit set, within a word', () => {
    expect(buggyBcryptKey(Buffer.from('313233a3', 'hex')).subarray(0, 4).toString('hex')).toBe('ffffffa3');
    expect(buggyBcryptKey(Buffer.alloc(100, 0x61))).toHaveLength(72);
    expect(buggyBcryptKey(Buffer.alloc(0))).toEqual(Buffer.alloc(72));
  });
});

describe('a decoy', () => {
  it('depends on the cost alone', () => {
    const decoys = vectorsOf('bcrypt')
      .filter(({ hash }) => /^\$2[abxy]\$05\$[./A-Za-z0-9]{53}$/.test(hash))
      .map(({ hash }) => verifier.parse(hash).decoy());
    expect(new Set(decoys)).toEqual(new Set([`$2b$05$${'.'.repeat(53)}`]));
  });
});

const EXPECTED = `expected ${verifier.looksLike.replaceAll('`', '')}`;

describe('a refusal names the reason', () => {
  it.each([
    ['', EXPECTED],
    [GOOD.hash.replace('$2b$', '$2$'), 'variant must be one of a, b, x, y'],
    [GOOD.hash.slice(0, 41), 'digest must be 23 bytes long, got 9'],
    [GOOD.hash.replace('$05$', '$x5$'), EXPECTED],
    [GOOD.hash.replace('$05$', '$03$'), 'cost must be at least 04'],
    [
      GOOD.hash.replace('$05$', '$16$'),
      'takes 3200 ms by the reference table, above the limit of 2000 ms (hashing_max_ms)',
    ],
    [`${GOOD.hash.slice(0, 11)}+${GOOD.hash.slice(12)}`, 'salt is not of ./A-Za-z0-9'],
  ])('%j', (hash, message) => {
    expect(refusalOf(() => verifier.parse(hash)).message).toBe(message);
  });
});
