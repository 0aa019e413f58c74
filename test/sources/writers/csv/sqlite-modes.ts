import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import { identifier, sqliteText, type Writer, withoutServer } from '../writer.ts';
import { tableToWrite } from './table-to-write.ts';

/** Modes of the shell, with what an operator can say of them. Nothing identifies the modes tabs and list. */
const MODES: readonly { commands: readonly string[]; options?: ReadOptions }[] = [
  { commands: ['.mode csv'], options: { csv: 'rfc4180' } },
  { commands: ['.mode csv', '.separator ; "\\n"'], options: { csv: 'semicolons' } },
  { commands: ['.mode quote'], options: { csv: 'sqlite-quote' } },
  { commands: ['.mode tabs'] },
  { commands: ['.mode list'] },
  { commands: ['.mode csv', '.separator "\\t"'], options: { csv: 'tabs' } },
];

export const sqliteModes: Writer = {
  name: 'sqlite-modes',
  container: 'csv',
  programs: ['sqlite3'],
  start: withoutServer(async (rows, random) => {
    const table = tableToWrite(rows, random);
    const names = table.header ?? table.cells[0]?.map((_, index) => `c${index}`) ?? [];
    const body = table.header === undefined ? table.cells : table.cells.slice(1);
    const mode = random.one(MODES);
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
    const path = join(folder, 'users.csv');
    const columns = names.map(identifier).join();
    const script = [
      `create table users(${columns});`,
      ...body.map((cells) => `insert into users values(${cells.map(sqliteText).join()});`),
      ...mode.commands,
      `.headers ${table.header === undefined ? 'off' : 'on'}`,
      `.output ${path}`,
      'select * from users order by rowid;',
    ].join('\n');
    try {
      execFileSync('sqlite3', ['-batch', ':memory:'], { input: `${script}\n`, maxBuffer: 64 * 1024 * 1024 });
      const options = { ...mode.options, ...table.options };
      return { how: `${mode.commands} ${table.how}`, bytes: readFileSync(path), ...table.written, options };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }),
};
