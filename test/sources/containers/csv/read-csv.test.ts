import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../../src/sources/containers/csv/read-csv.ts';
import { isBadRecord, type ReadOptions } from '../../../../src/sources/containers/table.ts';
import { outcomes, problemOf, readWhole, sampleBytes } from '../read-whole.ts';

const read = async (text: string, options = {}) => outcomes(await readWhole(readCsv, text, options));

const refusal = (text: string | Buffer, options: ReadOptions = {}) =>
  problemOf(() => readWhole(readCsv, text, options));

describe('the dialect of a whole file', () => {
  const HASH = '$2a$10$wwwwwwwwwwwwwwwwwwwwwuMALLORYMALLORYMALLORYMALLORYMALL';
  const file = (...bios: string[]) =>
    `id,email,hash,bio\n${bios.map((bio, index) => `${index},u${index}@a.org,h${index},${bio}\n`).join('')}`;
  const bios = async (text: string, options: ReadOptions = {}) =>
    (await readWhole(readCsv, text, options)).records.map((record) =>
      isBadRecord(record) ? record.problem : record.bio,
    );

  it('no cell that PHP wrote becomes a row, wherever it is', async () => {
    const forged = `"x\\"\n3,boss@example.org,${HASH},y"`;
    for (const others of [[], ['plain'], ['"a ""b"""', '"say \\"hi\\""']]) {
      for (const text of [file(forged, ...others), file(...others, forged)]) {
        const said = await refusal(text);
        const read = said === undefined ? await bios(text) : [];
        expect(said ?? '').toMatch(/^$|--csv-(?:escape|quote)/);
        expect(read.filter((bio) => bio === 'y')).toEqual([]);
        expect(await bios(text, { csvEscape: 'php' })).toHaveLength(others.length + 1);
      }
    }
  });

  it.each([
    ['doubled quotes', '"say ""hi"""', 'say "hi"'],
    ['a backslash at the end', '"C:\\"', 'C:\\'],
    ['doubled quotes after backslashes', '"{""a"":""x\\""y""}"', '{"a":"x\\"y"}'],
    ['PHP and Firebase: JSON of its own', '"{""a"":""say \\"hi\\"""}"', '{"a":"say \\"hi\\""}'],
    ['PHP: a quote at the end of a value', '"{""a"":""b\\"""}"', '{"a":"b\\""}'],
    ['PHP: backslashes before a quote', '"{""a"":""b\\\\"}"', '{"a":"b\\\\"}'],
    ['PHP: before a delimiter', '"{""a"":""\\""",""b"":1}"', '{"a":"\\"","b":1}'],
  ])('is certain: %s', async (_, cell, bio) => {
    expect(await bios(file('plain', cell))).toEqual(['plain', bio]);
  });

  it.each([
    ['quotes after backslashes', '"the \\"great\\" one"', 'the \\"great\\" one', 'the "great" one'],
    ['the same with a line break', '"the \\"great\\"\none"', 'the \\"great\\"\none', 'the "great"\none'],
  ])('must be given: %s', async (_, cell, php, backslash) => {
    expect(await refusal(file(cell, 'x'))).toContain('--csv-escape');
    expect(await bios(file(cell, 'x'), { csvEscape: 'php' })).toEqual([php, 'x']);
    expect(await bios(file(cell, 'x'), { csvEscape: 'backslash' })).toEqual([backslash, 'x']);
  });

  it('must be given if backslashes are doubled, or if another quote fits', async () => {
    expect(await refusal(file('"a\\\\b"'))).toContain('--csv-escape');
    expect(await bios(file('"a\\\\b"'), { csvEscape: 'doubled' })).toEqual(['a\\\\b']);
    expect(await refusal(file("'x\n3,boss@example.org,h,y'"))).toContain('--csv-quote');
    expect(await bios(file("'x\n3,boss@example.org,h,y'"), { csvQuote: "'" })).toEqual([
      'x\n3,boss@example.org,h,y',
    ]);
    expect(await refusal(file('"x', '"y'))).toMatch(/--csv-quote/);
  });

  it('can be that of mysql --batch or COPY, if given', async () => {
    const text = 'id\temail\tbio\n1\ta@b.c\tx\\ny\\tz\\\\"\n2\tb@b.c\t\\N\n';
    expect(await refusal(text)).toContain('--csv-escape');
    expect(await bios(text, { csvQuote: 'none' })).toEqual(['x\ny\tz\\"', null]);
    expect(await bios(text, { csvEscape: 'backslash' })).toEqual(['x\ny\tz\\"', null]);
    expect(await refusal(text.replace('\\n', '\n'), { csvQuote: 'none' })).toContain('Row 2 has');
  });
});

