/**
 * Maps up to `limit` items of a stream at a time, and yields the results in the order of the items, as soon
 * as possible. While nobody takes results, nothing is taken from `source`. If `source` fails, the items that
 * it has already delivered are finished first.
 */
export async function* mapInOrder<In, Out>(
  source: AsyncGenerator<In>,
  limit: number,
  map: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void> {
  type Event = { item: IteratorResult<In> } | { result: Out } | { error: unknown };
  const working: Promise<Out>[] = [];
  let next: Promise<IteratorResult<In>> | undefined = markHandled(source.next());
  let failure: { error: unknown } | undefined;
  try {
    while (next !== undefined || working.length > 0) {
      const events: Promise<Event>[] = [];
      const [first] = working;
      if (first !== undefined) events.push(first.then((result) => ({ result })));
      if (next !== undefined && working.length < limit) {
        events.push(
          next.then(
            (item) => ({ item }),
            (error: unknown) => ({ error }),
          ),
        );
      }
      const event = await Promise.race(events);
      if ('result' in event) {
        working.shift();
        yield event.result;
      } else if ('error' in event) {
        failure = event;
        next = undefined;
      } else if (event.item.done) {
        next = undefined;
      } else {
        // `map` starts before the source goes on, so that both see the items in order.
        working.push(markHandled(map(event.item.value)));
        next = markHandled(source.next());
      }
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    // Not awaited, because the generator of the items may be waiting for a client that has disconnected.
    markHandled(source.return(undefined));
    await Promise.allSettled(working);
  }
}

/** Prevents a rejection from ending the process. The promise may be awaited later, or never. */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
