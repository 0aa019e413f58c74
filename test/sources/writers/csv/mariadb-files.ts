import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import { inserts, mariadb, outputOf, type Writer } from '../writer.ts';
import { type TableToWrite, tableToWrite } from './table-to-write.ts';

/** Writes a text in hexadecimal, because the client changes line ends of its input. */
const literal = (text: string) => `x'${Buffer.from(text).toString('hex')}'`;
const identifier = (text: string) => `\`${text.replaceAll('`', '``')}\``;

/** Options of INTO OUTFILE, with what an operator can say of them. */
const OUTFILES: readonly { fields: string; options?: ReadOptions }[] = [
  { fields: '', options: { csv: 'mysql-outfile' } },
  { fields: "fields terminated by ','" },
  { fields: "fields terminated by ',' enclosed by '\"'", options: { csv: 'backslash' } },
  {
    fields: "fields terminated by ',' optionally enclosed by '\"' lines terminated by '\\r\\n'",
    options: { csv: 'backslash' },
  },
  { fields: "fields terminated by ';' enclosed by '\\''" },
];

function createTable(table: TableToWrite): { names: string; script: string } {
  const names = table.names.map(identifier);
  const script = [
    'create database if not exists fuzz character set utf8mb4; use fuzz; set names utf8mb4;',
    'create temporary table users(nr int auto_increment primary key,',
    `${names.map((name) => `${name} longtext character set utf8mb4`).join()});`,
    ...inserts(table.body, literal, `users(${names})`),
  ].join('\n');
  return { names: names.join(), script };
}

export const mariadbFiles: Writer = {
  name: 'mariadb-files',
  container: 'csv',
  programs: ['mariadbd', 'mariadb'],
  async write(rows, random) {
    const { socket } = await mariadb();
    const settings = ['--no-defaults', `--socket=${socket}`, '-uroot', '--default-character-set=utf8mb4'];
    const isOutfile = random.chance(0.6);
    const table = tableToWrite(rows, random, !isOutfile);
    const { names, script } = createTable(table);
    if (!isOutfile) {
      const isRaw = random.chance(0.3);
      const args = ['--batch', ...(isRaw ? ['--raw'] : [])];
      const query = `${script}\nselect ${names} from users order by nr;\n`;
      const bytes = outputOf('mariadb', [...settings, ...args], query);
      const options: ReadOptions = { ...(!isRaw && { csv: 'mysql-batch' }), ...table.options };
      return { how: `${args} ${table.how}`, bytes, ...table.written, options };
    }
    const { fields, options } = random.one(OUTFILES);
    const folder = mkdtempSync(join(tmpdir(), 'mariadb-files-'));
    chmodSync(folder, 0o777);
    const path = join(folder, 'users');
    const query = `${script}\nselect ${names} into outfile '${path}' character set utf8mb4 ${fields} from users order by nr;\n`;
    outputOf('mariadb', settings, query);
    const bytes = readFileSync(path);
    rmSync(folder, { recursive: true });
    return { how: `outfile ${fields}`, bytes, ...table.written, options: { ...options, ...table.options } };
  },
};
