import { closeSync, ftruncateSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { hasErrno } from '../../lib/errors.ts';
import { Stopped } from '../stopped.ts';

/** Written at once. A write of this size takes the page cache some ten microseconds. */
const BUFFER_CHARACTERS = 64 * 1024;

/**
 * A file that is there whole or not at all: it is written under another name (`….part`) until it is finished. Only this user can read
 * it, as it has addresses or hashes.
 */
export class WholeFile {
  readonly #path: string;
  readonly #descriptor: number;
  #position = 0;
  #buffer = '';

  /** @throws {Stopped} where it cannot be written */
  constructor(path: string) {
    this.#path = path;
    try {
      if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
        throw new Stopped(`${path} is there, and is no file.`);
      // Of a run that was killed; or put there by somebody, to be written through or read.
      rmSync(this.#partPath, { force: true });
      this.#descriptor = openSync(this.#partPath, 'wx', 0o600);
    } catch (error) {
      throw this.#unwritable(error);
    }
    // A process that is told to end at once leaves none behind either.
    process.once('exit', this.discard);
  }

  get #partPath(): string {
    return `${this.#path}.part`;
  }

  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= BUFFER_CHARACTERS) this.#flush();
  }

  /** Begins anew. */
  restart(): void {
    this.#buffer = '';
    this.#position = 0;
    ftruncateSync(this.#descriptor);
  }

  /** Takes the place of a file of this name. */
  finish(): void {
    this.#flush();
    process.off('exit', this.discard);
    closeSync(this.#descriptor);
    try {
      renameSync(this.#partPath, this.#path);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /** Leaves what was there before. */
  readonly discard = (): void => {
    process.off('exit', this.discard);
    closeSync(this.#descriptor);
    rmSync(this.#partPath, { force: true });
  };

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    try {
      for (let done = 0; done < bytes.length; ) {
        const written = writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#position);
        done += written;
        this.#position += written;
      }
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  #unwritable(error: unknown): Stopped {
    if (error instanceof Stopped) return error;
    const why = hasErrno(error, 'ENOSPC')
      ? 'the disk is full'
      : ((error as NodeJS.ErrnoException).code ?? 'unknown error');
    return new Stopped(`${this.#path} cannot be written: ${why}.`, { cause: error });
  }
}
