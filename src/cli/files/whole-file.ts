import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { hasErrno } from '../../lib/errors.ts';
import type { TargetFile } from '../../targets/targets.ts';
import { CliError, writeError, writing } from '../cli-error.ts';

/** Writing 64 KiB takes about ten microseconds. */
const BUFFER_CHARACTERS = 64 * 1024;
/** File systems limit names to 255 bytes, so the temporary file has only the start of the file's name. */
const NAME_CHARACTERS = 50;

/** Name of an output that stands for stdout. */
export const STDOUT = '-';

interface WholeFileOptions {
  /** Whether a regular file of that name is replaced (--force). */
  replaces?: boolean;
  /** For the output `-`: the stream, and the directory of the temporary file. */
  stdout?: { stream: Writable & { fd?: number }; tempDirectory: string };
}

/** @throws {CliError} if something has the name already, except a regular file that may be replaced */
export function checkFree(path: string, replaces: boolean): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isFile()) throw new CliError(`${path} exists and is not a regular file. Name another file.`);
  if (!replaces) throw new CliError(`${path} exists. Name another file, or add --force.`);
}

/** Returns a new name in the directory for what becomes the file or directory at the path. */
const partOf = (path: string, directory = dirname(resolve(path))): string =>
  join(
    directory,
    `${basename(resolve(path)).slice(0, NAME_CHARACTERS)}.${randomBytes(8).toString('hex')}.part`,
  );

/**
 * An output file that appears complete or not at all. Its text goes to a temporary file, `….part`, which is
 * renamed when the file is finished, or copied to stdout. Only this user can read it, because it holds addresses or hashes.
 */
export class WholeFile {
  readonly #path: string;
  readonly #replaces: boolean;
  readonly #stdout: Writable | undefined;
  readonly #partPath: string;
  readonly #descriptor: number;
  /** The errors of the writes to stdout. */
  readonly #sent: Promise<Error | null | undefined>[] = [];
  #buffer = '';
  #isOver = false;

  /** @throws {CliError} if the output file exists or cannot be written */
  constructor(path: string, { replaces = false, stdout }: WholeFileOptions = {}) {
    this.#path = stdout === undefined ? path : 'stdout';
    this.#replaces = replaces;
    this.#stdout = stdout?.stream;
    if (stdout === undefined) checkFree(path, replaces);
    else if (stdout.stream.fd !== undefined && isatty(stdout.stream.fd))
      throw new CliError('stdout is a terminal: addresses or hashes would be shown. Name a file.');
    this.#partPath = partOf(path, stdout?.tempDirectory);
    this.#descriptor = writing(this.#path, () => openSync(this.#partPath, 'ax+', 0o600));
    // The listener also runs at process.exit(), which a second Ctrl-C calls.
    process.once('exit', this.discard);
  }

  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= BUFFER_CHARACTERS) this.writeBytes(Buffer.alloc(0));
  }

  writeBytes(bytes: Uint8Array): void {
    const all = [Buffer.from(this.#buffer), bytes];
    this.#buffer = '';
    writing(this.#path, () => {
      for (const piece of all)
        for (let done = 0; done < piece.length; ) done += writeSync(this.#descriptor, piece, done);
    });
  }

  /** Discards what was written to the output so far, to start again. */
  restart(): void {
    this.#buffer = '';
    writing(this.#path, () => ftruncateSync(this.#descriptor));
  }

  /**
   * Writes the text to disk, so that a full disk is noticed before `finish` replaces a file.
   * @throws {CliError} if `finish` could not succeed
   */
  complete(): void {
    this.writeBytes(Buffer.alloc(0));
    if (!this.#hasPart())
      throw new CliError(
        `${this.#path} cannot be written: its temporary file ${this.#partPath} was removed meanwhile.`,
      );
    // Without fsync, a power failure after the rename could leave an empty file.
    writing(this.#path, () => fsyncSync(this.#descriptor));
  }

  /** Gives the temporary file its name, or copies it to stdout, for which `end` waits. */
  finish(): void {
    this.complete();
    if (this.#stdout === undefined) {
      // Since the output was opened, another process may have made a file of that name.
      checkFree(this.#path, this.#replaces);
      writing(this.#path, () => renameSync(this.#partPath, this.#path));
      this.#close();
      return;
    }
    const bytes = Buffer.alloc(BUFFER_CHARACTERS);
    for (let from = 0, read = -1; read !== 0; from += read) {
      read = readSync(this.#descriptor, bytes, 0, bytes.length, from);
      const piece = Buffer.from(bytes.subarray(0, read));
      this.#sent.push(new Promise((resolve) => this.#stdout?.write(piece, resolve)));
    }
    this.discard();
  }

  /** Leaves the output as it is. Does nothing after `finish`. */
  readonly discard = (): void => {
    if (this.#isOver) return;
    const hasPart = this.#hasPart();
    this.#close();
    if (hasPart) rmSync(this.#partPath, { force: true });
  };

  /**
   * Leaves the output as it is, unless it is finished. A program that has closed its pipe is no failure.
   * @throws {CliError} if stdout did not take all of the text
   */
  async end(): Promise<void> {
    this.discard();
    const error = (await Promise.all(this.#sent)).find((one) => one);
    if (error && !hasErrno(error, 'EPIPE')) throw writeError('stdout', error);
  }

  #close(): void {
    this.#isOver = true;
    process.off('exit', this.discard);
    closeSync(this.#descriptor);
  }

  /** Another process may have moved or deleted the temporary file. */
  #hasPart(): boolean {
    const named = lstatSync(this.#partPath, { throwIfNoEntry: false });
    const written = fstatSync(this.#descriptor);
    return named?.ino === written.ino && named.dev === written.dev;
  }
}

/** An output directory, for this user only, that appears with all its files or not at all. */
export class NewDirectory {
  readonly #path: string;
  readonly #part: string;
  readonly names: string[] = [];

  /** @throws {CliError} if the path exists or cannot be written */
  constructor(path: string) {
    this.#path = path;
    this.#part = partOf(path);
    this.#checkFree();
    writing(path, () => mkdirSync(this.#part, { mode: 0o700 }));
    process.once('exit', this.discard);
  }

  /** @throws {CliError} if the file cannot be created; its methods throw the same */
  create(name: string): TargetFile {
    this.names.push(name);
    const file = new WholeFile(join(this.#part, name));
    return { write: (text) => file.write(text), close: () => file.finish() };
  }

  /** Renames the temporary directory to its final name. All files must be closed. */
  finish(): void {
    this.#checkFree();
    writing(this.#path, () => renameSync(this.#part, this.#path));
  }

  /** Removes the temporary directory, which has gone after `finish`. */
  readonly discard = (): void => {
    process.off('exit', this.discard);
    rmSync(this.#part, { recursive: true, force: true });
  };

  #checkFree(): void {
    if (lstatSync(this.#path, { throwIfNoEntry: false }) !== undefined)
      throw new CliError(`--out ${this.#path} exists. Name a new directory.`);
  }
}
