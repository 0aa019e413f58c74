import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../../src/sources/containers/csv/read-csv.ts';
import { isBadRecord } from '../../../../src/sources/containers/table.ts';
import { outcomes, problemOf, readWhole } from '../read-whole.ts';

const read = async (text: string, options = {}) => outcomes(await readWhole(readCsv, text, options));

describe('rows that cannot be read', () => {
  it('too few cells, too many, and what surplus does no harm', async () => {
    expect(await read('a,b,c\n1,2\n1,2,3,4\n1,2,3,,\n1\n1,2,3,NULL\n')).toEqual([
      'COLUMNS_MISSING',
      'COLUMNS_MISSING',
      { a: '1', b: '2', c: '3' },
      'COLUMNS_MISSING',
      { a: '1', b: '2', c: '3' },
    ]);
  });

  it('the message counts, and shows nothing of the row', async () => {
    const { records } = await readWhole(readCsv, 'id,email,hash\n7,secret@example.com\n"secret" x,2,3\n');
    const messages = records.map((record) => (isBadRecord(record) ? record.message : ''));
    expect(messages[0]).toBe('The row has 2 cells, fewer than the 3 columns of the file.');
    expect(messages.join()).not.toContain('secret');
  });

  it('text after a closing quote; the next line is the next row', async () => {
    expect(await read('a,b\n"x"y,1\n2,3\n"x" ,1\n4,"5"6\n7,8\n')).toEqual([
      'CSV_INVALID',
      { a: '2', b: '3' },
      'CSV_INVALID',
      'CSV_INVALID',
      { a: '7', b: '8' },
    ]);
  });

  it('a quote that is never closed takes its own line only', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => `${index},ok\n`).join('');
    const found = await read(`a,b\n1,"open\n${rows}`);
    expect(found).toHaveLength(51);
    expect(found[0]).toBe('CSV_INVALID');
    expect(found[50]).toEqual({ a: '49', b: 'ok' });
  });

  it('a quote that swallows more than 1 MiB takes its own line only, whatever the chunks', async () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `${index},a row that is well to read\n`).join(
      '',
    );
    const text = `a,b\n1,"open\n${rows}2,"shut"\n`;
    for (const size of [65_536, 100_003, 10_000_000]) {
      const whole = await readWhole(readCsv, text, {}, size);
      expect(whole.records).toHaveLength(60_002);
      expect(outcomes(whole)[0]).toBe('RECORD_TOO_LONG');
      expect(whole.records.filter(isBadRecord)).toHaveLength(1);
      expect(whole.records[60_001]).toEqual({ a: '2', b: 'shut' });
    }
  });

  it('a line without end is passed over, and not kept', async () => {
    const text = `a,b\n1,${'x'.repeat(3_000_000)}\n2,ok\n${'"'.repeat(2_000_001)}\n3,ok\n${'y'.repeat(1_200_000)}`;
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

  it.each([
    ['rows that each run on into the next', 'b",c,"\n'],
    ['quotes before text', '"a"b\n'],
    ['quotes before text, and single cells', '"a"b\nx\n'],
    ['backslashes before quotes', '"\\"x\n'],
    ['doubled quotes that do not end', '"""x\n'],
    ['too few cells and backslashes', 'a\\"\n'],
  ])('%s: reading stays linear', async (_, line) => {
    const header = Array.from({ length: 3 }, (_, index) => `column${index}`).join();
    const whole = await readWhole(readCsv, `${header}\n${line.repeat(Math.ceil(2_000_000 / line.length))}`);
    expect(whole.records.every(isBadRecord)).toBe(true);
  });

  it('as linear with very many columns', async () => {
    const header = Array.from({ length: 100_000 }, (_, index) => `c${index}`).join();
    const whole = await readWhole(readCsv, `${header}\n${'b",c,"\n'.repeat(250_000)}`);
    expect(whole.records.every(isBadRecord)).toBe(true);
  });

  it('a header that cannot be read is a problem of the file', async () => {
    expect(await problemOf(() => read('"a"b,c\n1,2\n'))).toMatch(
      /^FILE_INVALID: The first line of the CSV file has/,
    );
    expect(await problemOf(() => read(`a,${'x'.repeat(1_100_000)}`))).toMatch(
      /^FILE_INVALID: .* longer than 1 MiB/,
    );
    expect(await problemOf(() => read(`"a,${'\n'.repeat(1_100_000)}`))).toMatch(/^FILE_INVALID: /);
  });
});
