/**
 * Returns a `values` list, which Citus splits by shard without planning a query for each shard.
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
