import { describe, expect, it } from 'vitest';
import { parseUserPayloads } from '../../../src/imports/input/read-line.ts';
import { readUserPayload } from '../../../src/imports/input/read-user-payload.ts';
import { ExactNumber, toJson } from '../../../src/lib/json/exact-json.ts';
import { NUMBERS } from '../../lib/json/numbers.ts';
import { PASSWORD, readDeps, taken } from '../../support/user-forms.ts';

const LOGIN = JSON.stringify(PASSWORD);
const deps = readDeps();

const keptOf = (metadata: string) => {
  const form = parseUserPayloads(`{"userMetadata":${metadata},"loginMethods":[${LOGIN}]}`);
  return taken(readUserPayload(deps, form)).profile.metadata;
};

describe('numbers in metadata keep their spelling', () => {
  it.each(NUMBERS)('%s', (number) => {
    for (const metadata of [`{"a":${number}}`, `{"a":[{"b":[null,${number}]},${number}]}`]) {
      expect(keptOf(metadata)).toBe(metadata);
    }
  });

  it('even if the name of the metadata is escaped', () => {
    const form = parseUserPayloads(`{"user\\u004detadata":{"a":1.0},"loginMethods":[${LOGIN}]}`);
    expect(taken(readUserPayload(deps, form)).profile.metadata).toBe('{"a":1.0}');
  });

  it('for each user of a body', () => {
    const users = ['{"userMetadata":{"a":1.0}}', 'null', '{}', '1.0', '{"userMetadata":{"a":2.00}}'];
    expect(toJson(parseUserPayloads(`{"users":[${users.join(',')}]}`) as object)).toBe(
      `{"users":[${users.join(',').replace(',1.0,', ',1,')}]}`,
    );
  });
});

const EXACT = new ExactNumber('1.0');

it.each([
  [
    '{"a":1.0,"b":{"a":-0},"loginMethods":[{"n":1e400}],"userMetadata":{"c":1.0}}',
    { a: 1, b: { a: -0 }, loginMethods: [{ n: Number.POSITIVE_INFINITY }], userMetadata: { c: EXACT } },
  ],
  [
    '{"users":[{"a":1.0,"b":{"userMetadata":{"c":1.10}},"userMetadata":{"c":1.0}}]}',
    { users: [{ a: 1, b: { userMetadata: { c: 1.1 } }, userMetadata: { c: EXACT } }] },
  ],
  ['{"users":[[{"userMetadata":{"c":1.0}}]]}', { users: [[{ userMetadata: { c: 1 } }]] }],
  ['{"users":{"userMetadata":{"c":1.0}}}', { users: { userMetadata: { c: 1 } } }],
  [
    '{"userMetadata":[1.0],"users":[{"userMetadata":1.0},{"userMetadata":"1.0"},{"userMetadata":null}]}',
    { userMetadata: [1], users: [{ userMetadata: 1 }, { userMetadata: '1.0' }, { userMetadata: null }] },
  ],
  ['{"userMetadata":{"a":1.0},"userMetadata":{"a":1}}', { userMetadata: { a: 1 } }],
  ['[{"userMetadata":{"c":1.0}}]', [{ userMetadata: { c: 1 } }]],
  ['1.0', 1],
  ['null', null],
])('other numbers are read as JSON.parse does: %s', (json, value) => {
  expect(parseUserPayloads(json)).toStrictEqual(value);
});

it('metadata of a prototype is ignored', () => {
  const json = '{"__proto__":{"userMetadata":{"c":1.0}}}';
  expect(parseUserPayloads(json)).toStrictEqual(JSON.parse(json));
});

describe('in the same way as with JSON.parse', () => {
  it('the last of repeated members counts, at every depth', () => {
    expect(keptOf('{"a":1.0,"b":2.0,"a":{"c":1.0,"c":3.0}}')).toBe('{"a":{"c":3.0},"b":2.0}');
    const twice = '{"userMetadata":{"a":1.0},"userMetadata":{"a":2.0}}';
    expect(toJson(parseUserPayloads(twice) as object)).toBe('{"userMetadata":{"a":2.0}}');
  });

  it('a member called __proto__ is an ordinary member', () => {
    const metadata = '{"__proto__":{"a":1.0,"__proto__":-0},"constructor":1.0}';
    expect(keptOf(metadata)).toBe(metadata);
    expect({}).not.toHaveProperty('a');
  });

  it.each(['', '{', '{"userMetadata":{"a":01}}', '{"userMetadata":{"a":1.}}', '{"userMetadata":{"a":1.0}'])(
    'invalid JSON throws: %j',
    (json) => {
      expect(() => parseUserPayloads(json)).toThrow(SyntaxError);
    },
  );
});

it('texts are unchanged, whatever they contain', () => {
  const hint = JSON.stringify(new ExactNumber('1'));
  const metadata = `{"\\"1.0":"1.0 \\\\","\\\\":"\\\\\\"-0","b":${hint},${hint}:1.0,"c":"1e400"}`;
  expect(keptOf(metadata)).toBe(metadata);
});

it('any depth is accepted that JSON.parse accepts', () => {
  const deep = `{"userMetadata":{"a":${'['.repeat(100_000)}1.0${']'.repeat(100_000)}},"loginMethods":[${LOGIN}]}`;
  expect(readUserPayload(deps, parseUserPayloads(deep))).toEqual([
    { code: 'FIELD_INVALID', message: 'userMetadata is nested too deep. Max depth is 64.' },
  ]);
});
