import type { Sender } from '../client/engine.ts';

/** Positions count from 1, and lists are in the order of the shards. Reads Citus's catalogue, and no rows. */
const BY_SHARD = `
  select array_agg(place::int order by place) as places
  from (
    select place, get_shard_id_for_distribution_column($1::regclass, value) as part
    from unnest($2::text[]) with ordinality as t (value, place)
  ) placed
  group by part order by part`;

/**
 * Groups items by the shard of a distributed table. A statement for one group runs on one node, which locks
 * the rows in the order of the key. All transactions use the same order of groups, so that two of them cannot
 * deadlock. A statement for all items would send all values to every shard.
 * @param keyOf returns the value of the distribution column (`DISTRIBUTED`)
 */
export async function groupByShard<Item>(
  db: Sender,
  table: string,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Promise<(readonly Item[])[]> {
  if (items.length === 0) return [];
  if (items.length === 1) return [items];
  const rows = await db.query<{ places: number[] }>(BY_SHARD, [table, items.map(keyOf)]);
  return rows.map(({ places }) => places.map((place) => items[place - 1] as Item));
}
