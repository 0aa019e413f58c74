import { Fingerprints, randomSeed } from '../resolve/fingerprints.ts';

/** A table that grows stops the process. With so many tables, each growth takes some milliseconds at most. */
const TABLES = 256;
const SLOTS = 64;

/**
 * Finds the lines of a run that name an external id of an earlier line, whatever became of that line
 * (docs/adr/0054-one-line-for-each-external-id.md). Each id takes 11 to 22 bytes.
 */
export class RepeatedIds {
  readonly #seed = randomSeed();
  readonly #tables = new Map<number, Fingerprints>();
  #nextLine = 1;
  /** Repeated lines of chunks that are not done yet: a line may be read several times. */
  readonly #repeated = new Set<number>();

  /**
   * Lines must be passed in order the first time, with blank lines. A line that is passed again has the same
   * result.
   */
  isRepeat(line: number, externalIds: readonly string[]): boolean {
    if (line < this.#nextLine) return this.#repeated.has(line);
    if (line > this.#nextLine) throw new Error('lines are read out of order');
    this.#nextLine += 1;
    let isRepeat = false;
    // A line may state an id twice: for the user and for the primary login method.
    for (const id of externalIds.length > 1 ? new Set(externalIds) : externalIds)
      if (!this.#add(id)) isRepeat = true;
    if (isRepeat) this.#repeated.add(line);
    return isRepeat;
  }

  /** Must be called when the lines will not be read again. */
  forget(firstLine: number, nextLine: number): void {
    for (const line of this.#repeated) if (line >= firstLine && line < nextLine) this.#repeated.delete(line);
  }

  #add(id: string): boolean {
    const index = tableOf(id);
    let table = this.#tables.get(index);
    if (table === undefined) {
      table = new Fingerprints(this.#seed, SLOTS);
      this.#tables.set(index, table);
    }
    return table.add(0, id);
  }
}

/** Spreads numbers, UUIDs, names and addresses. If ids share a table, only its growth takes longer. */
function tableOf(id: string): number {
  const { length } = id;
  const first = id.charCodeAt(0) + 7 * id.charCodeAt(length >> 2);
  return (first + 31 * id.charCodeAt(length >> 1) + 17 * id.charCodeAt(length - 1) + length) % TABLES;
}
