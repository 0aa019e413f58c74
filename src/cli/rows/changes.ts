/** Wakes those who wait for something to change. */
export class Changes {
  readonly #waiting = new Set<() => void>();

  readonly wake = (): void => {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  };

  /** Resolves when `condition` holds: it is asked whenever `wake` is called. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }
}
