import { v7 as uuidv7 } from 'uuid';

/**
 * The ids of the users one chunk creates: version 7 UUIDs that share time and random bits, and whose last group is
 * `<place of the line, 5 digits><random, 4><login method, 3>`. So all that must be remembered of a thousand new users
 * is where their ids begin, they are found by one range of a key, and the index grows at its end only.
 * 42 bits are random in each millisecond; should two chunks share them all the same, a unique key refuses the second.
 */
export class ChunkIds {
  readonly #start: string;
  readonly #random: string;

  private constructor(uuid: string) {
    this.#start = uuid.slice(0, 24);
    this.#random = uuid.slice(29, 33);
  }

  static create(): ChunkIds {
    // Given options, even none, it draws all random bits anew; else it counts on from the id before.
    return new ChunkIds(uuidv7({}));
  }

  /** Those of a chunk whose first id is known. */
  static startingAt(firstId: string): ChunkIds {
    return new ChunkIds(firstId);
  }

  /** Of a user. `place`: of the line in its chunk, from 0. */
  id(lineIndex: number): string {
    return `${this.#start}${indexDigits(lineIndex)}${this.#random}000`;
  }

  get first(): string {
    return this.id(0);
  }

  /** No id of this chunk comes after it. */
  get last(): string {
    return `${this.#start}${'f'.repeat(12)}`;
  }
}

const METHODS = 16 ** 3;

/** Of a login method of this user, from 0. The first has the id of the user. */
export function methodId(userId: string, method: number): string {
  if (method === 0) return userId;
  // Counted on from the user's own, which is 0 but for users who were staged before ids were made so.
  const own = Number.parseInt(userId.slice(-3), 16);
  return userId.slice(0, -3) + hex((own + method) % METHODS, 3);
}

/** Those of the places that most chunks have. */
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
