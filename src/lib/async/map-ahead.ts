/** Limits how many asynchronous functions run at once. Further ones wait in the order of their calls. */
export class ConcurrencyLimit {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The free slot passes directly to the next waiting call, so that no later call can take it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/**
 * Maps the items of a stream one after the other, and yields the results. While an item is being mapped, the next
 * one is taken from `source`. While nobody takes results, one item at most is taken ahead. If `source` fails, the
 * item before is finished first.
 */
export async function* mapAhead<In, Out>(
  source: AsyncGenerator<In>,
  map: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void> {
  let working: Promise<unknown> = Promise.resolve();
  try {
    let next = markHandled(source.next());
    for (let item = await next; !item.done; item = await next) {
      // `map` starts before the source goes on, so that both see the items in order.
      const result = markHandled(map(item.value));
      working = result;
      next = markHandled(source.next());
      yield await result;
    }
  } finally {
    // Not awaited, because the generator of the items may be waiting for a client that has disconnected.
    markHandled(source.return(undefined));
    await working.catch(() => {});
  }
}

/** Prevents a rejection from ending the process. The promise may be awaited later, or never. */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
