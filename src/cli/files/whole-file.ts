import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
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
import type { TargetFile } from '../../targets/targets.ts';
import { CliError, writeError } from '../cli-error.ts';

/** Writing 64 KiB takes about ten microseconds. */
const BUFFER_CHARACTERS = 64 * 1024;
/** File systems limit names to 255 bytes, so the temporary file has only the start of the file's name. */
const NAME_CHARACTERS = 50;
const DESCRIPTORS: Readonly<Record<string, number>> = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 };
const NUMBERED = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/;
const FULL_PIPE_MS = 5;

interface WholeFileOptions {
  /** Directory for the temporary file if the output goes to a device or a pipe. */
  tempDirectory?: string;
  /** Whether the output file must not exist yet. */
  isNew?: boolean;
  /** Throws if an existing file must not be replaced. Called at opening and again before the rename. */
  checkTarget?(path: string): void;
}

/**
 * An output file that appears complete or not at all. Its text goes to a temporary file, `….part`, which is
 * renamed when the file is finished. Only this user can read it, because it holds addresses or hashes. If the
 * output is a device or a pipe, the temporary file is copied to it at the end.
 */
export class WholeFile {
  readonly #path: string;
  readonly #checkTarget: (path: string) => void;
  readonly #isNew: boolean;
  /** Descriptor of the output if it is a device or a pipe, which is written to instead of being replaced. */
  readonly #stream: number | undefined;
  readonly #partPath: string;
  readonly #descriptor: number;
  #buffer = '';
  #isOver = false;

  /** @throws {CliError} if the output file cannot be written */
  constructor(
    path: string,
    { tempDirectory = tmpdir(), isNew = false, checkTarget = () => {} }: WholeFileOptions = {},
  ) {
    this.#path = path;
    this.#checkTarget = checkTarget;
    this.#isNew = isNew;
    let stream: number | undefined;
    try {
      checkTarget(path);
      stream = openStream(path);
      if (stream === undefined) this.#checkReplaceable();
      this.#stream = stream;
      this.#partPath = partOf(path, stream === undefined ? dirname(resolve(path)) : tempDirectory);
      this.#descriptor = openSync(this.#partPath, 'ax+', 0o600);
    } catch (error) {
      if (stream !== undefined) closeStream(stream, path);
      throw writeError(path, error);
    }
    // The listener also runs at process.exit(), which a second Ctrl-C calls.
    process.once('exit', this.discard);
  }

  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= BUFFER_CHARACTERS) this.#flush();
  }

  writeBytes(bytes: Uint8Array): void {
    this.#flush();
    this.#append(bytes);
  }

  /** Discards what was written to the output so far, to start again. */
  restart(): void {
    this.#buffer = '';
    this.#orStop(() => ftruncateSync(this.#descriptor));
  }

  /**
   * Writes the text to disk, so that a full disk is noticed before `finish` replaces a file.
   * @throws {CliError} if `finish` could not succeed
   */
  complete(): void {
    this.#flush();
    if (!this.#hasPart())
      throw new CliError(
        `${this.#path} cannot be written: its temporary file ${this.#partPath} was removed meanwhile.`,
      );
    // Without fsync, a power failure after the rename could leave an empty file.
    this.#orStop(() => fsyncSync(this.#descriptor));
  }

  /** Replaces the file at the path by the temporary file, or copies the text to the device or pipe. */
  finish(): void {
    this.complete();
    const stream = this.#stream;
    if (stream === undefined) {
      // Since the output was opened, another process may have put a link or an input file at the path.
      this.#checkTarget(this.#path);
      this.#orStop(() => {
        this.#checkReplaceable();
        renameSync(this.#partPath, this.#path);
      });
      this.#close();
      return;
    }
    this.#orStop(() => this.#copyTo(stream));
    this.discard();
  }

  /** Leaves the output as it is. Does nothing after `finish`. */
  readonly discard = (): void => {
    if (this.#isOver) return;
    const hasPart = this.#hasPart();
    this.#close();
    if (hasPart) rmSync(this.#partPath, { force: true });
  };

  #close(): void {
    this.#isOver = true;
    process.off('exit', this.discard);
    closeSync(this.#descriptor);
    if (this.#stream !== undefined) closeStream(this.#stream, this.#path);
  }

  /** Another process may have moved or deleted the temporary file. */
  #hasPart(): boolean {
    const named = lstatSync(this.#partPath, { throwIfNoEntry: false });
    const written = fstatSync(this.#descriptor);
    return named?.ino === written.ino && named.dev === written.dev;
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    this.#orStop(() => writeAll(this.#descriptor, bytes));
  }

  #copyTo(stream: number): void {
    const bytes = Buffer.alloc(BUFFER_CHARACTERS);
    for (let from = 0, read = -1; read !== 0; from += read) {
      read = readSync(this.#descriptor, bytes, 0, bytes.length, from);
      writeAll(stream, bytes.subarray(0, read));
    }
  }

  #checkReplaceable(): void {
    if (this.#isNew && lstatSync(this.#path, { throwIfNoEntry: false }) !== undefined)
      throw new CliError(`${this.#path} exists. Name another file, or add --force.`);
    checkReplaceable(this.#path);
  }

  #orStop(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw writeError(this.#path, error);
    }
  }
}

/** @throws {CliError} unless the path is free, or names a regular file that this user may replace */
function checkReplaceable(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isSymbolicLink())
    throw new CliError(`${path} is a symbolic link: name the file that it leads to.`);
  if (!there.isFile()) throw new CliError(`${path} exists and is not a regular file.`);
  const user = process.geteuid?.() ?? 0;
  const directory = statSync(dirname(resolve(path)));
  // In a sticky directory such as /tmp, renaming over another user's file fails, and only after the import.
  if ((directory.mode & 0o1000) !== 0 && ![0, there.uid, directory.uid].includes(user))
    throw new CliError(
      `${path} belongs to another user, and its directory does not let other users replace it.`,
    );
}

/** Returns undefined unless the path names a device, a pipe or a descriptor such as /dev/stdout. */
function openStream(path: string): number | undefined {
  const own = ownDescriptor(path);
  const there = own === undefined ? statSync(path, { throwIfNoEntry: false }) : fstatSync(own);
  if (there === undefined || (own === undefined && !isStream(there))) return undefined;
  const stream = own ?? openToWrite(path, there);
  // An empty write throws if the descriptor was opened for reading only.
  writeSync(stream, '');
  if (isatty(stream)) {
    closeStream(stream, path);
    throw new CliError(`${path} is a terminal: addresses or hashes would be shown. Name a file.`);
  }
  return stream;
}

/** Block devices are excluded, because a report would overwrite the disk. */
const isStream = (there: Stats) => there.isCharacterDevice() || there.isFIFO();

export function ownDescriptor(path: string): number | undefined {
  const resolved = resolve(path);
  const number = DESCRIPTORS[resolved] ?? NUMBERED.exec(resolved)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** A blocking open would wait forever for a pipe without a reader. */
function openToWrite(path: string, there: Stats): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrno(error, 'ENXIO'))
      throw new CliError(`${path} is a pipe without a reader: start the reader first.`);
    throw error;
  }
  const opened = fstatSync(descriptor);
  if (isStream(opened) && opened.ino === there.ino && opened.dev === there.dev) return descriptor;
  closeSync(descriptor);
  throw new CliError(`${path} was replaced while it was opened. Run the command again.`);
}

