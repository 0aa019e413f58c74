import { describe, expect, it } from 'vitest';
import { FileProblem } from '../../../../src/sources/containers/table.ts';
import { surveyFile } from '../../../../src/sources/pipeline/survey-file.ts';
import { collect, fileOf, problemOf, withCodes } from '../read-whole.ts';
import { readAll, rowsOf } from './read-all.ts';

const MIB = 1024 * 1024;

/** Yields a text repeatedly, without holding all of it. */
async function* repeated(before: string, block: string, times: number, after = ''): AsyncGenerator<Buffer> {
  yield Buffer.from(before);
  const chunk = Buffer.from(block);
  for (let count = 0; count < times; count += 1) yield chunk;
  yield Buffer.from(after);
}

describe('bad records do not affect the others', () => {
  it.each([
    ['a number', '17'],
    ['a text', '"}{"'],
    ['an array', '[{"a":1}]'],
    ['null', 'null'],
    ['too deep', `{"a":${'['.repeat(600)}${']'.repeat(600)}}`],
    ['a number of Extended JSON', '{"$numberLong":"12345678901234567890"}'],
    ['two members of one name', '{"a":0,"b":1,"a":1}'],
    ['two members of one name, one of which is escaped', String.raw`{"a" : 0,"\u0061" : 1}`],
    ['two members of one name within', '{"a":[{"b":{"c":1, "c":1}}],"d":{}}'],
    ['two members of one name in Extended JSON', '{"a":{"$oid":"x","$oid":"y"},"n":-1.50}'],
  ])('%s in an array', async (_, bad) => {
    for (const file of [
      `[${bad} , {"b":1}, ${bad}\n, {"c":1}]`,
      `{"users" : [${bad},{"b":1},${bad},{"c":1}]}`,
    ]) {
      expect(await rowsOf(file)).toEqual(['JSON_INVALID', { b: 1 }, 'JSON_INVALID', { c: 1 }]);
    }
  });

  it.each([
    ['no JSON', '{"a":nope}'],
    ['no end', '{"a":1'],
    ['no end of a text', '{"a":"1'],
    ['no end of a list', '{"a":[1}'],
    ['two on a line', '{"a":1}{"a":1}'],
    ['more behind it', '{"a":1},'],
    ['no object', '[1]'],
    ['no bracket', 'sorry'],
    ['a bracket too many', '{"a":1}}'],
    ['two members of one name', '{"id":1,"active":0,"active":1}'],
  ])('%s in a line', async (_, bad) => {
    const rows = await rowsOf(`{"x":1}\n${bad}\n{"b":1}\n${bad}\n`);
    expect(rows).toEqual([{ x: 1 }, 'JSON_INVALID', { b: 1 }, 'JSON_INVALID']);
  });

  it.each([0, 1])('a line with doubled backslashes ends the file, line %i', async (at) => {
    const copied = JSON.stringify({ a: 'say "hi"\n' }).replaceAll('\\', '\\\\');
    const lines = ['{"x":1}', '{"b":1}', '{"c":1}'].toSpliced(at, 0, copied);
    const { problem, tables } = await readAll(lines.join('\n'));
    expect(problem?.message).toMatch(
      at === 0 ? /^Is not JSON at byte 13/ : /^The record that begins at byte \d+ has each backslash twice/,
    );
    expect(Object.values(tables).flatMap(({ rows }) => rows)).toEqual([{ x: 1 }].slice(0, at));
  });

  it('but without the end of the first line, nothing shows that the file is of lines', async () => {
    expect(await rowsOf('{"a":nope}\n{"b":1}\n')).toEqual(['JSON_INVALID', { b: 1 }]);
    for (const bad of ['{"a":1', '{"a":"1', '{"a":[1}']) {
      const { tables, problem } = await readAll(`${bad}\n{"b":1}\n{"c":1}\n`);
      expect([problem?.code, Object.keys(tables)]).toEqual(['FILE_INVALID', []]);
      expect(problem?.message).toMatch(/at byte \d+/);
    }
  });

  it('among Django fixtures', async () => {
    const { tables } = await readAll(
      '[{"model":"a.b","pk":1,"fields":{}},{"c":1},5,{"model":"d.e","fields":{}}]',
    );
    expect(withCodes(tables['a.b']?.rows ?? [])).toEqual([{ pk: 1 }, 'JSON_INVALID', 'JSON_INVALID']);
    expect(tables['d.e']?.rows).toEqual([{}]);
  });

  it('and messages show nothing of a record', async () => {
    const lines = await readAll('{"a":1}\n{"email":"ada@example.org" oops}');
    expect(withCodes(lines.tables['']?.rows ?? [])).toEqual([{ a: 1 }, 'JSON_INVALID']);
    expect(JSON.stringify(lines.tables)).not.toContain('ada');
    const array = await readAll('[{"email":"ada@example.org" oops}]');
    expect(array.problem?.message).toMatch(/^Is not JSON at byte 28, .* that begins at byte 1\./);
    expect(array.problem?.message).not.toContain('ada');
  });

  it('and members called __proto__ have no effect', async () => {
    const [record] = await rowsOf('[{"__proto__":{"admin":true,"n":1.0,"d":{"$oid":"x"}},"a":1}]');
    expect(Object.keys(record ?? {})).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    const { tables } = await readAll('[{"model":"__proto__","pk":1,"fields":{"__proto__":{"admin":1}}}]');
    expect(Object.keys(tables)).toEqual(['__proto__']);
  });
});

