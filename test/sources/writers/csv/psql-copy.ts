import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../src/lib/async/free-port.ts';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import type { Random } from '../../../support/random.ts';
import type { HostileRow } from '../hostile-rows.ts';
import type { Writer, WrittenFile } from '../writer.ts';
import { type TableToWrite, tableToWrite } from './table-to-write.ts';

const BIN = '/usr/lib/postgresql/15/bin';
/** An account that may not do much: the server refuses to run as root. */
const NOBODY = 65_534;

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
const identifier = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** A server of its own, and `\copy` of psql. */
function startServer(port: number) {
  const directory = mkdtempSync(join(tmpdir(), 'psql-copy-'));
  const data = join(directory, 'data');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY, cwd: directory } : { cwd: directory };
  const run = (program: string, args: string[]) =>
    execFileSync(join(BIN, program), args, { ...as, stdio: 'ignore' });
  run('initdb', ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--no-sync']);
  run('pg_ctl', ['-D', data, '-w', '-o', `-p ${port} -k ${directory} -h '' -F`, 'start']);
  return {
    copy: (script: string): Buffer =>
      execFileSync(
        join(BIN, 'psql'),
        ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', directory, '-p', `${port}`, '-U', 'postgres', 'postgres'],
        { input: script, maxBuffer: 64 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] },
      ),
    stop: () => {
      run('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
      rmSync(directory, { recursive: true });
    },
  };
}

/** The statements around a COPY of the rows. */
function scriptOf(table: TableToWrite, copyOptions: string): string {
  const names = table.header ?? table.cells[0]?.map((_, index) => `c${index}`) ?? [];
  const body = table.header === undefined ? table.cells : table.cells.slice(1);
  return [
    'set standard_conforming_strings = on;',
    'begin;',
    `create temp table users(${names.map((name) => `${identifier(name)} text`).join()});`,
    ...body.map((cells) => `insert into users values(${cells.map(literal).join()});`),
    `copy users to stdout (${copyOptions});`,
    'rollback;\n',
  ].join('\n');
}

function chooseOptions(random: Random, header: boolean): { copy: string; options: ReadOptions } {
  const delimiter = random.one([',', ',', ';', '\t', '|']);
  const head = header ? ', header' : '';
  if (random.chance(0.25)) {
    const text = random.one(['\t', '\t', ',', '|']);
    const options = { csvQuote: 'none', csvEscape: 'backslash', csvDelimiter: text } as const;
    return { copy: `format text, delimiter ${literal(text)}${head}`, options };
  }
  if (random.chance(0.4)) {
    const force = random.chance(0.5) ? ', force_quote *' : '';
    return { copy: `format csv${force}${head}`, options: { csvEscape: 'doubled', csvQuote: '"' } };
  }
  const quote = random.one(['"', '"', "'", '~', '@', '`', '*']);
  const isBackslash = random.chance(0.4);
  const force = random.chance(0.5) ? ', force_quote *' : '';
  const escaping = isBackslash ? ", escape '\\'" : '';
  return {
    copy: `format csv, delimiter ${literal(delimiter)}, quote ${literal(quote)}${escaping}${force}${head}`,
    options: {
      csvQuote: quote,
      csvEscape: isBackslash ? 'backslash' : 'doubled',
      csvDelimiter: delimiter,
    },
  };
}

export const psqlCopy: Writer = {
  name: 'psql-copy',
  container: 'csv',
  programs: ['psql', 'initdb'],
  async start() {
    const server = startServer(await freePort());
    const write = async (rows: readonly HostileRow[], random: Random): Promise<WrittenFile> => {
      const table = tableToWrite(rows, random);
      const { copy, options } = chooseOptions(random, table.header !== undefined);
      const bytes = server.copy(scriptOf(table, copy));
      const told = { ...options, ...table.options, csvNull: '\u0001none' };
      return { how: `${copy} ${table.how}`, bytes, ...table.written, options: told };
    };
    return { write, stop: async () => server.stop() };
  },
};
