import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { Stopped, unwritable } from '../stopped.ts';

/** Written at once. A write of this size takes the page cache some ten microseconds. */
const BUFFER_CHARACTERS = 64 * 1024;

/**
 * A file that is there whole or not at all: it is written under another name (`….part`) until it is finished. Of several runs that
 * write the same file, the last one to begin has that name. Only this user can read it, as it has addresses or hashes.
 */
export class WholeFile {
  readonly #path: string;
  #descriptor: number;
  #position = 0;
  #buffer = '';
  #isOver = false;

  /** @throws {Stopped} where it cannot be written */
  constructor(path: string) {
    this.#path = path;
    try {
      if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
        throw new Stopped(`${path} is there, and is no file.`);
      this.#descriptor = this.#open();
    } catch (error) {
      throw unwritable(path, error);
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

  /** Begins anew, and takes the name back from a run that has begun it since. */
  restart(): void {
    this.#buffer = '';
    this.#position = 0;
    this.#orStop(() => {
      if (this.#isOurs()) return ftruncateSync(this.#descriptor);
      const other = this.#open();
      closeSync(this.#descriptor);
      this.#descriptor = other;
    });
  }

  /** Brings all of it to the disk. @throws {Stopped} where `finish` would */
  complete(): void {
    this.#flush();
    if (!this.#isOurs())
      throw new Stopped(`${this.#path} cannot be written: another run has begun to write it.`);
    // A name that outlives a power cut would stand for an empty file else.
    this.#orStop(() => fsyncSync(this.#descriptor));
  }

  /** Takes the place of a file of this name. */
  finish(): void {
    this.complete();
    this.#orStop(() => renameSync(this.#partPath, this.#path));
    this.#close();
  }

  /** Leaves what was there before. Does nothing once it is finished. */
  readonly discard = (): void => {
    if (this.#isOver) return;
    const isOurs = this.#isOurs();
    this.#close();
    if (isOurs) rmSync(this.#partPath, { force: true });
  };

  #open(): number {
    // Not over what is there: a run that was killed left it, or one that is not over still writes it.
    rmSync(this.#partPath, { force: true });
    return openSync(this.#partPath, 'wx', 0o600);
  }

  #close(): void {
    this.#isOver = true;
    process.off('exit', this.discard);
    closeSync(this.#descriptor);
  }

  /** Is what has the name the file that is written here? */
  #isOurs(): boolean {
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

  #orStop(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}
