import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Temporary file that no other process can open. It disappears when this process ends, in whatever way. */
export class ScratchFile {
  readonly #descriptor: number;
  #size = 0;

  constructor(directory: string) {
    const path = join(directory, `.user-import-${randomUUID()}`);
    this.#descriptor = openSync(path, 'wx+', 0o600);
    // Now the file has no name, so no other process can open it.
    unlinkSync(path);
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#size + done);
    }
    this.#size += bytes.length;
  }

  /** Returns the number of bytes read, which is smaller at the end of the file. */
  read(target: Uint8Array, position: number): number {
    let done = 0;
    while (done < target.length) {
      const count = readSync(this.#descriptor, target, done, target.length - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
