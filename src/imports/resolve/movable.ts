/**
 * Change by which an item takes places and gives up others. A place, such as an e-mail address, has at most
 * one owner.
 */
export interface Move {
  /** Places that the item wants to take. */
  wants: readonly string[];
  /** Places that the item gives up. No two items give up the same place. */
  leaves: readonly string[];
}

/**
 * Returns the items that can all move at once, for example users who exchange e-mail addresses: every place
 * that they want is free, or is given up by one of them. Chains and cycles of any length can move. If several
 * items want a place, the first one that can move gets it.
 * @param isFree returns whether nobody has the place
 */
export function movable<Item extends Move>(
  items: readonly Item[],
  isFree: (place: string) => boolean,
): Set<Item> {
  const alive = new Set(items);
  const leaving = new Map(items.flatMap((item) => item.leaves.map((place) => [place, item])));
  const waiting = new Map<Item, Item[]>();
  const stuck: Item[] = [];
  for (const item of items) {
    for (const place of item.wants) {
      if (isFree(place)) continue;
      const before = leaving.get(place);
      if (before === undefined) stuck.push(item);
      else waiting.set(before, [...(waiting.get(before) ?? []), item]);
    }
  }
  for (;;) {
    for (let item = stuck.pop(); item !== undefined; item = stuck.pop())
      if (alive.delete(item)) stuck.push(...(waiting.get(item) ?? []));
    const taken = new Set<string>();
    for (const item of alive) {
      if (item.wants.some((place) => taken.has(place))) stuck.push(item);
      else for (const place of item.wants) taken.add(place);
    }
    if (stuck.length === 0) return alive;
  }
}
