import { expect, it } from 'vitest';
import { mssqlTime } from '../../../../src/sources/containers/sql/values.ts';

it.each([
  ['DateTime', '0000000000000000', '1900-01-01T00:00:00.000Z'],
  ['DateTime', '0000901A00C5C100', '2001-01-01T12:00:00.000Z'],
  ['DateTime', 'FFFFFFFF00000000', '1899-12-31T00:00:00.000Z'],
  ['SmallDateTime', '901A02D0', '2001-01-01T12:00:00.000Z'],
  ['Date', '5B950A', '1900-01-01T00:00:00.000Z'],
  ['DateTime2', '0700E03495645B950A', '1900-01-01T12:00:00.000Z'],
  ['DateTime2', '00C0A8005B950A', '1900-01-01T12:00:00.000Z'],
  ['DateTimeOffset', '0700E03495645B950A7800', '1900-01-01T12:00:00.000Z'],
])('%s 0x%s', (type, hex, expected) => {
  expect(mssqlTime(type, Buffer.from(hex, 'hex'))).toBe(expected);
});

it.each([
  ['DateTime', '00'],
  ['DateTime2', '0800E03495645B950A'],
  ['DateTime2', ''],
  ['DateTimeOffset', '0700E03495645B950A'],
  ['Date', 'FFFFFFFF'],
  ['int', '00000001'],
  ['constructor', '00000001'],
])('%s 0x%s is invalid', (type, hex) => {
  expect(mssqlTime(type, Buffer.from(hex, 'hex'))).toBeUndefined();
});
