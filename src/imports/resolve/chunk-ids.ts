import { v7 as uuidv7 } from 'uuid';

/**
 * The ids of the users that one chunk creates: version 7 UUIDs with the same time and random bits. Their last group is
 * `<line index, 5 digits><random, 4><login method, 3>`. Only the first id of a thousand new users must be recorded, one range of the key
 * finds all of them, and indexes grow at their end only. 42 bits are random in each millisecond. If two chunks have the same bits, a
 * unique key refuses the second.
 */
export class ChunkIds {
  readonly #start: string;
  readonly #random: string;

  private constructor(uuid: string) {
    this.#start = uuid.slice(0, 24);
    this.#random = uuid.slice(29, 33);
  }

  static create(): ChunkIds {
    // With an options argument, even an empty one, all random bits are drawn anew; without it the call counts on from the
    // last id.
    return new ChunkIds(uuidv7({}));
  }

  /** The ids of a chunk whose first id is known. */
  static startingAt(firstId: string): ChunkIds {
    return new ChunkIds(firstId);
  }

  /** The id of the user of a line. @param lineIndex of the line in its chunk, from 0 */
  id(lineIndex: number): string {
    return `${this.#start}${indexDigits(lineIndex)}${this.#random}000`;
  }

  get first(): string {
    return this.id(0);
  }

  /** No id of this chunk sorts after it. */
  get last(): string {
    return `${this.#start}${'f'.repeat(12)}`;
  }
}

const METHODS = 16 ** 3;

/** The id of a login method of this user. @param method from 0; the first has the id of the user */
export function methodId(userId: string, method: number): string {
  if (method === 0) return userId;
  // Counts on from the digits of the user id. They are 000, except in ids of users who were staged by an early version.
  const own = Number.parseInt(userId.slice(-3), 16);
  return userId.slice(0, -3) + hex((own + method) % METHODS, 3);
}

/** The digits of most line indexes, so that they are made once. */
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
