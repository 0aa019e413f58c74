import { expect, it } from 'vitest';
import { dateReader } from '../../../src/sources/fields/time.ts';

it.each([
  ['DD.MM.YYYY HH:mm', '15.01.2021 10:00', '2021-01-15T10:00:00Z'],
  ['DD.MM.YYYY', '5.1.2021', '2021-01-05T00:00:00Z'],
  ['MM/DD/YYYY HH:mm:ss', '01/15/2021 10:00:07', '2021-01-15T10:00:07Z'],
  ['YYYY-MM-DDTHH:mm', '2021-01-15T10:00', '2021-01-15T10:00:00Z'],
  ['ms', '1610704800000', '2021-01-15T10:00:00Z'],
  ['s', 1610704800, '2021-01-15T10:00:00Z'],
  ['s', '1610704800.5', '2021-01-15T10:00:00.500Z'],
  ['excel', '44211.4166666667', '2021-01-15T10:00:00.000Z'],
  ['excel', '44211,5', '2021-01-15T12:00:00Z'],
])('%s reads %j', (format, value, expected) => {
  expect(dateReader(format)?.(value)).toBeCloseTo(Date.parse(expected), -1);
});

it.each([
  [
    'DD.MM.YYYY HH:mm',
    ['15.01.2021', '31.02.2021 10:00', '15.13.2021 10:00', '15.01.2021 24:00', '', 'x', null],
  ],
  ['MM/DD/YYYY', ['15/01/2021', '01-15-2021']],
  ['s', ['soon', '-1', '']],
])('%s does not read %j', (format, values) => {
  for (const value of values) expect(dateReader(format)?.(value)).toBeUndefined();
});

it.each(['', 'DD.MM', 'DD.MM.YY', 'DD.DD.MM.YYYY', 'rfc', 'YYYY-MM-DD hh:mm'])(
  '%j is no format',
  (format) => {
    expect(dateReader(format)).toBeUndefined();
  },
);
