import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { TargetFile } from '../../targets/targets.ts';
import { CliError, writeError } from '../cli-error.ts';

const BUFFER_CHARACTERS = 64 * 1024;
/** File systems limit names, so the temporary directory has only the start of the target's name. */
const NAME_CHARACTERS = 50;

/** An output directory, for this user only, that appears with all its files or not at all. */
export class NewDirectory {
  readonly #path: string;
  readonly #part: string;
  #files = 0;
  #isOver = false;

  /** @throws {CliError} if the path exists or cannot be written */
  constructor(path: string) {
    this.#path = path;
    const name = `${basename(resolve(path)).slice(0, NAME_CHARACTERS)}.${randomBytes(8).toString('hex')}.part`;
    this.#part = join(dirname(resolve(path)), name);
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
      const bytes = Buffer.from(buffer);
      buffer = '';
      this.#orStop(() => {
        for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
      });
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
