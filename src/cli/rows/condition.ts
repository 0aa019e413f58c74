/**
 * Lets asynchronous functions wait until a condition holds. They check it again whenever `wake` is called.
 */
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
