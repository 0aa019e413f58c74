import type { RawLine } from '../input/line-splitter.ts';
import { isDisabling, isParsedUser, type ParsedLine, type ParsedUser } from '../input/parsed-user.ts';
import { keysOf, type LineKeys } from '../resolve/person.ts';
import type { LineChunk } from './line-chunk.ts';

/** Lines of a chunk, parsed at the first use: chunks whose users are all new do not need them again. */
export class ParsedLines {
  readonly #chunk: LineChunk;
  readonly #read: (line: RawLine) => ParsedLine;
  #lines: ParsedLine[] | undefined;
  #sizes: number[] = [];

  constructor(chunk: LineChunk, read: (line: RawLine) => ParsedLine) {
    this.#chunk = chunk;
    this.#read = read;
  }

  all(): readonly ParsedLine[] {
    if (this.#lines === undefined) {
      const raw = this.#chunk.lines();
      this.#sizes = raw.map(({ text }) => text?.length ?? 0);
      this.#lines = raw.map(this.#read);
    }
    return this.#lines;
  }

  /** Length of a line in characters. Only known once the lines are parsed. */
  readonly sizeOf = (lineIndex: number): number => this.#sizes[lineIndex] ?? 0;

  users(): ParsedUser[] {
    return this.all().filter(isParsedUser);
  }

  keys(): LineKeys {
    return keysOf(this.users(), this.all().filter(isDisabling));
  }
}
