import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../../src/sources/containers/csv/read-csv.ts';
import { isBadRecord, type ReadOptions } from '../../../../src/sources/containers/table.ts';
import { surveyFile } from '../../../../src/sources/pipeline/survey-file.ts';
import { collect, fileOf, outcomes, problemOf, readWhole } from '../read-whole.ts';

const read = async (text: string, options: ReadOptions = {}) =>
  outcomes(await readWhole(readCsv, text, options));

describe('unreadable rows', () => {
  const RAGGED = 'a,b,c\n1,2\n1,2,3,4\n1,2,3,,\n1\n1,2,3,NULL\n';

  it('have too few cells or too many, but extra empty cells are accepted if the writer quotes line breaks', async () => {
    const rows = [
      'COLUMNS_MISSING',
      'COLUMNS_MISSING',
      { a: '1', b: '2', c: '3' },
      'COLUMNS_MISSING',
      { a: '1', b: '2', c: '3' },
    ];
    expect(await read(RAGGED, { csvEscape: 'doubled', csvNull: 'NULL' })).toEqual(rows);
  });

  it('are refused alone if there is one and the writer quotes line breaks, and stop the file if there are more', async () => {
    const quoted = '"x\ny",2,3\n';
    expect(await read(`a,b,c\n1,2\n${quoted}`)).toEqual(['COLUMNS_MISSING', { a: 'x\ny', b: '2', c: '3' }]);
    const stop = /^FILE_INVALID: Row \d has \d cells?, not 3/;
    expect(await problemOf(() => read(`a,b,c\n1,2\n1,2\n${quoted}`))).toMatch(stop);
    expect(await problemOf(() => read(`a,b,c\n1\n${quoted}`))).toMatch(stop);
  });

  it('stop the file if a line break may be outside quotes', async () => {
    expect(await problemOf(() => read(RAGGED))).toMatch(/^FILE_INVALID: Row 1 has 2 cells, not 3\. /);
    expect(await problemOf(() => read('a,b\n1,2\n\n3,4\n'))).toContain('Row 2 has a blank line before it');
    expect(await read('\n\na,b\n1,2\n\n\n')).toEqual([{ a: '1', b: '2' }]);
  });

  it.each([
    [':', 'Boss'],
    [' ', 'Boss'],
    ['\x01', 'Boss'],
    ['\x1f', 'Boss'],
    [';;', 'Boss'],
    [':', 'Doe, Jane'],
  ])(
    'stop the file if %j is between cells and the first cell holds a header and rows, beside %j',
    async (delimiter, name) => {
      const forged = 'x,email,hash\n"\n",boss@example.org,forged\n"\n",mallory@example.org,forged\n';
      const line = (...cells: string[]) => `${cells.join(delimiter)}\n`;
      const mallory = line(forged, '1', 'mallory@example.org, x', 'h');
      const text = `${mallory}${line(name, '2', 'boss@example.org', 'h')}${line(name, '3', 'ada@example.org', 'h')}`;
      expect(await problemOf(() => read(text))).toMatch(/^FILE_INVALID: Row \d has \d cells?, not 3/);
    },
  );

  it('are reported with numbers, without their content', async () => {
    const text = 'id,email,hash\n7,secret@example.com\n';
    const { records } = await readWhole(readCsv, text, { csvEscape: 'doubled' });
    const messages = records.map((record) => (isBadRecord(record) ? record.message : ''));
    expect(messages).toEqual(['The row has 2 cells, fewer than the 3 columns of the file.']);
    const said = await problemOf(() => read('id,email,hash\n"secret" x,2,3\n'));
    expect(said).toContain('Row 1 has a quoted cell with text after its closing quote');
    expect(said).not.toContain('secret');
  });

  it.each([['"x"y,1'], ['"x" ,1'], ['4,"5"6']])(
    '%s: text after a closing quote stops the file',
    async (row) => {
      expect(await problemOf(() => read(`a,b\n1,2\n${row}\n2,3\n`))).toContain('Row 2 has a quoted cell');
    },
  );

  it('a row of more than 1 MiB is refused, and its content is not read as rows', async () => {
    const boss = '3,boss@example.org,hash,y,z\n';
    for (const encoding of ['utf8', 'utf16le', 'latin1'] as const) {
      for (const quote of ['"', "'"]) {
        for (const [inner, csvEscape] of [
          [quote + quote, 'doubled'],
          [`\\${quote}`, 'backslash'],
          [`\\${quote}`, 'php'],
        ] as const) {
          const long = `${quote}x${inner}\n${boss.repeat(50_000)}${quote}`;
          const text = `id,email,hash,name,bio\n1,a@b.c,h,n,${long}\n2,b@b.c,h,é,"z"\n`;
          const bytes = Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding);
          const options: ReadOptions = {
            csvEscape,
            csvQuote: quote,
            ...(encoding === 'latin1' && { encoding }),
          };
          for (const size of encoding === 'utf8' ? [65_536, 100_003, 10_000_000] : [100_003]) {
            const back = await surveyFile(fileOf(bytes, size), options);
            const { records } = await collect(back.read(() => true));
            expect(records.map((record) => (isBadRecord(record) ? record.problem : record.id))).toEqual([
              'RECORD_TOO_LONG',
              '2',
            ]);
          }
        }
      }
    }
  });

  it('an endless line is skipped without being kept in memory', async () => {
    const text = `a,b\n1,${'x'.repeat(3_000_000)}\n2,ok\n"${'""'.repeat(1_000_000)}",\n3,ok\n4,${'y'.repeat(1_200_000)}`;
    for (const size of [65_536, 10_000_000]) {
      expect(outcomes(await readWhole(readCsv, text, {}, size))).toEqual([
        'RECORD_TOO_LONG',
        { a: '2', b: 'ok' },
        'RECORD_TOO_LONG',
        { a: '3', b: 'ok' },
        'RECORD_TOO_LONG',
      ]);
    }
  });

  it('an unclosed quote stops the file, and the message names its row', async () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `${index},a row that is well to read\n`).join(
      '',
    );
    expect(await problemOf(() => read(`a,b\n1,2\n1,"open\n${rows}`))).toContain(
      'Row 2 has a quote that is never closed',
    );
  });

  it.each([
    ['rows that each run on into the next', 'b",c,"\n'],
    ['quotes before text', '"a"b\n'],
    ['backslashes before quotes', '"\\"x\n'],
    ['doubled quotes that do not end', '"""x\n'],
    ['too few cells and backslashes', 'a\\"\n'],
  ])('%s: each of many interpretations is tried in one pass', async (_, line) => {
    let bytes = 0;
    const chunk = Buffer.from(line.repeat(Math.ceil(65_536 / line.length)));
    const counted = async function* () {
      yield Buffer.from('column0,column1,column2\n');
      for (let index = 0; index < 40; index++) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    const batches = readCsv(counted(), {}, () => true);
    expect(await problemOf(() => collect(batches))).toMatch(/^FILE_INVALID/);
    expect(bytes).toBe(40 * chunk.length);
  });

  it('an unreadable header is a problem of the file', async () => {
    expect(await problemOf(() => read('"a"b,c\n1,2\n'))).toMatch(/^FILE_INVALID: The header has/);
    expect(await problemOf(() => read(`a,${'x'.repeat(1_100_000)}`))).toMatch(/^FILE_INVALID: .* 1 MiB/);
    expect(await problemOf(() => read(`"a,${'\n'.repeat(1_100_000)}`))).toMatch(/^FILE_INVALID: /);
  });
});
