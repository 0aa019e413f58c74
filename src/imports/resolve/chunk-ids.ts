import { v7 as uuidv7 } from 'uuid';

/**
 * Ids of the users that one chunk of import lines creates: version 7 UUIDs that share their time and random
 * bits. The last group is `<line index, 5 digits><random, 4><login method, 3>`. An import therefore stores
 * only the first id of a chunk, one key range finds all its users, and index pages are only appended. 42 bits
 * are random within a millisecond. If two chunks draw the same bits, a unique key refuses the second chunk.
 */
export class ChunkIds {
  readonly #start: string;
  readonly #random: string;

  private constructor(uuid: string) {
    this.#start = uuid.slice(0, 24);
    this.#random = uuid.slice(29, 33);
  }

  static create(): ChunkIds {
    // Without an options argument, even an empty one, `uuidv7` increments the previous id.
    return new ChunkIds(uuidv7({}));
  }

  static startingAt(firstId: string): ChunkIds {
    return new ChunkIds(firstId);
  }

  /** @param lineIndex index of the line in its chunk, from 0 */
  id(lineIndex: number): string {
    return `${this.#start}${indexDigits(lineIndex)}${this.#random}000`;
  }

  get first(): string {
    return this.id(0);
  }

  /** Upper bound of the ids that users of this chunk can have. */
  get last(): string {
    return `${this.#start}${'f'.repeat(12)}`;
  }
}

const METHODS = 16 ** 3;

/** @param method index of the login method, from 0; the first has the id of the user */
export function methodId(userId: string, method: number): string {
  if (method === 0) return userId;
  // The last three digits of the user id are 000, except for users staged by an early version of the service.
  const own = Number.parseInt(userId.slice(-3), 16);
  return userId.slice(0, -3) + hex((own + method) % METHODS, 3);
}

const INDEX_DIGITS: string[] = [];

function indexDigits(lineIndex: number): string {
  if (lineIndex >= 10_000) return hex(lineIndex, 5);
  let digits = INDEX_DIGITS[lineIndex];
  if (digits === undefined) {
    digits = hex(lineIndex, 5);
    INDEX_DIGITS[lineIndex] = digits;
  }
  return digits;
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
