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
 * Maps the items of a stream, and yields the results in order. While an item is being mapped, the next one is taken from
 * `source`, and is mapped at the same time if `areTwo` returns true. At most two items are mapped at a time, and one
 * more is taken. If `source` fails, the items before are finished first.
 * @param map its second argument is the result of the item before, for work that must follow it
 */
export async function* mapAhead<In, Out>(
  source: AsyncGenerator<In>,
  map: (item: In, before: Promise<unknown>) => Promise<Out>,
  areTwo: () => boolean,
): AsyncGenerator<Out, void> {
  const working: Promise<Out>[] = [];
  let before: Promise<unknown> = Promise.resolve();
  let next: Promise<IteratorResult<In>> | undefined = markHandled(source.next());
  try {
    while (next !== undefined || working.length > 0) {
      const [oldest] = working;
      const isFull = working.length >= (areTwo() ? 2 : 1) || next === undefined;
      if (oldest !== undefined && (isFull || (await isFirst(oldest, next)))) {
        const result = await oldest.catch((error: unknown) => {
          // The work on later items fails as well, because it must follow this one. Nobody waits for its end.
          working.length = 0;
          throw error;
        });
        yield result;
        working.shift();
        continue;
      }
      const item: IteratorResult<In> | undefined = await next;
      next = undefined;
      if (item === undefined || item.done) continue;
      // `map` starts before the source goes on, so that both see the items in order.
      const result = markHandled(map(item.value, before));
      working.push(result);
      before = result;
      next = markHandled(source.next());
    }
  } finally {
    // Not awaited, because the generator of the items may be waiting for a client that has disconnected.
    markHandled(source.return(undefined));
    await Promise.allSettled(working);
  }
}

/** Returns whether a promise settles before another one is fulfilled. */
function isFirst(one: Promise<unknown>, other: Promise<unknown> | undefined): Promise<boolean> {
  const settled = one.then(
    () => true,
    () => true,
  );
  const isLater = other?.then(
    () => false,
    () => settled,
  );
  return Promise.race([settled, isLater ?? settled]);
}

/** Prevents a rejection from ending the process. The promise may be awaited later, or never. */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
