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
import { fileIdentity } from '../kept-files.ts';
import { Stopped } from '../stopped.ts';

/**
 * Rows come in batches of what is read at a time: those of 256 KiB live so long that they are taken for
 * lasting, and memory grows.
 */
const READ_BYTES = 64 * 1024;

const readPiece = promisify(read);

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  ELOOP: 'it is a link that leads to itself',
  ENOSPC: 'there is no room for a copy of it in the temporary directory (TMPDIR)',
};

export interface FileDeps {
  stdin: Readable & { fd?: number };
  /** Told of all that is read of them. */
  onRead(bytes: number): void;
  /** Where that which cannot be read twice is kept meanwhile. */
  tempDirectory: string;
  /** Takes what closes the files, to be called when they are needed no more. */
  atEnd(close: () => void): void;
}

/**
 * Opens the files that the operator named; `-` is stdin. They stay open, so that a name which leads elsewhere
 * later changes nothing.
 * Pipes are copied to a file first, as files are read more than once.
 * @throws {Stopped} for what cannot be read
 */
export async function openSourceFiles(names: readonly string[], deps: FileDeps): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const seen = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw new Stopped(`${name} is given twice.`);
    // A pipe could not be read twice, and rows of a file would be.
    const identity = fileIdentity(name === '-' ? (deps.stdin.fd ?? '') : name);
    const other = identity === undefined ? undefined : seen.get(identity);
    if (other !== undefined) throw new Stopped(`${name} and ${other} are the same file: name it once.`);
    if (identity !== undefined) seen.set(identity, name);
    files.push(await openSourceFile(name, join(deps.tempDirectory, `input-${index}`), deps));
  }
  return files;
}

async function openSourceFile(name: string, copy: string, deps: FileDeps): Promise<SourceFile> {
  try {
    if (name === '-') return await keep('stdin', deps.stdin, copy, deps);
    const stats = statSync(name);
    if (stats.isDirectory()) throw new Stopped(`${name} is a directory: name the files in it.`);
    // Some never end.
    if (stats.isCharacterDevice() || stats.isBlockDevice())
      throw new Stopped(`${name} is a device, and no file. For what comes from stdin, write -.`);
    if (!stats.isFile()) return await keep(name, createReadStream(name), copy, deps);
    // What was replaced by a pipe meanwhile must not be waited for.
    const descriptor = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    deps.atEnd(() => closeSync(descriptor));
    const opened = fstatSync(descriptor, { bigint: true });
    if (!opened.isFile()) throw changed(name);
    return fileOf(name, descriptor, opened, deps, name);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    throw unreadable(name, error);
  }
}

/** Copies what can be read once to a file without a name: nothing is left of it, however the process ends. */
async function keep(name: string, from: Readable, copy: string, deps: FileDeps): Promise<SourceFile> {
  const descriptor = openSync(copy, 'wx+', 0o600);
  deps.atEnd(() => closeSync(descriptor));
  rmSync(copy);
  await pipeline(from, createWriteStream(copy, { fd: descriptor, autoClose: false }));
  return fileOf(name, descriptor, fstatSync(descriptor, { bigint: true }), deps);
}

/**
 * @param first as it is before it is read: it must stay the same, as it is read more than once
 * @param path where its name must still lead to it
 */
function fileOf(
  name: string,
  descriptor: number,
  first: BigIntStats,
  { onRead }: FileDeps,
  path?: string,
): SourceFile {
  return {
    name,
    sizeBytes: Number(first.size),
    async *open() {
      try {
        for await (const bytes of readAll(descriptor)) {
          onRead(bytes.length);
          yield bytes;
        }
        const now = [fstatSync(descriptor, { bigint: true })];
        if (path !== undefined) now.push(await stat(path, { bigint: true }));
        if (now.some((one) => !isSame(one, first))) throw changed(name);
      } catch (error) {
        if (error instanceof Stopped) throw error;
        throw unreadable(name, error);
      }
    },
  };
}

/**
 * Reads from the start, one piece ahead. Not by a stream, which would close the file where its reader ends
 * early.
 */
async function* readAll(descriptor: number): AsyncGenerator<Buffer> {
  const readAt = (position: number) => {
    const piece = readPiece(descriptor, Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position);
    // Awaited below, or wanted by nobody.
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

const isSame = (now: BigIntStats, before: BigIntStats) =>
  now.dev === before.dev &&
  now.ino === before.ino &&
  now.size === before.size &&
  now.mtimeNs === before.mtimeNs;

const changed = (name: string) =>
  new Stopped(`${name} was changed while it was read. Run it again once nobody writes to it.`);

function unreadable(name: string, error: unknown): Stopped {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new Stopped(`${name}: ${WHY[code] ?? `cannot be read (${code})`}.`, { cause: error });
}
