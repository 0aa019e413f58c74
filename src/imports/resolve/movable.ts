/**
 * Planned change of a user. A place is an e-mail address, an identity or an external id, which one user can
 * have.
 */
export interface Move {
  wants: readonly string[];
  /** Places that the user gives up. No two users give up the same place. */
  leaves: readonly string[];
}

/**
 * Returns the changes that can be carried out together, for example of users who exchange e-mail addresses.
 * If several users want a place, the first one who can take it gets it.
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
      const others = before && waiting.get(before);
      if (before === undefined) stuck.push(item);
      else if (others === undefined) waiting.set(before, [item]);
      else others.push(item);
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
