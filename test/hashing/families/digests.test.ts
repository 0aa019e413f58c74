import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, refusalOf, vector, verifierOf } from '../../support/vectors.ts';

describe('salted digests', () => {
  const rounds = (count: number) =>
    vector('salted-sha256', 'own-salted-sha256-101-rounds').hash.replace('i=101', `i=${count}`);
  const costOf = (count: number) => verifierOf('salted-sha256').parse(rounds(count)).cost;

  it('run in place up to a hundred rounds, and on a worker above', () => {
    expect(costOf(100).runsOn).toBe('event-loop');
    expect(costOf(101).runsOn).toBe('process');
    expect(costOf(1_000_000).ms).toBeCloseTo(1000, -1);
  });

  it('have at most as many rounds as fit in the time of one hash', () => {
    const { reason, message } = refusalOf(() => costOf(2_000_001));
    expect([reason, message]).toEqual(['cost', expect.stringContaining('hashing_max_ms')]);
  });
});

describe('Magento 2', () => {
  const parsed = (versions: string) =>
    verifierOf('magento2').parse(`${'0'.repeat(64)}:sixteen bytes or more:${versions}`);

  it('has the strength and the cost of the links of its chain', () => {
    expect(parsed('0:1').strength).toBe('broken');
    expect(parsed('0:1').cost.runsOn).toBe('event-loop');
    expect(parsed('0:2').strength).toBe('strong');
    expect(parsed('0:2').cost).toEqual({ memoryBytes: 64 * 1024 * 1024, ms: expect.closeTo(115, 0) });
    expect(parsed('2:2').cost.ms).toBeCloseTo(2 * parsed('2').cost.ms);
    expect(parsed('2').cost).toEqual(parsed('3_32_2_67108864').cost);
  });

  it('stays within the memory of the service', () => {
    const low = verifierOf('magento2', { ...DEFAULT_LIMITS, memoryBudgetBytes: 63 * 1024 * 1024 });
    expect(refusalOf(() => low.parse(`${'0'.repeat(64)}:salt:2`)).reason).toBe('cost');
  });
});

it('repairs a canonical hash with hexadecimal digits instead of base64', async () => {
  const verifier = verifierOf('vbulletin');
  const { hash, password } = vector('vbulletin', 'lt-vbulletin-03');
  const [, name, params, salt, digest = ''] = hash.split('$');
  const asHex = ['', name, params, salt, Buffer.from(digest, 'base64').toString('hex')].join('$');
  refusalOf(() => verifier.parse(asHex));
  const [repair] = verifier.repairs(asHex);
  expect(repair?.mistake).toBe('HEX_INSTEAD_OF_BASE64');
  expect(await verifier.parse(repair?.encoded ?? '').verify(Buffer.from(password ?? ''))).toBe(true);
  expect(verifier.repairs(hash).map(({ mistake }) => mistake)).not.toContain('HEX_INSTEAD_OF_BASE64');
});
