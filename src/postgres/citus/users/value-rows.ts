/**
 * Returns the SQL of a `values` list with parameters. Citus splits such a list by shard without planning a
 * query for each shard, as a join with `unnest` would need.
 * @param after number of parameters before the list
 */
export function valueRows(
  rows: number,
  { after, columns }: { after: number; columns: number },
  row: (parameters: string[]) => string,
): string {
  return Array.from({ length: rows }, (_, index) =>
    row(Array.from({ length: columns }, (_, column) => `$${after + index * columns + column + 1}`)),
  ).join(', ');
}
