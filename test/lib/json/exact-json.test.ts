import { describe, expect, it } from 'vitest';
import { ExactNumber, parseExact, toJson } from '../../../src/lib/json/exact-json.ts';
import { NUMBERS } from './numbers.ts';

describe('parseExact', () => {
  it.each(NUMBERS)('keeps %s anywhere', (number) => {
    for (const json of [`{"a":${number}}`, `[${number},{"b":[null,${number}],"c":"${number}"}]`]) {
      expect(toJson(parseExact(json) as object)).toBe(json);
    }
  });

  it('keeps a number that is the whole text', () => {
    for (const json of ['1.0', ' 12345678901234567890\n', '-0', '1e400'])
      expect(parseExact(json)).toEqual(new ExactNumber(json.trim()));
  });

  it('otherwise equals JSON.parse', () => {
    for (const json of [
      '1',
      '-1.5',
      'null',
      '"1.0"',
      '[]',
      '{"a":1.5,"__proto__":{"b":2}}',
      '{"a":1.0,"a":2}',
    ]) {
      expect(parseExact(json)).toEqual(JSON.parse(json));
    }
    expect(() => parseExact('{"a":1.0')).toThrow(SyntaxError);
  });
});