describe('nothing is read after a record whose end is uncertain', () => {
  /** Records of a writer that does not escape quotes, or brackets in texts. */
  const BROKEN = [
    ...['{"a":"x" and "y"}', '{"a":"he said "no"","b":"}"}', '{"a":"x"y"}', '{"a" 1}', '{"a":1 "b":2}'],
    ...['{"a":"x","b"}', "{'a':'x'}", '{"a":{"b":1,,}}', '{a:b:c}', '{"a":nope}', '{"a":1,}', '{"a":NaN}'],
    ...['{"a":"x\ny"}', '{"a":"\\x"}'],
  ];
  const BOSS = '{"boss":1}';

  it.each(BROKEN)('%s', async (bad) => {
    const long = bad.replace('{', `{"filler":"${'x'.repeat(17 * MIB)}",`);
    for (const broken of bad === BROKEN[0] ? [bad, long] : [bad]) {
      for (const file of [
        `[{"a":1}, ${broken}, ${BOSS}]`,
        `{"users":[{"a":1}, ${broken}, ${BOSS}]}`,
        `{\n"a":1}\n${broken}\n${BOSS}`,
      ]) {
        const { tables, problem } = await readAll(file);
        expect(problem?.code).toMatch(/^FILE_(?:INVALID|TRUNCATED)$/);
        const [first, ...others] = withCodes(Object.values(tables)[0]?.rows ?? []);
        expect(first).toEqual({ a: 1 });
        expect(others.filter((row) => typeof row !== 'string')).toEqual([]);
      }
    }
  });

  it.each(['sorry\n', ']\n', '{\n "a": [1}\n}\n', ', '])('after %j between documents', async (bad) => {
    const { tables, problem } = await readAll(`{\n"a":1}\n${bad}${BOSS}\n`);
    expect(problem?.code).toBe('FILE_INVALID');
    expect(tables['']?.rows).toEqual([{ a: 1 }]);
  });

  it('and the message says where, and what to do', async () => {
    for (const [bad, said] of [
      [
        '{"a":"x" and "y"}',
        /^Is not JSON at byte 18, .* record that begins at byte 9\. Correct it there, or/,
      ],
      [
        '{"a":nope}',
        /^The record that begins at byte 9 is not JSON, .* nothing after it is read\. Correct it/,
      ],
    ] as const)
      expect((await readAll(`[{"a":1},${bad},${BOSS}]`)).problem?.message).toMatch(said);
  });
});

