import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';

/**
 * Returns which values are in the same part of a table, in the order of the parts. Citus knows that by its catalogue, and reads no rows.
 */
const BY_PART = `
  select array_agg(place::int order by place) as places
  from (
    select place, get_shard_id_for_distribution_column($1::regclass, value) as part
    from unnest($2::text[]) with ordinality as t (value, place)
  ) placed
  group by part order by part`;

/**
 * Groups items by the part of a distributed table that has their rows. A statement for the items of one group goes to one node, which
 * locks their rows in order of the key as one Postgres does; groups come in the same order for all, so that two transactions that lock
 * the same rows do not wait for each other crosswise. A statement for all of them would go to every part with all values. One
 * Postgres has one group.
 * @param keyOf the value of the column by which the table is distributed (`DISTRIBUTED`)
 */
export async function inParts<Item>(
  db: Queryable,
  table: string,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Promise<(readonly Item[])[]> {
  if (items.length === 0) return [];
  if (db.engine !== 'citus' || items.length === 1) return [items];
  const rows = await db.query<{ places: number[] }>(BY_PART, [table, items.map(keyOf)]);
  return rows.map(({ places }) => places.map((place) => items[place - 1] as Item));
}

/** The condition by which Citus sees that all rows of a statement are in one part of a table: `email = any ($1)`. */
export const ofPart = (engine: Engine, condition: string): string =>
  engine === 'citus' ? `and ${condition}` : '';
