import { describe, expect, it } from 'vitest';
import { shownName } from '../../../src/sources/fields/shown-name.ts';

describe('the name of a column', () => {
  it.each([
    ...['email', 'auth.users', 'cognito:mfa_enabled', '@type', 'Fecha de creación', '$id', 'a b-c'],
    'x'.repeat(39),
  ])('%s is shown', (name) => {
    expect(shownName(name)).toBe(name);
  });

  it.each([
    'ada@example.com',
    '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2',
    'e02ffc5beb96c32b513c48bfefc6c4042883e7cb93329b211c1d49728857cb6c:salt',
    'lyYAGlQo7BamIyW4k578WgOkmn9hFbzZdpfRF4C7ld',
    '{SSHA}abc',
    'x","email":"',
    "'Grace'",
    'é'.repeat(200),
  ])('%s is data, and is not shown', (name) => {
    expect(shownName(name)).toBe('••');
  });
});
