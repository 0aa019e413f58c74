/** Initial size: enough for most chunks. */
const BITMAP_BYTES = 256;

/**
 * Users whom the lines of an import name, whether imported or not. Needs one bit per user: a user id consists
 * of the chunk that created the user and the index of the line (resolve/chunk-ids.ts).
 */
export class PresentUsers {
  readonly #bitmaps = new Map<string, Uint8Array>();
  /** Number of lines without an external id. It is unknown which users they are about. */
  unnamed = 0;

  add(userId: string): void {
    const [chunk, index] = placeOf(userId);
    const byte = index >> 3;
    let bitmap = this.#bitmaps.get(chunk);
    if (bitmap === undefined || byte >= bitmap.length) {
      const larger = new Uint8Array(Math.max(BITMAP_BYTES, 2 * byte));
      if (bitmap !== undefined) larger.set(bitmap);
      bitmap = larger;
      this.#bitmaps.set(chunk, bitmap);
    }
    bitmap[byte] = (bitmap[byte] ?? 0) | (1 << (index & 7));
  }

  has(userId: string): boolean {
    const [chunk, index] = placeOf(userId);
    return (((this.#bitmaps.get(chunk)?.[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
  }
}

const placeOf = (userId: string): [chunk: string, index: number] => [
  userId.slice(0, 24) + userId.slice(29),
  Number.parseInt(userId.slice(24, 29), 16),
];
