import { describe, expect, it } from 'vitest';
import { CSV_WRITER_NAMES, type CsvWriterName } from '../../../../src/sources/containers/csv/csv-writers.ts';
import { readCsv } from '../../../../src/sources/containers/csv/read-csv.ts';
import { isBadRecord, type ReadOptions } from '../../../../src/sources/containers/table.ts';
import { outcomes, problemOf, readSurveyed, readWhole, surveyProblemOf } from '../read-whole.ts';

const read = async (text: string, options: ReadOptions = {}) =>
  outcomes(await readWhole(readCsv, text, options));

const refusal = (text: string, options: ReadOptions = {}) =>
  problemOf(() => readWhole(readCsv, text, options));

const HASH = '$2a$10$wwwwwwwwwwwwwwwwwwwwwuMALLORYMALLORYMALLORYMALLORYMALL';

/** A file of each writer, with the bio of its first user: a quote, a delimiter, a line break and a backslash. */
const WRITTEN: Readonly<Record<CsvWriterName, readonly [text: string, bio: string]>> = {
  rfc4180: ['id,bio\n1,"a ""b"", c\n\\"""\n2,NULL\n', 'a "b", c\n\\"'],
  semicolons: ['id;bio\n1;"a ""b""; c\n\\"""\n2;NULL\n', 'a "b"; c\n\\"'],
  tabs: ['id\tbio\n1\t"a ""b""\tc\n\\"""\n2\tNULL\n', 'a "b"\tc\n\\"'],
  bars: ['id|bio\n1|"a ""b""| c\n\\"""\n2|\\N\n', 'a "b"| c\n\\"'],
  excel: ['id;bio\r\n1;"a ""b""; c\n\\"""\r\n2;NULL\r\n', 'a "b"; c\n\\"'],
  psql: ['id,bio\n1,"a ""b"", c\n\\"""\n2,NULL\n', 'a "b", c\n\\"'],
  php: ['id,bio\n1,"a ""b"", c\n\\""\n2,NULL\n', 'a "b", c\n\\"'],
  backslash: ['"id","bio"\n"1","a \\"b\\", c\\\n\\\\\\""\n"2",\\N\n', 'a "b", c\n\\"'],
  'mysql-batch': ['id\tbio\n1\ta "b"\\tc\\n\\\\"\n2\tNULL\n', 'a "b"\tc\n\\"'],
  'mysql-outfile': ['id\tbio\n1\ta "b"\\\tc\\\n\\\\"\n2\t\\N\n', 'a "b"\tc\n\\"'],
  'copy-text': ['id\tbio\n1\ta "b"\\tc\\n\\\\"\n2\t\\N\n', 'a "b"\tc\n\\"'],
  'sqlite-quote': ["'id','bio'\n'1','a ''b'', c\n\\\"'\n'2',NULL\n", "a 'b', c\n\\\""],
};