describe('files that end too early, or that are broken', () => {
  it.each([
    ['FILE_TRUNCATED', ['{', '[', '{"users"', '{"users":', '{"users":[{"a":1}]']],
    ['FILE_UNKNOWN', ['', ' \n ', 'hello', '"hello"']],
    ['FILE_INVALID', ['[{"a":1} {"b":1}]', '[{"a":1}}', '[{"a":1]', '[{"a":1}] x', '{"a":[}']],
    ['FILE_INVALID', ['{"users":[{"a":1}]} x', '{"users":[{"a":1}],5:1}']],
  ])('are %s: %j', async (expected, files) => {
    for (const file of files) expect([file, (await readAll(file)).problem?.code]).toEqual([file, expected]);
  });

  it('are reported with their position, after the records before it', async () => {
    const { tables, problem } = await readAll('{"users":[{"a":1},{"b":2},{"c":');
    expect(tables.users?.rows).toEqual([{ a: 1 }, { b: 2 }]);
    expect(problem?.message).toContain('byte 26');
    const wrong = await readAll('[{"a":1},{"b":[2}]');
    expect(wrong.tables['']?.rows).toEqual([{ a: 1 }]);
    expect(wrong.problem?.message).toContain('byte 16');
  });

  it('end with a bad record if a line is truncated', async () => {
    const { tables, problem } = await readAll('{"a":1}\n{"b":"ä'.slice(0, -1));
    expect(withCodes(tables['']?.rows ?? [])).toEqual([{ a: 1 }, 'JSON_INVALID']);
    expect(problem).toBeUndefined();
  });

  it('pass on an error of the source', async () => {
    async function* failing() {
      yield Buffer.from('[{"a":1},{"b":2},{"c"');
      throw new FileProblem('ENCODING_INVALID', 'At byte 21.');
    }
    expect((await readAll(failing())).problem?.code).toBe('ENCODING_INVALID');
  });

  it('are closed if nobody reads on', async () => {
    let isClosed = false;
    async function* endless() {
      try {
        while (true) yield Buffer.from('{"a":1}\n'.repeat(1000));
      } finally {
        isClosed = true;
      }
    }
    const { tables } = await readAll(endless(), {}, () => false);
    expect([tables, isClosed]).toEqual([{}, true]);
  });

  it.each([
    ['an array', '[{"a":1},{"b":"', '"},{"c":1}]'],
    ['lines', '{"a":1}\n{"b":"', '"}\n{"c":1}\n'],
    ['documents', '{"a":1}{"b":"', '"}{"c":1}'],
  ])('contain invalid UTF-8 in %s', async (_, before, after) => {
    const file = (bad: number[]) =>
      fileOf(Buffer.concat([Buffer.from(before), Buffer.from(bad), Buffer.from(after)]));
    for (const bad of [[0xff], [0xc3], [0xe2, 0x82], [0x80], [0xed, 0xa0, 0x80]])
      expect(await problemOf(() => surveyFile(file(bad), {}))).toMatch(/^ENCODING_INVALID: .* at byte \d+/);
    const { read } = await surveyFile(file([0xf0, 0x9f, 0x98, 0x80]), {});
    expect((await collect(read(() => true))).records).toEqual([{ a: 1 }, { b: '😀' }, { c: 1 }]);
  });
});

describe('files that exceed memory', () => {
  it.each([
    ['an array', '[{"a":1},{"b":"', '"},{"c":1}]'],
    ['lines', '{"a":1}\n{"b":"', '"}\n{"c":1}\n'],
    ['documents', '{"a":1}{"b":"', '"}{"c":1}'],
    ['an object', '{"users":[{"a":1},{"b":"', '"},{"c":1}]}'],
  ])('have a long record of %s skipped', async (_, before, after) => {
    const { tables, problem } = await readAll(repeated(before, 'x'.repeat(MIB), 17, after));
    expect(problem).toBeUndefined();
    expect(withCodes(Object.values(tables)[0]?.rows ?? [])).toEqual([{ a: 1 }, 'RECORD_TOO_LONG', { c: 1 }]);
  });

  it.each([
    ['brackets', '[', '['.repeat(MIB / 8)],
    ['braces', '', '{"a":'.repeat(MIB / 8)],
    ['a text', '[{"a":"', 'x'.repeat(MIB)],
    ['a name', '{"', 'x'.repeat(MIB)],
    ['a member', '{"a":"', '\\"'.repeat(MIB / 2)],
    ['digits', '[', '1'.repeat(MIB)],
    ['digits of a member', '{"a":', '1'.repeat(MIB)],
    ['spaces', '[', ' '.repeat(MIB)],
    ['spaces after a document', '{"users":[]}', ' '.repeat(MIB)],
    ['a line', '{"a":1}\n{', 'x'.repeat(MIB)],
    ['nothing but spaces', '', '\n'.repeat(MIB)],
  ])('contain %s without end', async (what, before, block) => {
    let held = 0;
    const watched = async function* () {
      for await (const chunk of repeated(before, block, 40)) {
        yield chunk;
        held = Math.max(held, process.memoryUsage().arrayBuffers);
      }
    };
    const started = process.memoryUsage().arrayBuffers;
    const { problem } = await readAll(watched());
    if (what.startsWith('spaces after') || what === 'a line') expect(problem).toBeUndefined();
    else expect(problem?.code).toMatch(/^FILE_(?:TRUNCATED|UNKNOWN)$/);
    // A record of 16 MiB, in a window of twice its size that has just been copied to one twice as large
    // again.
    expect(held - started).toBeLessThan(220 * MIB);
  });

  it('contain more tables than any application has', async () => {
    const lines = Array.from({ length: 10_100 }, (_, index) => `{"model":"m${index}","pk":1,"fields":{}}`);
    const { problem, tables } = await readAll(lines.join('\n'));
    expect(problem?.code).toBe('FILE_INVALID');
    expect(Object.keys(tables).length).toBeLessThanOrEqual(10_000);
  });
});