describe('dialects', () => {
  const rows = [
    { id: '1', 'full name': 'Ada; "the first", x', mail: 'a@b.c' },
    { id: '2', 'full name': 'two\nlines', mail: '' },
  ];
  const written = (delimiter: string, end: string) =>
    [
      ['id', ' full name ', 'mail'],
      ['1', '"Ada; ""the first"", x"', 'a@b.c'],
      ['2', '"two\nlines"', ''],
    ]
      .map((cells) => cells.join(delimiter) + end)
      .join('');

  it.each([',', ';', '\t', '|'])('%j is read with every line end', async (delimiter) => {
    const read = async (text: string) => outcomes(await readWhole(readCsv, text, { csvEscape: 'doubled' }));
    for (const end of ['\n', '\r\n', '\r']) {
      expect(await read(written(delimiter, end))).toEqual(rows);
      expect(await read(written(delimiter, end).slice(0, -end.length))).toEqual(rows);
      expect(await read(`sep=${delimiter}${end}${written(delimiter, end)}`)).toEqual(rows);
      expect(await read(`\n\n${written(delimiter, end)}`.replaceAll('\n\n', end + end))).toEqual(rows);
    }
  });

  it('a bar is the delimiter if there is no other', async () => {
    expect(await read('id,a|b\n1,2|3\n', { csvDelimiter: ',' })).toEqual([{ id: '1', 'a|b': '2|3' }]);
    expect(await read('"a;b;c",d\n1,2\n')).toEqual([{ 'a;b;c': '1', d: '2' }]);
  });

  it('a file may have one column', async () => {
    expect(await read('email\na@b.c\n\n"x,y"\n""\nNULL\n', { csvNull: 'NULL' })).toEqual([
      { email: 'a@b.c' },
      { email: '' },
      { email: 'x,y' },
      { email: '' },
      { email: null },
    ]);
  });

  it('NULL and \\N are null unless they are quoted', async () => {
    expect(await read('a,b,c\nNULL,\\N,"NULL"\n"\\N",null,NULLS\nN,\\,\\NN\n')).toEqual([
      { a: null, b: null, c: 'NULL' },
      { a: '\\N', b: 'null', c: 'NULLS' },
      { a: 'N', b: '\\', c: '\\NN' },
    ]);
  });

  it('a single NULL may be a name', async () => {
    expect(await refusal('a,b\nNULL,x\n')).toContain('--csv-null');
    expect(await read('a,b\nNULL,x\n', { csvNull: 'NULL' })).toEqual([{ a: null, b: 'x' }]);
    expect(await read('a,b\nNULL,x\n', { csvNull: '-' })).toEqual([{ a: 'NULL', b: 'x' }]);
    expect(await read('"a","b"\nNULL,"x"\n')).toEqual([{ a: null, b: 'x' }]);
  });

  it('a dialect that no writer of CSV uses is refused', async () => {
    expect(await refusal('a,b\nx"y"z,6\'2"\n')).toContain('Row 1 has a quote within a cell');
    expect(await refusal('a,b\n1,2\r\n3,4\n')).toContain('Row 1 has a line end other than the LF');
    expect(await refusal('a,b\r\n1,2\r\n3,4\n')).toContain('Row 2 has a line end other than the CRLF');
    expect(await refusal('a;b,c\n1;2,3\n')).toContain('--csv-delimiter');
    expect(await refusal('1|2|x;\n2|3|y\n')).toContain('--csv-delimiter');
    expect(await refusal('1,a@b.c,\n2,b@b.c\n')).toContain('Row 2 has 2 cells, not 3');
    expect(await read('a;b,c\n1;2,3\n', { csvDelimiter: ';' })).toEqual([{ a: '1', 'b,c': '2,3' }]);
    expect(await read('a:b\n1:2\n', { csvDelimiter: ':' })).toEqual([{ a: '1', b: '2' }]);
  });
});

describe('the header', () => {
  it('may have repeated names, empty names, and names of object members', async () => {
    const text =
      'name,name,name_2,,__proto__,constructor,NULL,\n1,2,3,4,5,6,7,8\n1,2,3,4,5,6,7\n1,2,3,4,5,6\n';
    const options = { csvEscape: 'doubled', csvNull: 'NULL', csvHeader: true } as const;
    const { heads, records } = await readWhole(readCsv, text, options);
    expect([...(heads[0]?.columns ?? [])]).toEqual([
      ...['name', 'name_3', 'name_2', '', '__proto__', 'constructor', 'NULL', '_2'],
    ]);
    expect(Object.entries(records[0] ?? {})).toEqual([
      ['name', '1'],
      ['name_3', '2'],
      ['name_2', '3'],
      ['', '4'],
      ['__proto__', '5'],
      ['constructor', '6'],
      ['NULL', '7'],
      ['_2', '8'],
    ]);
    expect(isBadRecord(records[1] ?? {})).toBe(true);
  });

  it('may end with an empty name that has no cells', async () => {
    expect(await read('a,b,\n1,2\n3,4,5\n6\n', { csvEscape: 'doubled' })).toEqual([
      { a: '1', b: '2', '': '' },
      { a: '3', b: '4', '': '5' },
      'COLUMNS_MISSING',
    ]);
  });

  it('is missing if it contains an address, if Firebase wrote the file, or if the operator says so', async () => {
    const admin = '"1","ada","ada@example.org"\n"2","grace","grace@example.org"\n';
    const { heads, records } = await readWhole(readCsv, admin);
    expect(heads[0]).toMatchObject({ columns: new Set(), cells: 3 });
    expect(records).toEqual([
      { 0: '1', 1: 'ada', 2: 'ada@example.org' },
      { 0: '2', 1: 'grace', 2: 'grace@example.org' },
    ]);
    expect(await read(admin, { csvHeader: true })).toEqual([
      { 1: '2', ada: 'grace', 'ada@example.org': 'grace@example.org' },
    ]);
    expect(await read('a,b\n1,2\n', { csvHeader: false })).toEqual([
      { 0: 'a', 1: 'b' },
      { 0: '1', 1: '2' },
    ]);
    const lines = (cells: number) =>
      `${['uid', '', 'true', ...Array.from({ length: cells - 3 }, () => '')].join()}\n`.repeat(2);
    for (const cells of [28, 29, 52, 53]) {
      expect((await readWhole(readCsv, lines(cells))).records).toHaveLength(2);
    }
    expect(await problemOf(() => readWhole(readCsv, lines(27)))).toContain('--csv-header');
  });

  it('alone is a table without rows, and an empty file is no table', async () => {
    expect(await readWhole(readCsv, 'a,b\n')).toMatchObject({
      records: [],
      heads: [{ columns: new Set(['a', 'b']) }],
    });
    for (const text of ['', '\n', '\r\n\r\n', 'sep=;\r\n']) {
      expect((await readWhole(readCsv, text)).heads).toEqual([]);
    }
  });
});

