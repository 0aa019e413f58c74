import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { hasErrno } from '../../lib/errors.ts';
import { Stopped, unwritable } from '../stopped.ts';

/** Written at once. A write of this size takes the page cache some ten microseconds. */
const BUFFER_CHARACTERS = 64 * 1024;
/** Characters of the file's own name in that of its temporary file: names have up to 255 bytes. */
const NAME_CHARACTERS = 50;
/** Paths that stand for a descriptor of this process. */
const DESCRIPTORS: Readonly<Record<string, number>> = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 };
const NUMBERED = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/;
/** Pause before a pipe that is full is tried again, in ms. */
const FULL_PIPE_MS = 5;

export interface WholeFileOptions {
  /** Directory for the text of a device or a pipe until it is whole. */
  tempDirectory?: string;
  /**
   * Throws if what stands at the path now must not be replaced. Asked when the file is opened and before it
   * is put in place.
   */
  checkTarget?(path: string): void;
}

/**
 * A file that is there whole or not at all: until it is finished, its text is in a new file of a random name
 * beside it, `….part`.
 * Only this user can read it, as it has addresses or hashes. A device or a pipe gets its text when it is
 * finished.
 */
export class WholeFile {
  readonly #path: string;
  readonly #checkTarget: (path: string) => void;
  /** Descriptor of a device or a pipe, which is written to in place of being replaced. */
  readonly #stream: number | undefined;
  readonly #partDirectory: string;
  #partPath = '';
  #descriptor: number;
  #position = 0;
  #buffer = '';
  #isOver = false;

