import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/schema.ts';
import { configurationExample } from '../support/docs/config-reference.ts';
import { KEY, load, loaded, URI } from './sources.ts';

it.each([
  [KEY, true],
  [`${KEY},${'k'.repeat(20)}`, true],
  [` ${KEY} , ${KEY} `, true],
  ['k'.repeat(19), false],
  [`${KEY},short`, false],
  [`${KEY},`, false],
  [`${KEY} ${KEY}`, false],
  [`${KEY}_`, false],
  [`${KEY}ä`, false],
  [`migration:${KEY}`, true],
  [` ops_2-b:${KEY} , ${KEY},key:${KEY}`, true],
  [`${'n'.repeat(32)}:${KEY}`, true],
  [`${'n'.repeat(33)}:${KEY}`, false],
  [`:${KEY}`, false],
  [`a b:${KEY}`, false],
  [`a.b:${KEY}`, false],
  [`ä:${KEY}`, false],
  [`migration: ${KEY}`, false],
  [`migration :${KEY}`, false],
  [`a:b:${KEY}`, false],
  ['migration:short', false],
  ['migration:', false],
  [`${KEY}:`, false],
])('API_KEYS may be %j: %s', (API_KEYS, isGood) => {
  expect(load({ env: { API_KEYS } }).ok).toBe(isGood);
});

it.each([
  [URI, true],
  ['postgres://localhost/users', true],
  ['postgresql:///users?host=/var/run/postgresql', true],
  ['mysql://localhost/users', false],
  ['localhost:5432', false],
  ['postgresql://[nonsense', false],
])('POSTGRESQL_CONNECTION_URI may be %j: %s', (POSTGRESQL_CONNECTION_URI, isGood) => {
  expect(load({ env: { POSTGRESQL_CONNECTION_URI, API_KEYS: KEY } }).ok).toBe(isGood);
});

describe('documentation', () => {
  const example = configurationExample;

  it('has an example file that changes nothing if it is used unedited', () => {
    expect(loaded({ yaml: example() })).toEqual(loaded({}));
  });

  it('has an example file that states the defaults', () => {
    const switchedOn = example().replaceAll(/^#(?=\w+:)/gm, '');
    expect(loaded({ yaml: switchedOn })).toEqual(loaded({}));
    for (const [name] of SETTINGS) expect(switchedOn).toContain(`\n${name}:`);
  });
});