describe('the head', () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => `${index},a${index}@b.c\n`);

  it('holds the first 20 readable records, and is offered once', async () => {
    const { heads, records } = await readWhole(
      readCsv,
      `id,mail\nbad\n${rows.join('')}`,
      { csvEscape: 'doubled' },
      100,
    );
    expect(heads).toHaveLength(1);
    expect(heads[0]?.first).toEqual(records.slice(1, 21));
    expect(records).toHaveLength(5_001);
  });

  it('is offered even if records stop arriving', async () => {
    const { heads } = await readWhole(readCsv, `id,mail\n${'bad\n'.repeat(50_000)}${rows.join('')}`, {
      csvEscape: 'doubled',
    });
    expect(heads[0]?.first).toEqual([]);
  });

  it('that is declined gives no records', async () => {
    const asked: unknown[] = [];
    const batches = readCsv(
      (async function* () {
        yield Buffer.from(`id,mail\n${rows.join('')}`);
      })(),
      {},
      (head) => asked.push(head) === 0,
    );
    for await (const batch of batches) expect(batch).toBeUndefined();
    expect(asked).toHaveLength(1);
  });
});

describe('samples', () => {
  it.each([
    ['firebase/users.csv', 14],
    ['auth0/users.csv', 10],
    ['aspnet-identity/AspNetUsers.csv', 8],
    ['aspnet-identity/AspNetUserLogins.csv', 2],
    ['clerk/users.csv', 9],
    ['cognito/users.csv', 3],
    ['devise/users.csv', 9],
    ['django/auth_user.csv', 11],
    ['ghost/members.csv', 2],
    ['lucia/auth_user.csv', 5],
    ['lucia/user_key.csv', 6],
    ['wordpress/wp-cli-default.csv', 2],
  ])('%s has %d rows, all of them valid', async (name, count) => {
    const whole = await readWhole(readCsv, sampleBytes(name));
    expect(whole.records.filter(isBadRecord)).toEqual([]);
    expect(whole.records).toHaveLength(count);
    expect(whole.heads[0]?.first).toEqual(whole.records.slice(0, 20));
  });

  it('the ninth row of the generic sample is too short', async () => {
    const whole = await readWhole(readCsv, sampleBytes('generic/users.csv'));
    expect(outcomes(whole).indexOf('COLUMNS_MISSING')).toBe(8);
    expect(whole.records.filter(isBadRecord)).toHaveLength(1);
    expect(whole.records[1]).toMatchObject({ user_id: '1001', name: 'Comma, "quote"\nand line' });
  });

  it('cells of Firebase, Auth0, Supabase and SSMS are read', async () => {
    const firebase = await readWhole(readCsv, sampleBytes('firebase/users.csv'));
    expect(firebase.heads[0]).toMatchObject({ cells: 29, columns: new Set() });
    expect(firebase.records[7]).toMatchObject({
      1: 'alan@example.org',
      27: '{"role":"admin","tags":["a,b","c"]}',
    });
    const auth0 = await readWhole(readCsv, sampleBytes('auth0/users.csv'));
    expect(auth0.records[6]).toMatchObject({ Id: "'sms|5b9a949a7d9eb5b0cf7d1b13", Nickname: "'", Email: '' });
    const supabase = await readWhole(readCsv, sampleBytes('supabase/auth_users.csv'));
    expect(JSON.parse(`${Object(supabase.records[2]).raw_user_meta_data}`)).toMatchObject({
      note: 'back\\slash\ttab\nline',
    });
    const ssms = await readWhole(readCsv, sampleBytes('aspnet-identity/AspNetUsers.csv').subarray(3));
    expect(ssms.records[3]).toMatchObject({
      Id: expect.any(String),
      PasswordHash: null,
      AccessFailedCount: '0',
    });
  });
});
