import { describe, expect, it } from 'vitest';
import { withCodes } from '../read-whole.ts';
import { readAll } from './read-all.ts';

/** Size of the first block that is examined. */
const BLOCK_BYTES = 64 * 1024;

/** Beginnings that show the layout of a file, and its continuation after spaces. */
const FILES = [
  ['[', '{"a":1.0,"b":"x\\"}\\\\"}, {"ä😀":[{}]},{"c":null,"d":-12} , 5,"te\\"xt" ]'],
  ['{"users":[]}', '{"x" : {"y":[1,"ü"]},"users":[{"a":1} ,{"b":[]},{"c":true}],"z":"}","n":12.50 } '],
  [
    '{"db":[{"data":{"users":[]}}]}',
    '{"db":[{"me\\"ta":{},"data":{"posts":[],"users":[{"a":1},{"b":2}]}},3]}',
  ],
  [
    '[{"type":"header"},',
    '{"type":"table","name":"t","data":[{"a":"1"},{"b":"2"}]} ,{"type":"table","name":"u","data":[{}]}]',
  ],
  ['[', '{"model":"a.b","pk":1,"fields":{"x":1}},{"model":"c.d","pk":1,"fields":{"y":"é"}}]'],
  [
    '{\n "email": "z"\n}\n',
    '{\n "l": [\n {}\n ]\n}\n{\n "email": "b"\n}{"a":{"$oid":"7"}}\n{"b":[]}\n{"b":1}',
  ],
  ['{"_id":0}\n', '{"_id":{"$oid":"1"},"n":1.0}\r\n\r\n{"d":{"$date":5}}\nno\n{"_id":"3é"}'],
] as const;

/** @param within number of bytes of the rest in the first block */
async function read(begin: string, rest: Buffer, within: number) {
  const padding = ' '.repeat(BLOCK_BYTES - begin.length - within);
  const { tables, problem, asked } = await readAll(Buffer.concat([Buffer.from(begin + padding), rest]));
  const rows = Object.entries(tables).map(([name, table]) => [name, withCodes(table.rows)]);
  return { rows: Object.fromEntries(rows), code: problem?.code, root: asked[0]?.root };
}

describe('the end of a block does not change the result', () => {
  it.each(FILES)('%s%s', async (begin, rest) => {
    const bytes = Buffer.from(rest);
    const whole = await read(begin, bytes, bytes.length);
    expect(whole.code).toBeUndefined();
    expect(Object.values(whole.rows).flat().length).toBeGreaterThan(1);
    for (let within = 0; within < bytes.length; within += 1) {
      expect(await read(begin, bytes, within)).toEqual(whole);
    }
  });
});
