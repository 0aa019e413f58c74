import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../../src/lib/json/exact-json.ts';
import { rowsOf } from './read-all.ts';

it.each([
  ['{"$oid":"5efefa82d16c1b9849c5b66c"}', '5efefa82d16c1b9849c5b66c'],
  ['{"$date":"2020-07-03T09:29:39.123Z"}', '2020-07-03T09:29:39.123Z'],
  ['{"$date":{"$numberLong":"1593768579123"}}', '2020-07-03T09:29:39.123Z'],
  ['{"$date":1593768579123}', '2020-07-03T09:29:39.123Z'],
  ['{"$date":{"$numberLong":"-62135596800000"}}', '0001-01-01T00:00:00.000Z'],
  ['{"$numberInt":"42"}', 42],
  ['{"$numberLong":"9007199254740991"}', 9007199254740991],
  ['{"$numberLong":"9007199254740993"}', new ExactNumber('9007199254740993')],
  ['{"$numberDouble":"0.5"}', 0.5],
  ['{"$numberDouble":"5.0"}', 5],
  ['{"$numberDouble":"Infinity"}', 'Infinity'],
  ['{"$numberDecimal":"1.10"}', new ExactNumber('1.10')],
  ['{ "$oid" : "a" }', 'a'],
])('%s', async (written, value) => {
  const file = `{"_id":${written},"list":[${written},{"deep":${written}}],"hash":"$2b$10$x"}`;
  const record = { _id: value, list: [value, { deep: value }], hash: '$2b$10$x' };
  expect(await rowsOf(`${file}\n${file}`)).toEqual([record, record]);
  expect(await rowsOf(`[${file}]`)).toEqual([record]);
});

it.each([
  '{"$binary":{"base64":"AA==","subType":"00"}}',
  ...['{"$oid":"a","b":1}', '{"b":1,"$oid":"a"}', '{"$oid":5}', '{"$date":8640000000000001}'],
  ...['{"$date":null}', '{"$date":[]}', '{"$numberLong":null}', '{"$odd":"x"}', '{}'],
])('%s is unchanged', async (written) => {
  const [record] = (await rowsOf(`[{"a":${written}}]`)) as { a: unknown }[];
  expect(record?.a).toEqual(JSON.parse(written));
});

describe('types of DynamoDB', () => {
  const ITEM = {
    pk: { S: 'USER#1' },
    age: { N: '12345678901234567890' },
    disabled: { BOOL: false },
    none: { NULL: true },
    raw: { B: 'AAE=' },
    account: { M: { plan: { S: 'x' }, tags: { L: [{ S: 'a' }, { N: '1.5' }] } } },
    sets: { M: { s: { SS: ['a', 'b'] }, n: { NS: ['1', '2'] } } },
  };
  const PLAIN = {
    pk: 'USER#1',
    age: new ExactNumber('12345678901234567890'),
    disabled: false,
    none: null,
    raw: 'AAE=',
    account: { plan: 'x', tags: ['a', 1.5] },
    sets: { s: ['a', 'b'], n: [1, 2] },
  };

  it.each([
    ['an export to S3', `${JSON.stringify({ Item: ITEM })}\n${JSON.stringify({ Item: ITEM })}\n`],
    ['lines', `${JSON.stringify(ITEM)}\n${JSON.stringify(ITEM)}\n`],
    ['an array', JSON.stringify([ITEM, ITEM])],
    ['a scan', JSON.stringify({ Items: [ITEM, ITEM], Count: 2, ConsumedCapacity: null }, null, 4)],
  ])('are plain values in %s', async (_, file) => {
    expect(await rowsOf(file)).toEqual([PLAIN, PLAIN]);
  });

  it('are those of all records: another one is an error, and one among others is not unwrapped', async () => {
    const typed = { email: { S: 'a@x.org' } };
    for (const other of [{ email: 'b@x.org' }, { email: { S: 1 } }, { email: { X: 'b' } }, {}]) {
      const [first, second] = [JSON.stringify(typed), JSON.stringify(other)];
      expect(await rowsOf(`[${first},${second}]`)).toEqual([{ email: 'a@x.org' }, 'JSON_INVALID']);
      expect(await rowsOf(`[${second},${first}]`)).toEqual([other, typed]);
    }
  });

  it('are not those of a single column', async () => {
    const record = { id: 1, settings: { S: 'x' }, flags: { BOOL: true } };
    expect(await rowsOf(JSON.stringify([record]))).toEqual([record]);
  });
});
