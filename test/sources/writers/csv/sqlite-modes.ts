import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import { identifier, inserts, outputOf, sqliteText, type Writer } from '../writer.ts';
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
  write(rows, random) {
    const table = tableToWrite(rows, random);
    const mode = random.one(MODES);
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
    const path = join(folder, 'users.csv');
    const script = [
      `create table users(${table.names.map(identifier).join()});`,
      ...inserts(table.body, sqliteText),
      ...mode.commands,
      `.headers ${table.hasHeader ? 'on' : 'off'}`,
      `.output ${path}`,
      'select * from users order by rowid;',
    ].join('\n');
    try {
      outputOf('sqlite3', ['-batch', ':memory:'], `${script}\n`);
      const options = { ...mode.options, ...table.options };
      return { how: `${mode.commands} ${table.how}`, bytes: readFileSync(path), ...table.written, options };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
