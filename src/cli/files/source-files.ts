import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SourceFile } from '../../sources/containers/table.ts';
import { Stopped } from '../stopped.ts';

/** Rows come in batches of what is read at a time: those of 256 KiB live so long that they are taken for lasting, and memory grows. */
const READ_BYTES = 64 * 1024;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  ELOOP: 'it is a link that leads to itself',
  ENOSPC: 'there is no room for a copy of it in the temporary directory (TMPDIR)',
};

export interface FileDeps {
  stdin: Readable;
  /** Told of all that is read of them. */
  onRead(bytes: number): void;
  /** Where that which cannot be read twice is kept meanwhile. */
  tempDirectory: string;
}

/**
 * Files as the operator named them; `-` is stdin. Pipes are copied to a file first, as files are read more than once.
 * @throws {Stopped} for what cannot be read
 */
export async function openSourceFiles(names: readonly string[], deps: FileDeps): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw new Stopped(`${name} is given twice.`);
    files.push(await openSourceFile(name, join(deps.tempDirectory, `input-${index}`), deps));
  }
  return files;
}

async function openSourceFile(name: string, copy: string, deps: FileDeps): Promise<SourceFile> {
  try {
    if (name === '-') return await keep('stdin', deps.stdin, copy, deps);
    const stats = await stat(name);
    if (stats.isDirectory()) throw new Stopped(`${name} is a directory: name the files in it.`);
    // Some never end.
    if (stats.isCharacterDevice() || stats.isBlockDevice())
      throw new Stopped(`${name} is a device, and no file. For what comes from stdin, write -.`);
    return stats.isFile()
      ? fileAt(name, name, stats, deps)
      : await keep(name, createReadStream(name), copy, deps);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    throw unreadable(name, error);
  }
}

async function keep(name: string, from: Readable, copy: string, deps: FileDeps): Promise<SourceFile> {
  await pipeline(from, createWriteStream(copy, { mode: 0o600 }));
  return fileAt(name, copy, await stat(copy), deps);
}

/** @param first as it is before it is read: it must stay the same, as it is read more than once */
function fileAt(name: string, path: string, first: Stats, { onRead }: FileDeps): SourceFile {
  return {
    name,
    sizeBytes: first.size,
    async *open() {
      const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: READ_BYTES });
      try {
        for await (const bytes of stream) {
          onRead(bytes.length);
          yield bytes;
        }
        if (!isSame(await stat(path), first))
          throw new Stopped(`${name} was changed while it was read. Run it again once nobody writes to it.`);
      } catch (error) {
        if (error instanceof Stopped) throw error;
        throw unreadable(name, error);
      }
    },
  };
}

const isSame = (now: Stats, before: Stats) =>
  now.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs;

function unreadable(name: string, error: unknown): Stopped {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new Stopped(`${name}: ${WHY[code] ?? `cannot be read (${code})`}.`, { cause: error });
}
