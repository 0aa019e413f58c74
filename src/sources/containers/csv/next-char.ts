/** Stands for "not found". Every index that was found is before it. */
export const NOWHERE = Number.MAX_SAFE_INTEGER;

/** Native search is several times as fast as a loop. Within one text, searches must only go forward. */
export class NextChar {
  readonly #chars: readonly string[];
  readonly #places: number[];
  #nearest = -1;

  constructor(chars: readonly string[]) {
    this.#chars = chars;
    this.#places = chars.map(() => -1);
  }

  /** The cached index is invalid in the next block of the file. */
  reset(): void {
    this.#places.fill(-1);
    this.#nearest = -1;
  }

  /** Returns the index of the first occurrence at `from` or later, or NOWHERE. */
  find(text: string, from: number): number {
    return this.#nearest >= from ? this.#nearest : this.#search(text, from);
  }

  #search(text: string, from: number): number {
    const places = this.#places;
    let nearest = NOWHERE;
    for (let index = 0; index < places.length; index++) {
      let place = places[index] as number;
      if (place < from) {
        place = text.indexOf(this.#chars[index] as string, from);
        if (place < 0) place = NOWHERE;
        places[index] = place;
      }
      if (place < nearest) nearest = place;
    }
    this.#nearest = nearest;
    return nearest;
  }
}
