/** Concatenates bytes in a buffer that grows and can be used again. */
export class ByteBuilder {
  #memory = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get capacity(): number {
    return this.#memory.length;
  }

  add(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#memory.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  addText(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    this.#makeRoom(Buffer.byteLength(text, encoding));
    this.#length += this.#memory.write(text, this.#length, encoding);
  }

  /** Returns no copy: the bytes change when the builder is cleared and used again. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.ceil(1.5 * this.#memory.length)));
    larger.set(this.bytes());
    this.#memory = larger;
  }
}
