import { expect, it } from 'vitest';
import { namedKeys } from '../../src/config/named-keys.ts';

it('reads each key with its name, or names it by its position', () => {
  expect(namedKeys(' first-key ,ops:second-key, third=key-3 ')).toEqual([
    { name: 'key-1', key: 'first-key' },
    { name: 'ops', key: 'second-key' },
    { name: 'key-3', key: 'third=key-3' },
  ]);
});
