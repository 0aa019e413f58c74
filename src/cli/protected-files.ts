import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from './cli-error.ts';
import type { CommandContext } from './command.ts';
import { databaseKind, readDatabaseAddress } from './databases/database.ts';
import { ownDescriptor } from './files/whole-file.ts';
import { FLAG_NAMES, flagOf } from './options/flags.ts';

/** A file that no output may overwrite: the command reads it, or a standard stream is redirected to it. */
interface ProtectedFile {
  /** Words to follow the file's name in a message: "is one of the files that are read". */
  use: string;
  identity: string;
  /** Descriptor of the standard stream that is redirected to the file. */
  descriptor?: number;
}

/** Flags that name output files. Other flags with file names are inputs. */
const OUTPUTS = new Set<string>(['report', 'rejects']);
const URI_FILES = ['sslrootcert', 'sslca', 'sslcert', 'sslkey', 'passfile'];
const ENV_FILES = ['PGPASSFILE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY', 'NODE_EXTRA_CA_CERTS'];

/** Returns undefined if there is no such file or descriptor. */
function statsOf(file: string | number): BigIntStats | undefined {
  try {
    return typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}

/** Returns device and inode of a path or descriptor, which are the same for all links to one file. */
export function fileIdentity(file: string | number): string | undefined {
  const stats = statsOf(file);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Returns an id for an output file that may not exist yet: its directory's identity, and its name. */
export const placeIdentity = (path: string): string =>
  `${fileIdentity(dirname(resolve(path)))}/${basename(path)}`;

export function protectedFiles({
  words,
  flags,
  io,
}: Pick<CommandContext, 'words' | 'flags' | 'io'>): ProtectedFile[] {
  const { env } = io;
  const kept: ProtectedFile[] = [];
  const add = (use: string, path: string | undefined) => {
    if (path === undefined || path === '' || isDevice(path)) return;
    const identity = fileIdentity(path);
    if (identity !== undefined) kept.push({ use, identity });
  };
  for (const word of words) {
    if (databaseKind(word) === undefined) add('is one of the files that are read', word);
    else for (const path of filesOfUri(word)) add('belongs to the connection to the database', path);
  }
  for (const name of FLAG_NAMES) {
    if (OUTPUTS.has(name)) continue;
    for (const text of flags.list(name)) {
      if (flagOf(name).value === 'FILE') add(`is the file of --${name}`, text);
      if (text.startsWith('@')) add(`is the file of --${name}`, text.slice(1));
    }
  }
  for (const name of ENV_FILES) add(`is the file of ${name}`, env[name]);
  add('holds passwords of databases', join(homedir(), '.pgpass'));
  for (const [name, stream] of [
    ['stdin', io.stdin],
    ['stdout', io.stdout],
    ['stderr', io.stderr],
  ] as const) {
    const { fd } = stream;
    if (fd === undefined || statsOf(fd)?.isFile() !== true) continue;
    const identity = fileIdentity(fd);
    if (identity !== undefined)
      kept.push({ use: `is where ${name} is redirected`, identity, descriptor: fd });
  }
  return kept;
}

/** Throws if stdout or stderr would append to a file that is read: `convert users.json >> users.json`. */
export function checkStandardStreams(kept: readonly ProtectedFile[]): void {
  const writers = kept.filter(({ descriptor = 0 }) => descriptor !== 0);
  const readers = new Set(
    kept.filter(({ descriptor = 0 }) => descriptor === 0).map(({ identity }) => identity),
  );
  const found = writers.find(({ identity }) => readers.has(identity));
  if (found === undefined) return;
  const name = found.descriptor === 1 ? 'stdout' : 'stderr';
  throw new CliError(`${name} is redirected to a file that is read. Name another file behind the >.`);
}

/**
 * Throws if writing to the path would overwrite a file that the command reads.
 * @param name how the operator named the path: `--report x.ndjson`
 */
export function checkNotProtected(
  path: string,
  { name, kept, usesStdout }: { name: string; kept: readonly ProtectedFile[]; usesStdout: boolean },
): void {
  const descriptor = ownDescriptor(path);
  if (descriptor === 1 && usesStdout)
    throw new CliError(`${name}: the results of this command go to stdout. Name another file.`);
  const identity = fileIdentity(path);
  // Writing to this process's stdout or stderr is allowed, unless the command also reads the file behind it.
  const found = kept.find(
    (one) => one.identity === identity && (descriptor === undefined || one.descriptor !== descriptor),
  );
  if (identity !== undefined && found !== undefined)
    throw new CliError(`${name} ${found.use}: it would be overwritten. Name another file.`);
}

function filesOfUri(uri: string): string[] {
  try {
    const { options } = readDatabaseAddress(uri);
    return URI_FILES.flatMap((name) => options.get(name) ?? []);
  } catch {
    // openDatabase() reports a malformed URI.
    return [];
  }
}

/** Returns whether the path is a character device such as /dev/null. Writing to it overwrites nothing. */
export const isDevice = (path: string): boolean => statsOf(path)?.isCharacterDevice() === true;
