import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { TargetFile } from '../../targets/targets.ts';
import { CliError, writing } from '../cli-error.ts';

/** Number of characters that are collected before a write. Writing 64 KiB takes about ten microseconds. */
const BUFFER_CHARACTERS = 64 * 1024;
/** File systems limit names to 255 bytes, so the temporary file has only the start of the file's name. */
const NAME_CHARACTERS = 50;

/** @throws {CliError} if something has the name already, except a regular file that may be replaced */
export function checkFree(path: string, replaces: boolean): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isFile()) throw new CliError(`${path} exists and is not a regular file. Name another file.`);
  if (!replaces) throw new CliError(`${path} exists. Name another file, or add --force.`);
}

/** Returns the path of a new temporary file or directory, beside the given path and similar in name. */
function partOf(path: string): string {
  const name = basename(resolve(path)).slice(0, NAME_CHARACTERS);
  return join(dirname(resolve(path)), `${name}.${randomBytes(8).toString('hex')}.part`);
}

/**
 * An output file that appears complete or not at all. Its text goes to a temporary file, `….part`, which is
 * renamed when the file is finished. Only this user can read it, because it holds addresses or hashes.
 */
export class WholeFile {
  readonly #path: string;
  readonly #replaces: boolean;
  readonly #partPath: string;
  readonly #descriptor: number;
  #buffer = '';
  #isOver = false;

  /** @throws {CliError} if the output file exists or cannot be written */
  constructor(path: string, replaces = false) {
    this.#path = path;
    this.#replaces = replaces;
    checkFree(path, replaces);
    this.#partPath = partOf(path);
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

  /** Renames the temporary file to its final name. */
  finish(): void {
    this.complete();
    // Another process may have created a file of that name since the output was opened.
    checkFree(this.#path, this.#replaces);
    writing(this.#path, () => renameSync(this.#partPath, this.#path));
    this.#close();
  }

  /** Deletes the temporary file. Does nothing after `finish`. */
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
  }

  /** Returns whether the temporary file still has its name. Another process may have moved or deleted it. */
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

  /**
   * @throws {CliError} if the file cannot be created; the methods of the returned file throw if it cannot be written
   */
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

  /** Removes the temporary directory. Does nothing after `finish`, which has renamed it. */
  readonly discard = (): void => {
    process.off('exit', this.discard);
    rmSync(this.#part, { recursive: true, force: true });
  };

  #checkFree(): void {
    if (lstatSync(this.#path, { throwIfNoEntry: false }) !== undefined)
      throw new CliError(`--out ${this.#path} exists. Name a new directory.`);
  }
}
