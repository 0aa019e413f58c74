import {
  type BigIntStats,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  read,
  rmSync,
  statSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { SourceFile } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';

/**
 * Size of a read. Batches of 256 KiB would live so long that V8 moves them to the old generation, and memory would
 * grow.
 */
const READ_BYTES = 64 * 1024;

const readPiece = promisify(read);

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  ELOOP: 'it is a link that leads to itself',
  ENOSPC: 'the temporary directory (TMPDIR) has no room for a copy of it',
};

/**
 * Returns device and inode of a path or descriptor, which are the same for all links to one file. Undefined if there is
 * no file.
 */
export function fileIdentity(file: string | number): string | undefined {
  try {
    const { dev, ino } =
      typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

type FileContext = Pick<CommandContext, 'io' | 'tempDirectory' | 'atEnd'>;
type OnRead = (bytes: number) => void;

/**
 * Opens the files that the operator named; `-` is stdin. The files stay open until the command ends, so that
 * renaming a file does not change what is read.
 * @throws {CliError} if a file cannot be read
 */
export async function openSourceFiles(
  names: readonly string[],
  context: FileContext,
  onRead: OnRead = () => {},
): Promise<SourceFile[]> {
  const { stdin, stdout } = context.io;
  const files: SourceFile[] = [];
  const seen = new Map<string, string>();
  // Stdout must not be redirected to a file that is read, as in `convert users.json >> users.json`.
  const out = stdout.fd !== undefined && fstatSync(stdout.fd).isFile() ? fileIdentity(stdout.fd) : undefined;
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw new CliError(`${name} is given twice.`);
    // A file may be given only once, even under different names: its rows would be imported twice, and a pipe cannot be
    // read twice.
    const identity = fileIdentity(name === '-' ? (stdin.fd ?? '') : name);
    if (identity !== undefined) {
      const other = seen.get(identity);
      if (other !== undefined) throw new CliError(`${name} and ${other} are the same file: name it once.`);
      seen.set(identity, name);
      if (identity === out)
        throw new CliError(`stdout is redirected to ${name}, which is read. Name another file behind the >.`);
    }
    const copyPipe = (from: Readable) => copyOf(from, join(context.tempDirectory, `input-${index}`));
    try {
      const opened = name === '-' ? await copyPipe(stdin) : await openFile(name, copyPipe);
      context.atEnd.push(() => closeSync(opened.descriptor));
      files.push(sourceFile(name === '-' ? 'stdin' : name, opened, onRead));
    } catch (error) {
      throw unreadable(name === '-' ? 'stdin' : name, error);
    }
  }
  return files;
}

interface OpenFile {
  descriptor: number;
  /** Path at which the file must still be after each read. Undefined for the copy of a pipe. */
  path?: string;
}

async function openFile(name: string, copyPipe: (from: Readable) => Promise<OpenFile>): Promise<OpenFile> {
  if (/^(?:mysql|mariadb):\/\//i.test(name))
    throw new CliError(
      'MySQL and MariaDB are read from a dump: mysqldump --single-transaction DATABASE > dump.sql, then name dump.sql here.',
    );
  const stats = statSync(name);
  if (stats.isDirectory())
    throw new CliError(`${name} is a directory: name the files in it, such as ${name}/*.json.`);
  // Devices are refused as input files, because some (/dev/zero) have no end.
  if (stats.isCharacterDevice() || stats.isBlockDevice())
    throw new CliError(`${name} is a device, not a file. To read stdin, use -.`);
  if (!stats.isFile()) return copyPipe(createReadStream(name));
  // Without O_NONBLOCK, opening would wait for a writer if the file was replaced by a pipe in the meantime.
  return { descriptor: openSync(name, constants.O_RDONLY | constants.O_NONBLOCK), path: name };
}

/**
 * Copies a pipe to a file, because it is read several times. The file's name is deleted at once, so that the copy
 * disappears however the process ends.
 */
async function copyOf(from: Readable, copy: string): Promise<OpenFile> {
  const descriptor = openSync(copy, 'wx+', 0o600);
  rmSync(copy);
  await pipeline(from, createWriteStream(copy, { fd: descriptor, autoClose: false }));
  return { descriptor };
}

/**
 * Returns a file that can be read several times. At its end, each read checks that the file has not changed since it
 * was opened.
 */
function sourceFile(name: string, { descriptor, path }: OpenFile, onRead: OnRead): SourceFile {
  const first = fstatSync(descriptor, { bigint: true });
  if (!first.isFile()) throw changed(name);
  const isSame = (now: BigIntStats) =>
    (['dev', 'ino', 'size', 'mtimeNs'] as const).every((member) => now[member] === first[member]);
  return {
    name,
    sizeBytes: Number(first.size),
    async *open() {
      try {
        for await (const bytes of readAll(descriptor)) {
          onRead(bytes.length);
          yield bytes;
        }
        const isOther = path !== undefined && !isSame(await stat(path, { bigint: true }));
        if (isOther || !isSame(fstatSync(descriptor, { bigint: true }))) throw changed(name);
      } catch (error) {
        throw unreadable(name, error);
      }
    },
  };
}

/** Reads a file from its start. A stream is not used, because it would close the file when its consumer stops early. */
async function* readAll(descriptor: number): AsyncGenerator<Buffer> {
  const readAt = (position: number) => {
    const piece = readPiece(descriptor, Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position);
    // Awaited in the next iteration. If the consumer stops earlier, a rejection must not crash the process.
    piece.catch(() => {});
    return piece;
  };
  let next = readAt(0);
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await next;
    if (bytesRead === 0) return;
    position += bytesRead;
    next = readAt(position);
    yield buffer.subarray(0, bytesRead);
  }
}

const changed = (name: string) =>
  new CliError(`${name} was changed while it was read. Run it again when no program writes to it any more.`);

function unreadable(name: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new CliError(`${name}: ${EXPLANATIONS[code] ?? `cannot be read (${code})`}.`);
}