  /** @throws {Stopped} where it cannot be written */
  constructor(path: string, { tempDirectory = tmpdir(), checkTarget = () => {} }: WholeFileOptions = {}) {
    this.#path = path;
    this.#checkTarget = checkTarget;
    let stream: number | undefined;
    try {
      checkTarget(path);
      stream = openStream(path);
      if (stream === undefined) checkReplaceable(path);
      this.#stream = stream;
      this.#partDirectory = stream === undefined ? dirname(resolve(path)) : tempDirectory;
      this.#descriptor = this.#open();
    } catch (error) {
      if (stream !== undefined) closeStream(stream, path);
      throw unwritable(path, error);
    }
    // A process that is told to end at once leaves none behind either.
    process.once('exit', this.discard);
  }

  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= BUFFER_CHARACTERS) this.#flush();
  }

  /** Begins anew. */
  restart(): void {
    this.#buffer = '';
    this.#position = 0;
    this.#orStop(() => {
      if (this.#hasPart()) return ftruncateSync(this.#descriptor);
      const other = this.#open();
      closeSync(this.#descriptor);
      this.#descriptor = other;
    });
  }

  /** Brings all of it to the disk. @throws {Stopped} where `finish` would */
  complete(): void {
    this.#flush();
    if (!this.#hasPart())
      throw new Stopped(
        `${this.#path} cannot be written: its temporary file ${this.#partPath} was removed meanwhile.`,
      );
    // A name that outlives a power cut would stand for an empty file else.
    this.#orStop(() => fsyncSync(this.#descriptor));
  }

  /** Takes the place of a file of this name. */
  finish(): void {
    this.complete();
    const stream = this.#stream;
    if (stream === undefined) {
      // Another process may have put a link or an input there since.
      this.#checkTarget(this.#path);
      this.#orStop(() => {
        checkReplaceable(this.#path);
        renameSync(this.#partPath, this.#path);
      });
      this.#close();
      return;
    }
    this.#orStop(() => this.#copyTo(stream));
    this.discard();
  }

  /** Leaves what was there before. Does nothing once it is finished. */
  readonly discard = (): void => {
    if (this.#isOver) return;
    const hasPart = this.#hasPart();
    this.#close();
    if (hasPart) rmSync(this.#partPath, { force: true });
  };

  #open(): number {
    const name = `${basename(this.#path).slice(0, NAME_CHARACTERS)}.${randomBytes(8).toString('hex')}.part`;
    this.#partPath = join(this.#partDirectory, name);
    return openSync(this.#partPath, 'wx+', 0o600);
  }

  #close(): void {
    this.#isOver = true;
    process.off('exit', this.discard);
    closeSync(this.#descriptor);
    if (this.#stream !== undefined) closeStream(this.#stream, this.#path);
  }

  /** Returns whether the temporary file still has its name. */
  #hasPart(): boolean {
    const named = lstatSync(this.#partPath, { throwIfNoEntry: false });
    const written = fstatSync(this.#descriptor);
    return named?.ino === written.ino && named.dev === written.dev;
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    this.#orStop(() => {
      for (let done = 0; done < bytes.length; ) {
        const written = writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#position);
        done += written;
        this.#position += written;
      }
    });
  }

  #copyTo(stream: number): void {
    const bytes = Buffer.alloc(BUFFER_CHARACTERS);
    for (let from = 0; from < this.#position; ) {
      const read = readSync(this.#descriptor, bytes, 0, bytes.length, from);
      for (let done = 0; done < read; ) done += writeToStream(stream, bytes.subarray(done, read));
      from += read;
    }
  }

  #orStop(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}

/** Throws unless there is nothing at the path, or a file of this user's that may be replaced. */
function checkReplaceable(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isSymbolicLink())
    throw new Stopped(`${path} is a symbolic link: name the file that it leads to.`);
  if (!there.isFile()) throw new Stopped(`${path} is there, and is no file.`);
  const user = process.geteuid?.() ?? 0;
  const directory = statSync(dirname(resolve(path)));
  // As in /tmp. To learn it at the end would be too late.
  if ((directory.mode & 0o1000) !== 0 && ![0, there.uid, directory.uid].includes(user))
    throw new Stopped(`${path} belongs to another user, and its directory lets nobody else replace it.`);
}

/** Opens a device, a pipe or a descriptor of this process. Undefined if the path names none of these. */
function openStream(path: string): number | undefined {
  const own = ownDescriptor(path);
  const there = own === undefined ? statSync(path, { throwIfNoEntry: false }) : fstatSync(own);
  if (there === undefined || (own === undefined && !isStream(there))) return undefined;
  const stream = own ?? openToWrite(path, there);
  // Fails for a descriptor that was opened for reading.
  writeSync(stream, '');
  if (isatty(stream)) {
    closeStream(stream, path);
    throw new Stopped(`${path} is a terminal: addresses or hashes would be shown. Name a file.`);
  }
  return stream;
}

/** A block device is none: a report would overwrite what is on the disk. */
const isStream = (there: Stats) => there.isCharacterDevice() || there.isFIFO();

/** Returns the descriptor of this process that a path such as /dev/stdout stands for. */
export function ownDescriptor(path: string): number | undefined {
  const resolved = resolve(path);
  const number = DESCRIPTORS[resolved] ?? NUMBERED.exec(resolved)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Returns at once: to wait for a reader who never comes would be for ever. */
function openToWrite(path: string, there: Stats): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrno(error, 'ENXIO'))
      throw new Stopped(`${path} is a pipe that nobody reads: start its reader first.`);
    throw error;
  }
  const opened = fstatSync(descriptor);
  if (isStream(opened) && opened.ino === there.ino && opened.dev === there.dev) return descriptor;
  closeSync(descriptor);
  throw new Stopped(`${path} was replaced while it was opened. Run the command again.`);
}

function closeStream(stream: number, path: string): void {
  if (ownDescriptor(path) === undefined) closeSync(stream);
}

/** Writes what there is room for, and waits where there is none. */
function writeToStream(stream: number, bytes: Uint8Array): number {
  for (;;) {
    try {
      return writeSync(stream, bytes);
    } catch (error) {
      if (!hasErrno(error, 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    }
  }
}
