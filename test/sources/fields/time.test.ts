import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/imports/input/exact-json.ts';
import { timeOf, timeOfObjectId } from '../../../src/sources/fields/time.ts';

const MOMENT = Date.UTC(2024, 0, 15, 10, 30, 0, 123);
const SECOND = Date.UTC(2024, 0, 15, 10, 30, 0);
const DAY = Date.UTC(2024, 0, 15);

describe('what tells no time', () => {
  it.each([
    undefined,
    null,
    '',
    ' ',
    'NULL',
    'infinity',
    '-infinity',
    '0',
    0,
    -5,
    Number.NaN,
    '0000-00-00',
    '0000-00-00 00:00:00',
    '0001-01-01T00:00:00',
    '1969-12-31T23:59:59Z',
    '2024-13-01T00:00:00Z',
    '2024-01-32',
    '2024-01-15T25:00:00Z',
    '2024-01-15T10:60:00Z',
    '2024-01-15T10:30:00.Z',
    '2024-01-15T10:30:00Zx',
    '15/01/2024',
    'yesterday',
    '12345678901234567890',
    true,
    {},
    [1705314600],
    '20241315103000Z',
    'Mon, 99 Jan 2024 10:30:00 GMT',
  ])('%j', (value) => {
    expect(timeOf(value)).toBeUndefined();
  });
});

describe('what tells a time', () => {
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
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2024-01-31 23:59:59+00', Date.UTC(2024, 0, 31, 23, 59, 59)],
    ['20240115103000Z', SECOND],
    ['20240115103000.123Z', MOMENT],
    ['Mon, 15 Jan 2024 10:30:00 GMT', SECOND],
    [1705314600123, MOMENT],
    ['1705314600123', MOMENT],
    [1705314600, SECOND],
    ['1705314600', SECOND],
    [1705314600.123, MOMENT],
    ['1705314600.123999', MOMENT],
    [new ExactNumber('1705314600.1230'), MOMENT],
    [0.005, 5],
    // 1541141021.457 × 1000 is 1541141021456.9998 in floating point.
    [1541141021.457, 1541141021457],
  ])('%j', (value, expected) => {
    expect(timeOf(value)).toBe(expected);
  });

  it('in any way that a moment is written in UTC', () => {
    const moments = fc.integer({ min: 1, max: Date.UTC(2200, 0, 1) });
    fc.assert(
      fc.property(moments, fc.constantFrom('Z', '', '+00', '+00:00', '+0000'), (ms, zone) => {
        const iso = new Date(ms).toISOString().replace('Z', '');
        expect(timeOf(iso + zone)).toBe(ms);
        expect(timeOf(iso.replace('T', ' ') + zone)).toBe(ms);
      }),
    );
  });

  it('and never a moment before 1970 or a fraction', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), fc.double().map(String)), (value) => {
        const ms = timeOf(value);
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
      }),
    );
  });
});

it('reads the seconds of an ObjectId', () => {
  expect(timeOfObjectId('5efefa82d16c1b9849c5b66c')).toBe(0x5efefa82 * 1000);
  expect(timeOfObjectId('5efefa82d16c1b9849c5b66')).toBeUndefined();
  expect(timeOfObjectId('legacy-17')).toBeUndefined();
});
