import { expect, it } from 'vitest';
import { namedKeys } from '../../src/config/named-keys.ts';

it('reads each key with its name, or calls it by its place', () => {
  expect(namedKeys(' first-key ,ops:second-key, third=key-3 ')).toEqual([
    { name: 'key-1', key: 'first-key' },
    { name: 'ops', key: 'second-key' },
    { name: 'key-3', key: 'third=key-3' },
  ]);
});
