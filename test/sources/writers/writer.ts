import { execFileSync } from 'node:child_process';
import type { ContainerName, ReadOptions } from '../../../src/sources/containers/table.ts';
import { installed } from '../../support/installed.ts';
import { startMariadb } from '../../support/mariadb.ts';
import type { Random } from '../../support/random.ts';
import type { HostileRow } from './hostile-rows.ts';
import { startPostgres } from './postgres-server.ts';

/** A real program that writes exports. */
export interface Writer {
  /** Name, such as `python-csv`. */
  readonly name: string;
  readonly container: ContainerName;
  /**
   * Programs of the system that the writer needs. If one is not installed, the tests are skipped with its
   * name.
   */
  readonly programs: readonly string[];
  write(rows: readonly HostileRow[], random: Random): WrittenFile | Promise<WrittenFile>;
}

export interface WrittenFile {
  /** Description of what was chosen, such as `dialect excel-tab, quotes all`. */
  how: string;
  bytes: Buffer;
  /** The rows as they must be read back. */
  rows: readonly Record<string, unknown>[];
  /** Options for an operator who knows how the file was written. The file is also read without them. */
  options: ReadOptions;
  /** Selects the table of the users if the file has several. */
  isTable?(name: string): boolean;
}

/** Servers that all writers share. Each starts when it is first needed. */
const servers: { stop(): Promise<void> }[] = [];

function shared<Server extends { stop(): Promise<void> }>(start: () => Promise<Server>) {
  let server: Promise<Server> | undefined;
  return async () => {
    if (server === undefined) {
      server = start();
      servers.push(await server);
    }
    return server;
  };
}

export const postgres = shared(startPostgres);
export const mariadb = shared(startMariadb);
export const stopServers = () => Promise.all(servers.map((server) => server.stop()));

/** Returns what a program writes to standard output. */
export const outputOf = (program: string, args: readonly string[], input: string): Buffer =>
  execFileSync(installed(program) ?? program, args, {
    ...{ input, maxBuffer: 256 * 1024 * 1024, stdio: ['pipe', 'pipe', 'ignore'] },
  });

/** Returns statements that insert rows into the table `users`. */
export const inserts = (
  rows: readonly (readonly string[])[],
  literalOf: (text: string) => string,
  into = 'users',
) => rows.map((cells) => `insert into ${into} values(${cells.map(literalOf).join()});`);

/** Writes a text as a literal of standard SQL. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Writes a name as a quoted identifier of standard SQL. */
export const identifier = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Writes a text for the shell of SQLite, which changes the line ends of its input. */
export const sqliteText = (text: string) => `cast(x'${Buffer.from(text).toString('hex')}' as text)`;

/** Returns a dump from its first statement with rows on, as `grep` or an editor leaves it. */
export function withoutHead(dump: Buffer): Buffer {
  const start = /^(?:COPY|INSERT|REPLACE) /m.exec(dump.toString('latin1'))?.index ?? 0;
  return dump.subarray(start);
}

/** Replaces what an encoding lacks by characters that it has, one after the other. */
export function inEncoding(row: HostileRow, characters: string): HostileRow {
  const special = [...characters];
  const replaced = (text: string) => {
    let count = 0;
    return [...text.replaceAll('\u007f', '')]
      .map((sign) => (sign < '\u0080' ? sign : (special[count++ % special.length] ?? '')))
      .join('');
  };
  return { ...row, name: replaced(row.name), bio: replaced(row.bio) };
}