describe('files of named writers', () => {
  it.each(CSV_WRITER_NAMES)('%s', async (csv) => {
    const [text, bio] = WRITTEN[csv];
    // Excel and psql have no word for null.
    const none = csv === 'excel' || csv === 'psql' ? 'NULL' : null;
    expect(await read(text, { csv })).toEqual([
      { id: '1', bio },
      { id: '2', bio: none },
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('with line ends %j, blank lines and a line for Excel', async (end) => {
    const rows = [{ id: '1', 'full name': 'a; "b", c\n\r\n', mail: '' }];
    for (const [csv, delimiter] of Object.entries({ rfc4180: ',', semicolons: ';', tabs: '\t', bars: '|' })) {
      const header = ['id', ' full name ', 'mail'].join(delimiter);
      const text = `${header}${end}${['1', '"a; ""b"", c\n\r\n"', ''].join(delimiter)}`;
      const blank = end + end;
      for (const whole of [text, text + end, blank + text + blank, `sep=${delimiter}${end}${text}`])
        expect(await read(whole, { csv: csv as CsvWriterName })).toEqual(rows);
    }
  });

  it('are refused by another name', async () => {
    for (const csv of CSV_WRITER_NAMES) {
      const outcome = await problemOf(async () => {
        const rows = await read(WRITTEN.php[0].replace('\\""', 'x\\",y"'), { csv });
        if (csv !== 'php')
          expect(rows.some((row) => row === 'COLUMNS_MISSING' || typeof row === 'object')).toBe(true);
      });
      if (csv === 'rfc4180' || csv === 'psql') expect(outcome).toMatch(/^FILE_INVALID: Row 1 /);
    }
  });

  it('may have rows of another length, which are refused alone if line breaks are in quotes', async () => {
    const text = 'a,b,c\n1,2\n1,2,3,4\n"x\ny",2,3\n1,2,3,NULL\n';
    expect(await read(text, { csv: 'rfc4180' })).toEqual([
      ...['COLUMNS_MISSING', 'COLUMNS_MISSING'],
      { a: 'x\ny', b: '2', c: '3' },
      'COLUMNS_MISSING',
    ]);
    const { records } = await readWhole(readCsv, 'id,email,hash\n7,secret@example.com\n', { csv: 'rfc4180' });
    expect(records).toMatchObject([
      { message: 'The row has 2 cells, not 3.', partial: { id: '7', email: 'secret@example.com' } },
    ]);
    expect(await refusal('a\tb\n1\t2\t3\n', { csv: 'mysql-batch' })).toMatch(/Row 1 .* has 3 cells, not 2/);
    expect(await refusal('a\\tb\tc\n1\t2\n', { csv: 'mysql-batch' })).toContain('in the name of a column');
  });
});

describe('a file whose writer is not named', () => {
  const file = (...bios: string[]) =>
    `id,email,hash,bio\n${bios.map((bio, index) => `${index},u${index}@a.org,h${index},${bio}\n`).join('')}`;
  const bios = async (text: string, options: ReadOptions = {}) =>
    (await readWhole(readCsv, text, options)).records.map((record) =>
      isBadRecord(record) ? record.problem : record.bio,
    );

  it.each([
    ['doubled quotes', '"say ""hi"""', 'say "hi"'],
    ['JSON', '"{""a"":""b\\n\\u00e9 c""}"', '{"a":"b\\n\\u00e9 c"}'],
    ['JSON with an escaped backslash', '"{""a"":""C:\\\\Users\\n""}"', '{"a":"C:\\\\Users\\n"}'],
    ['a backslash', 'DOMAIN\\ada', 'DOMAIN\\ada'],
    ['an apostrophe', "'t Hooft", "'t Hooft"],
    ['a hash of MySQL', '*2470C0C06DEE42FD', '*2470C0C06DEE42FD'],
    ['a phone number and base64', '+49123', '+49123'],
  ])('is certain: %s', async (_, cell, bio) => {
    expect(await bios(file('plain', cell, "O'Neil"))).toEqual(['plain', bio, "O'Neil"]);
  });

  it.each([
    ['a backslash before a quote', file('"the \\"great\\" one"', 'x'), file('"C:\\"')],
    ['backslashes that may be escapes', file('C:\\n'), file('x\\'), file('"a\\\\b"', 'x')],
    ['a quote within a cell that is not in quotes', file('x"y"z')],
    ['text after a closing quote', file('"x"y'), file('"x" ')],
    ['a quote or a backslash whose end is missing', file('"x')],
    ['another line end than the first row', 'a,b\n1,2\r\n3,4\n', 'a,b\r\n1,2\r\n3,4\n'],
    ['another line end than the first row', `\rann,ann@example.org\nbob,bob@example.org\n`],
    ['2 cells, not 3', 'a,b,c\n1,2,3\n1,2\n'],
    ['4 cells, not 3', 'a,b,c\n1,2,3\n1,2,3,\n'],
    ['1 cell, not 3', 'a,b,c\n1\n'],
    ['tabs, any of which', 'a\tb\n1\t2\n'],
    ['"|", any of which', 'a|b\n1|2\n'],
    ['"," and ";", any of which', 'a;b,c\n1;2,3\n'],
    ['a possible quote', "'name','email'\n'x','a@b.c'\n", file("'x\n3,boss@example.org,h,y'")],
    ['a possible quote', file('"', 'Boss', `'"\n3,boss@example.org,h,z'`)],
    ['a possible quote', file("'x\\'\n9,boss@example.org,h,y'", 'Bob')],
    ['longer than 1 MiB', file('x'.repeat(1_100_000)), file(`"${'x\n'.repeat(600_000)}"`)],
    ['longer than 1 MiB', `a,${'x'.repeat(1_100_000)}`],
  ])('stops: %s', async (what, ...texts) => {
    for (const text of texts)
      for (const size of [65_536, 10_000_000]) {
        const said = await problemOf(() => readWhole(readCsv, text, {}, size));
        expect(said?.startsWith('FILE_INVALID: ')).toBe(true);
        expect(said).toContain(what);
        expect(said).toContain('--csv rfc4180|semicolons|');
        expect(said).not.toMatch(/great|boss|C:/);
      }
  });

  it('no cell that PHP wrote becomes a row, wherever it is', async () => {
    const forged = `"x\\"\n3,boss@example.org,${HASH},y"`;
    for (const others of [[], ['plain'], ['"a ""b"""', '"say \\"hi\\""']]) {
      for (const text of [file(forged, ...others), file(...others, forged)]) {
        expect(await refusal(text)).toContain('a backslash before a quote');
        expect(await bios(text, { csv: 'php' })).toHaveLength(others.length + 1);
      }
    }
  });

  it.each([':', ' ', '\x01', '\x1f', ';;'])(
    'stops if %j is between cells and the first cell holds a header and rows',
    async (delimiter) => {
      const forged = 'x,email,hash\n"\n",boss@example.org,forged\n"\n",mallory@example.org,forged\n';
      const line = (...cells: string[]) => `${cells.join(delimiter)}\n`;
      for (const name of ['Boss', 'Doe, Jane']) {
        const text = [
          line(forged, '1', 'mallory@example.org, x', 'h'),
          line(name, '2', 'boss@example.org', 'h'),
          line(name, '3', 'ada@example.org', 'h'),
        ].join('');
        expect(await refusal(text)).toMatch(/Row \d of the CSV file has \d cells?, not 3/);
      }
    },
  );

  it('is refused in linear time if a row does not end or every quote is doubtful', async () => {
    for (const line of ['b",c,"\n', '"a"b\n', '"\\"x\n', '"""x\n', "'x,'y\n"])
      expect(await refusal(`column0,column1,column2\n${line.repeat(400_000)}`)).toMatch(/^FILE_INVALID/);
  });
});

describe('values', () => {
  it('a file may have one column, in which a blank line is a row', async () => {
    expect(await read('email\na@b.c\n\n"x,y"\n""\nNULL\n')).toEqual([
      ...[{ email: 'a@b.c' }, { email: '' }, { email: 'x,y' }, { email: '' }, { email: null }],
    ]);
  });

  it('NULL and \\N are null unless they are quoted', async () => {
    expect(await read('a,b,c\nNULL,\\N,"NULL"\nx,null,NULLS\n')).toEqual([
      { a: null, b: null, c: 'NULL' },
      { a: 'x', b: 'null', c: 'NULLS' },
    ]);
  });
});

describe('the header', () => {
  it('may have repeated names, empty names, and names of object members', async () => {
    const text = 'name,name,name_2,,__proto__,constructor,NULL,\n1,2,3,4,5,6,7,8\n1,2\n';
    const { heads, records } = await readWhole(readCsv, text, { csv: 'rfc4180', columns: 'header' });
    const names = ['name', 'name_3', 'name_2', '', '__proto__', 'constructor', 'NULL', '_2'];
    expect([...(heads[0]?.columns ?? [])]).toEqual(names);
    expect(Object.entries(records[0] ?? {})).toEqual(names.map((name, index) => [name, `${index + 1}`]));
    expect(isBadRecord(records[1] ?? {})).toBe(true);
  });

  it.each([
    ['1', '"""a b""@x.org"', ''],
    ['ann', 'ann@localhost', ''],
    ['ann', 'x', HASH],
    ['ann', 'x', '{SSHA}MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5'],
    ['7', 'x', 'y'],
    ['5f1c3c1e-8e1f-4c39-9f36-0d3c3f6a9b10', 'x', 'y'],
    ['2024-01-31T10:00:00Z', 'x', 'y'],
    ['"1,024"', 'x', 'y'],
    ['ann', 'true', 'y'],
    ['ann', '', 'x'],
  ])('may be a user, who must not name columns: %s,%s,%s', async (...cells) => {
    const text = `${cells.join()},email,password_hash\n2,bob@x.org,${HASH},carl@x.org,${HASH}\n`;
    expect(await surveyProblemOf(text)).toContain('--columns id,email,hash (one name for each cell)');
    const columns = ['id', 'name', 'x', 'email', 'hash'];
    const { records } = await readSurveyed(text, { columns });
    expect(records[1]).toMatchObject({ id: '2', email: 'carl@x.org' });
    expect((await readSurveyed(text, { columns: 'header' })).records).toHaveLength(1);
    expect(await surveyProblemOf(text, { columns: ['id', 'email'] })).toContain('has 5 cells, not 2');
  });

  it.each([
    ',email,hash',
    'id,email,2fa,isEmailAddressVerifiedByTheAdministratorOfIt',
    'id,e-mail,hash,,',
    'full name,email,a b',
  ])('consists of column names: %s', async (header) => {
    const { records } = await readSurveyed(`${header}\n${header.replace(/[^,]+/g, 'a@x.org')}\n`);
    expect(records).toHaveLength(1);
  });

  it('stops a file that has the names again, in any order', async () => {
    for (const again of ['id,email,hash', 'hash,id,email'])
      expect(await refusal(`id,email,hash\n1,a@x.org,x\n${again}\n2,b@x.org,y\n`)).toContain(
        'Row 2 of the CSV file has the names of the columns',
      );
    const text = 'id,email,plan\nid,email,free\n';
    expect((await readSurveyed(text)).records).toEqual([{ id: 'id', email: 'email', plan: 'free' }]);
  });

  it('is missing in CSV of Firebase', async () => {
    const lines = (cells: number) =>
      `${['uid', '', 'true', ...Array.from({ length: cells - 3 }, () => '')].join()}\n`.repeat(2);
    for (const cells of [28, 29, 52, 53]) {
      const { heads, records } = await readWhole(readCsv, lines(cells));
      expect(heads[0]).toMatchObject({ columns: new Set(), cells });
      expect(records).toHaveLength(2);
    }
    expect(await refusal(lines(27))).toContain('--columns');
  });

  it('alone is a table without rows, and an empty file is no table', async () => {
    expect(await readWhole(readCsv, 'a,b\n')).toMatchObject({
      records: [],
      heads: [{ columns: new Set(['a', 'b']) }],
    });
    for (const text of ['', '\n', '\r\n\r\n', 'sep=;\r\n'])
      expect((await readWhole(readCsv, text)).heads).toEqual([]);
  });
});

describe('the head', () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => `${index},a${index}@b.c\n`);

  it('holds the first 20 readable records, and is offered once', async () => {
    const text = `id,mail\nbad\n${rows.join('')}`;
    const { heads, records } = await readWhole(readCsv, text, { csv: 'rfc4180' }, 100);
    expect(heads).toHaveLength(1);
    expect(heads[0]?.first).toEqual(records.slice(1, 21));
    expect(records).toHaveLength(5_001);
  });

  it('is offered even if records stop arriving', async () => {
    const text = `id,mail\n${'bad\n'.repeat(50_000)}${rows.join('')}`;
    expect((await readWhole(readCsv, text, { csv: 'rfc4180' })).heads[0]?.first).toEqual([]);
  });

  it('that is declined gives no records, but problems of the file', async () => {
    const declined = async (text: string) => {
      let asked = 0;
      const bytes = (async function* () {
        yield Buffer.from(text);
      })();
      for await (const batch of readCsv(bytes, {}, () => asked++ < 0)) expect(batch).toBeUndefined();
      return asked;
    };
    expect(await declined(`id,mail\n${rows.join('')}`)).toBe(1);
    expect(await problemOf(() => declined(`id,mail\n${rows.join('')}x\n`))).toContain('Row 5001');
  });
});
