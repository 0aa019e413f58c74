import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/lib/json/exact-json.ts';
import { timeOf, timeOfObjectId } from '../../../src/sources/fields/time.ts';

const MOMENT = Date.UTC(2024, 0, 15, 10, 30, 0, 123);
const SECOND = Date.UTC(2024, 0, 15, 10, 30, 0);
const DAY = Date.UTC(2024, 0, 15);

describe('values that are not a time', () => {
  it.each([undefined, null, '', ' ', 0, -5, Number.NaN, true, {}, [1705314600], 44211.416])('%j', (value) => {
    expect(timeOf(value)).toBeUndefined();
  });

  it.each([
    ['words', 'NULL|infinity|-infinity|yesterday|/Date(x)/'],
    [
      'numbers',
      '0|12345678901234567890|20240115|20240115103000123|1705314600123456|133497882001234567|44211',
    ],
    ['before 1970', '0000-00-00|0000-00-00 00:00:00|0001-01-01T00:00:00|1969-12-31T23:59:59Z'],
    ['a day that does not exist', '2024-13-01T00:00:00Z|2024-01-32|2024-02-31|15.13.2024|20241315103000Z'],
    ['an hour that does not exist', '2024-01-15T24:00:00Z|2024-01-15T25:00:00Z|2024-01-15T10:60:00Z'],
    ['no form', '2024-01-15T10:30:00.Z|2024-01-15T10:30:00Zx|2024011510301Z|20240115T103000+99'],
    ['an order of day and month', '15/01/2024|15/01/2024 10:30:00.123 UTC|01/15/2024 10:30:00'],
    ['a year of two digits', '15.1.24|15-JAN-24'],
    ['an unknown zone', '15.01.2024 10:30:00 EST|Mon Jan 15 10:30:00.123 2024 EST'],
    ['a part twice', 'Mon Jan 15 Jan 10:30:00.123 2024|Mon Jan 15 2024 10:30:00 2024'],
    ['other parts', 'Mon Foo 15 10:30:00 UTC 2024|Mon Jan 15 10:30:00 UTC|Mon, 99 Jan 2024 10:30:00 GMT'],
  ])('texts with %s: %s', (_, texts) => {
    for (const text of texts.split('|')) expect([text, timeOf(text)]).toEqual([text, undefined]);
  });
});

describe('times', () => {
  it.each([
    ['2024-01-15T10:30:00.123Z', MOMENT],
    ['2024-01-15T10:30:00.123456789Z', MOMENT],
    ['2024-01-15T10:30:00.1239999', MOMENT],
    ['2024-01-15 10:30:00.123+00', MOMENT],
    ['2024-01-15 10:30:00.123+00:00', MOMENT],
    ['2024-01-15 10:30:00.123+0000', MOMENT],
    ['2024-01-15 10:30:00,123', MOMENT],
    [' 2024-01-15 10:30:00.123 UTC ', MOMENT],
    ['2024-01-15T12:30:00.123+02:00', MOMENT],
    ['2024-01-15T05:00:00.123-0530', MOMENT],
    ['2024-01-15 11:30:00.123+01', MOMENT],
    ['2024-01-15 10:30:00.1', SECOND + 100],
    ['2024-01-15 10:30:00', SECOND],
    ['2024-01-15 10:30', SECOND],
    ['2024-01-15', DAY],
    ['253402300799', Date.UTC(9999, 11, 31, 23, 59, 59)],
    ['253402300800', Date.UTC(1978, 0, 11, 21, 31, 40, 800)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2024-01-31 23:59:59+00', Date.UTC(2024, 0, 31, 23, 59, 59)],
    ['20240115103000Z', SECOND],
    ['20240115103000.123Z', MOMENT],
    ['20240115103000123Z', MOMENT],
    ['202401151030Z', SECOND],
    ['20240115113000+0100', SECOND],
    ['20240115T103000Z', SECOND],
    ['20240115T103000.123Z', MOMENT],
    ['20240115T103000', SECOND],
    ['20240115T1030', SECOND],
    ['20240115103000', SECOND],
    [20240115103000, SECOND],
    ['/Date(1705314600123)/', MOMENT],
    ['/Date(1705314600123+0100)/', MOMENT],
    ['\\/Date(1705314600123)\\/', MOMENT],
    ['2024/01/15 10:30:00', SECOND],
    ['2024/01/15', DAY],
    ['Mon Jan 15 10:30:00 UTC 2024', SECOND],
    ['Mon Jan 15 10:30:00 2024', SECOND],
    ['Mon Jan 15 2024 11:30:00 GMT+0100 (Central European Standard Time)', SECOND],
    ['Mon, 15 Jan 2024 10:30:00 GMT', SECOND],
    ['15.01.2024 10:30:00.123 UTC', MOMENT],
    ['15.01.2024 10:30:00.123', MOMENT],
    ['15.01.2024 10:30:00', SECOND],
    ['15.01.2024', DAY],
    ['Mon Jan 15 10:30:00.123456 2024 UTC', MOMENT],
    ['Mon 15 Jan 10:30:00.123 2024', MOMENT],
    [1705314600123, MOMENT],
    ['1705314600123', MOMENT],
    [1705314600, SECOND],
    ['1705314600', SECOND],
    [1705314600.123, MOMENT],
    ['1705314600.123999', MOMENT],
    [new ExactNumber('1705314600.1230'), MOMENT],
    // 1541141021.457 × 1000 is 1541141021456.9998 in floating point.
    [1541141021.457, 1541141021457],
  ])('are read from %j', (value, expected) => {
    expect(timeOf(value)).toBe(expected);
  });

  it('are read in any spelling of a moment in UTC', () => {
    const moments = fc.integer({ min: 1, max: Date.UTC(2200, 0, 1) });
    fc.assert(
      fc.property(moments, fc.constantFrom('Z', '', '+00', '+00:00', '+0000'), (ms, zone) => {
        const iso = new Date(ms).toISOString().replace('Z', '');
        expect(timeOf(iso + zone)).toBe(ms);
        expect(timeOf(iso.replace('T', ' ') + zone)).toBe(ms);
      }),
    );
  });

  it('are read from any number whose unit is known', () => {
    const moments = fc.integer({ min: Date.UTC(2002, 0, 1), max: Date.UTC(2099, 11, 31) });
    fc.assert(
      fc.property(moments, (ms) => {
        const digits = new Date(ms).toISOString().replace(/\D/g, '');
        const whole = Math.floor(ms / 1000) * 1000;
        expect(timeOf(digits.slice(0, 14))).toBe(whole);
        expect(timeOf(String(ms))).toBe(ms);
        expect(timeOf(String(whole / 1000))).toBe(whole);
      }),
    );
  });

  it('are never before 1970, and never fractions', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), fc.double().map(String)), (value) => {
        const ms = timeOf(value);
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
      }),
    );
  });
});

it('the seconds of an ObjectId are a time', () => {
  expect(timeOfObjectId('5efefa82d16c1b9849c5b66c')).toBe(0x5efefa82 * 1000);
  expect(timeOfObjectId('5efefa82d16c1b9849c5b66')).toBeUndefined();
  expect(timeOfObjectId('legacy-17')).toBeUndefined();
});
