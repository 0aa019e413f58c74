import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import { startMariadb } from '../../../support/mariadb.ts';
import type { Random } from '../../../support/random.ts';
import type { HostileRow } from '../hostile-rows.ts';
import type { Writer, WrittenFile } from '../writer.ts';
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

function createTable(table: TableToWrite): { names: string[]; script: string } {
  const names = table.header?.map(identifier) ?? table.cells[0]?.map((_, index) => `c${index}`) ?? [];
  const body = table.header === undefined ? table.cells : table.cells.slice(1);
  const script = [
    'set names utf8mb4;',
    'create temporary table users(nr int auto_increment primary key,',
    `${names.map((name) => `${name} longtext character set utf8mb4`).join()});`,
    ...body.map((cells) => `insert into users(${names}) values(${cells.map(literal).join()});`),
  ].join('\n');
  return { names, script };
}

export const mariadbFiles: Writer = {
  name: 'mariadb-files',
  container: 'csv',
  programs: ['mariadbd', 'mariadb'],
  async start() {
    const server = await startMariadb();
    const connection = await server.connect();
    await connection.query('create database fuzz character set utf8mb4');
    await connection.end();
    const folder = mkdtempSync(join(tmpdir(), 'mariadb-files-'));
    chmodSync(folder, 0o777);
    let number = 0;
    const client = (args: string[], script: string): Buffer =>
      execFileSync(
        'mariadb',
        [
          '--no-defaults',
          `--socket=${server.socket}`,
          '-uroot',
          '--default-character-set=utf8mb4',
          ...args,
          'fuzz',
        ],
        { input: script, maxBuffer: 64 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] },
      );
    const write = async (rows: readonly HostileRow[], random: Random): Promise<WrittenFile> => {
      const isOutfile = random.chance(0.6);
      const table = tableToWrite(rows, random, !isOutfile);
      const { names, script } = createTable(table);
      if (!isOutfile) {
        const isRaw = random.chance(0.3);
        const args = ['--batch', ...(isRaw ? ['--raw'] : [])];
        const bytes = client(args, `${script}\nselect ${names} from users order by nr;\n`);
        const options: ReadOptions = { ...(!isRaw && { csv: 'mysql-batch' }), ...table.options };
        return { how: `${args} ${table.how}`, bytes, ...table.written, options };
      }
      const { fields, options } = random.one(OUTFILES);
      number += 1;
      const path = join(folder, `${number}`);
      client(
        [],
        `${script}\nselect ${names} into outfile '${path}' character set utf8mb4 ${fields} from users order by nr;\n`,
      );
      const bytes = readFileSync(path);
      rmSync(path);
      return { how: `outfile ${fields}`, bytes, ...table.written, options: { ...options, ...table.options } };
    };
    return {
      write,
      async stop() {
        await server.stop();
        rmSync(folder, { recursive: true });
      },
    };
  },
};