function closeStream(stream: number, path: string): void {
  if (ownDescriptor(path) === undefined) closeSync(stream);
}

/** Waits while a pipe is full. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      if (!hasErrno(error, 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    }
  }
}

/** Returns a new name in the directory for what becomes the file or directory at the path. */
const partOf = (path: string, directory: string): string =>
  join(
    directory,
    `${basename(resolve(path)).slice(0, NAME_CHARACTERS)}.${randomBytes(8).toString('hex')}.part`,
  );

/** An output directory, for this user only, that appears with all its files or not at all. */
export class NewDirectory {
  readonly #path: string;
  readonly #part: string;
  #files = 0;
  #isOver = false;

  /** @throws {CliError} if the path exists or cannot be written */
  constructor(path: string) {
    this.#path = path;
    this.#part = partOf(path, dirname(resolve(path)));
    this.#checkFree();
    this.#orStop(() => mkdirSync(this.#part, { mode: 0o700 }));
    process.once('exit', this.discard);
  }

  get files(): number {
    return this.#files;
  }

  /** @throws {CliError} if the file cannot be created; its methods throw the same */
  create(name: string): TargetFile {
    this.#files += 1;
    let buffer = '';
    const descriptor = this.#orStop(() => openSync(join(this.#part, name), 'wx', 0o600));
    const flush = () => {
      this.#orStop(() => writeAll(descriptor, Buffer.from(buffer)));
      buffer = '';
    };
    return {
      write(text) {
        buffer += text;
        if (buffer.length >= BUFFER_CHARACTERS) flush();
      },
      close: () => {
        flush();
        // Without fsync, a power failure after the rename could leave an empty file.
        this.#orStop(() => fsyncSync(descriptor));
        closeSync(descriptor);
      },
    };
  }

  /** Renames the temporary directory to its final name. All files must be closed. */
  finish(): void {
    this.#checkFree();
    this.#orStop(() => renameSync(this.#part, this.#path));
    this.#isOver = true;
    process.off('exit', this.discard);
  }

  /** Does nothing after `finish`. */
  readonly discard = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    process.off('exit', this.discard);
    rmSync(this.#part, { recursive: true, force: true });
  };

  #checkFree(): void {
    if (lstatSync(this.#path, { throwIfNoEntry: false }) !== undefined)
      throw new CliError(`--out ${this.#path} exists. Name a new directory.`);
  }

  #orStop<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw writeError(this.#path, error);
    }
  }
}
