import { describe, expect, it } from 'vitest';
import { openContainer } from '../../../src/sources/containers/open-container.ts';
import { FileProblem, isBadRecord, type TableHead } from '../../../src/sources/containers/table.ts';
import { fileOf } from './read-whole.ts';

async function readText(text: string) {
  const tables: TableHead[] = [];
  const { read } = await openContainer(fileOf(text, text.length), { csv: 'rfc4180' });
  const records = [];
  for await (const batch of read((table) => tables.push(table) > 0)) records.push(...batch.records);
  return { records, tables };
}

describe('the content of a file', () => {
  it('is not mistaken for an unreadable record', async () => {
    const user = { problem: 'JSON_INVALID', message: 'ada@example.com', partial: 'x' };
    for (const text of [
      JSON.stringify([user]),
      `${JSON.stringify(user)}\n${JSON.stringify(user)}\n`,
      'problem,message,partial\nJSON_INVALID,ada@example.com,x\n',
      "INSERT INTO u (problem, message, partial) VALUES ('JSON_INVALID', 'ada@example.com', 'x');\n",
    ]) {
      const { records } = await readText(text);
      expect(records[0]).toEqual(user);
      expect(records.some(isBadRecord)).toBe(false);
    }
  });

  it('sets no prototype', async () => {
    const { records } = await readText('email,__proto__\na@b.co,x\na@b.co\na@b.co,x,y\n');
    expect(Object.getOwnPropertyDescriptor(records[0], '__proto__')?.value).toBe('x');
    for (const record of records)
      expect(Object.getPrototypeOf(isBadRecord(record) ? record.partial : record)).toBe(Object.prototype);
  });
});

describe('memory is bounded', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `c${index}`).join(',');

  it('for short rows under a wide header', async () => {
    const { records } = await readText(`email,hash,${names}\na@b.co,x\n`);
    expect(records).toMatchObject([{ problem: 'COLUMNS_MISSING', partial: { email: 'a@b.co', hash: 'x' } }]);
    expect(Object.keys(Object(records[0]).partial)).toHaveLength(2);
  });

  it('for short rows under a header of empty names', async () => {
    const { records } = await readText(`email,hash${','.repeat(5000)}\na@b.co,x\n`);
    expect(records).toMatchObject([{ problem: 'COLUMNS_MISSING', partial: { email: 'a@b.co', hash: 'x' } }]);
    expect(Object.keys(Object(records[0]).partial)).toHaveLength(2);
  });

  it('for the first rows of all tables of a dump', async () => {
    const text = 'x'.repeat(900_000);
    const insert = (_: unknown, index: number) => `INSERT INTO t${index} (a) VALUES ('${text}');\n`;
    const { tables, records } = await readText(Array.from({ length: 30 }, insert).join(''));
    expect(tables).toHaveLength(30);
    expect(records).toHaveLength(30);
    expect(tables.filter(({ first }) => first.length > 0)).toHaveLength(18);
  });

  it('for the columns of all tables of a dump', async () => {
    const columns = Array.from({ length: 1000 }, (_, index) => `c${index} int`).join(', ');
    const creates = Array.from({ length: 501 }, (_, index) => `CREATE TABLE t${index} (${columns});\n`);
    await expect(readText(creates.join(''))).rejects.toThrow(FileProblem);
  });

  it('for the attributes of an entry', async () => {
    const lines = Array.from({ length: 10_001 }, (_, index) => `a${index}: x\n`).join('');
    const { records } = await readText(`dn: x\nmail: a@b.co\n${lines}\ndn: y\nmail: b@b.co\n`);
    expect(records).toEqual([
      { problem: 'LDIF_INVALID', message: 'The entry has more than 10000 attributes.' },
      { dn: ['y'], mail: ['b@b.co'] },
    ]);
  });

  it('for a record of many empty values', async () => {
    const { records } = await readText(`[{"a":[0${',[]'.repeat(400_000)}]},{"a":1}]`);
    expect(records).toEqual([
      { problem: 'RECORD_TOO_LONG', message: 'Has more than 200,000 values.' },
      { a: 1 },
    ]);
  });

  it('for long entries before their table is offered', async () => {
    const entry = `dn: x\nmail: a@b.co\nphoto: ${'x'.repeat(400_000)}\n\n`;
    const { tables } = await readText(entry.repeat(12));
    expect(tables[0]?.first.length).toBeLessThan(6);
  });
});
