/** A condition variable: lets callers wait until a predicate holds. */
export class Condition {
  readonly #waiting = new Set<() => void>();

  readonly wake = (): void => {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  };

  /** Resolves when `predicate` returns true. The predicate is called at once and after each `wake`. */
  async until(predicate: () => boolean): Promise<void> {
    while (!predicate()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }
}
