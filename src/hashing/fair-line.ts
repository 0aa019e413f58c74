/**
 * Queue of work that is fair to accounts: at most one work of each account is in the queue itself. Further
 * work of the account waits behind it, and joins the end of the queue when it leaves. A flood of sign-ins to
 * one account therefore delays another account by one sign-in at most.
 */
export class FairLine<Work extends { account?: string | undefined }> {
  readonly #inLine = new Set<Work>();
  /**
   * Waiting work by account, behind earlier work of its account; an empty set if only the earlier work waits.
   */
  readonly #behind = new Map<string, Set<Work>>();
  readonly #onPlace: (work: Work) => void;
  #size = 0;

  /** @param onPlace is called when work joins the queue itself */
  constructor(onPlace: (work: Work) => void = () => {}) {
    this.#onPlace = onPlace;
  }

  /** Number of works that wait, including those that have no place in the line yet. */
  get size(): number {
    return this.#size;
  }

  get first(): Work | undefined {
    const [first] = this.#inLine;
    return first;
  }

  countOf(account: string): number {
    const behind = this.#behind.get(account);
    return behind === undefined ? 0 : behind.size + 1;
  }

  add(work: Work): void {
    this.#size += 1;
    const { account } = work;
    if (account !== undefined) {
      const behind = this.#behind.get(account);
      if (behind !== undefined) {
        behind.add(work);
        return;
      }
      this.#behind.set(account, new Set());
    }
    this.#place(work);
  }

  delete(work: Work): void {
    const { account } = work;
    const behind = account === undefined ? undefined : this.#behind.get(account);
    if (!this.#inLine.delete(work)) {
      if (behind?.delete(work)) this.#size -= 1;
      return;
    }
    this.#size -= 1;
    if (account === undefined || behind === undefined) return;
    const [next] = behind;
    if (next === undefined) {
      this.#behind.delete(account);
      return;
    }
    behind.delete(next);
    this.#place(next);
  }

  /** Yields first the works in the line, then those that have no place in it yet. */
  *[Symbol.iterator](): Generator<Work> {
    yield* this.#inLine;
    for (const behind of this.#behind.values()) yield* behind;
  }

  #place(work: Work): void {
    this.#inLine.add(work);
    this.#onPlace(work);
  }
}
