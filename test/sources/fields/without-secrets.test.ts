import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/lib/json/exact-json.ts';
import type { JsonObject } from '../../../src/lib/json/json-object.ts';
import { withoutSecrets } from '../../../src/sources/fields/without-secrets.ts';

const SECRET = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

function read(metadata: JsonObject) {
  const paths: string[] = [];
  const kept = withoutSecrets(metadata, (path) => paths.push(path.join('.')));
  return { kept, paths };
}

it('returns the same object if nothing is secret', () => {
  const metadata = {
    name: 'Ada',
    profile: { tags: ['a', { b: null }], n: new ExactNumber('1.0') },
    note: '{"a": 1.0}',
  };
  expect(read(metadata)).toEqual({ kept: metadata, paths: [] });
  expect(read(metadata).kept).toBe(metadata);
});

it('leaves out members by name and by value, and reports which', () => {
  const metadata = {
    plan: 'pro',
    api_key: 'k',
    recovery_codes: ['1', '2'],
    profile: { city: 'Ulm', legacy: SECRET, devices: [{ name: 'd', pushToken: 't' }, SECRET] },
    two_factor_secret: null,
  };
  expect(read(metadata)).toEqual({
    kept: { plan: 'pro', profile: { city: 'Ulm', devices: [{ name: 'd' }] }, two_factor_secret: null },
    paths: ['api_key', 'recovery_codes', 'profile.legacy', 'profile.devices.pushToken', 'profile.devices'],
  });
});

describe('JSON in a text', () => {
  it('loses its secrets, and the rest keeps its spelling', () => {
    const auth_data =
      '{"id": 7, "scope": 1.0, "refresh_token": "1//0g", "more": "{\\"access_token\\": \\"x\\", \\"a\\": 1}"}';
    expect(read({ auth_data })).toEqual({
      kept: { auth_data: '{"id":7,"scope":1.0,"more":"{\\"a\\":1}"}' },
      paths: ['auth_data.refresh_token', 'auth_data.more.access_token'],
    });
  });

  it('of managed accounts has no passwords', () => {
    const { kept } = read({ managedAccounts: ' [{"application":"a","username":"ada","password":"x"}]' });
    expect(kept).toEqual({ managedAccounts: '[{"application":"a","username":"ada"}]' });
  });

  it('is left out completely if it cannot be parsed, or is spelled differently', () => {
    for (const text of [
      '{"refresh_token": "abc", "cut',
      "{'refresh_token': 'abc'}",
      'a:1:{s:13:"refresh_token";s:3:"abc";}',
      '---\n:refresh_token: abc\n',
      '"refresh_token"=>"abc"',
    ])
      expect(read({ plan: 'pro', extra: text })).toEqual({ kept: { plan: 'pro' }, paths: ['extra'] });
    for (const text of ['[draft] my token of thanks', '{name} is here', 'a:1:{s:4:"city";s:3:"Ulm";}'])
      expect(read({ extra: text }).kept).toEqual({ extra: text });
  });
});

it('finds a secret anywhere, and keeps everything else', () => {
  const plain = fc.oneof(
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    fc.constantFrom('Ada', 'Ulm', '2024-01-15'),
  );
  const names = fc.constantFrom('city', 'profile', 'list', 'note', 'a.b', '__proto__', 'constructor');
  type Step = { name: string; as: 'object' | 'list' | 'json'; beside: unknown };
  const steps = fc.array(
    fc.record({
      name: names,
      as: fc.constantFrom('object', 'list', 'json'),
      beside: plain,
    }) as fc.Arbitrary<Step>,
    { maxLength: 6 },
  );
  const member = (name: string, value: unknown): object => Object.fromEntries([[name, value]]);
  const wrapped = (inner: object, path: readonly Step[]) =>
    path.reduce<object>((value, { name, as, beside }) => {
      const held = as === 'json' ? JSON.stringify(value) : as === 'list' ? [beside, value] : value;
      return { beside, ...member(name, held) };
    }, inner);
  const secrets = fc.oneof(
    fc.constant(member('refreshtoken', 'MARK')),
    fc.constant(member('legacy', `{SSHA}MARK${'x'.repeat(20)}`)),
    fc.constant(member(`$2b$10$MARK${'x'.repeat(40)}`, 'devices')),
  );
  fc.assert(
    fc.property(secrets, steps, (secret, path) => {
      const { kept, paths } = read(wrapped({ ...secret, kept: 'yes' }, path) as JsonObject);
      expect(paths).toHaveLength(1);
      expect(JSON.stringify(kept)).not.toContain('MARK');
      expect(kept).toEqual(read(wrapped({ kept: 'yes' }, path) as JsonObject).kept);
    }),
  );
});
