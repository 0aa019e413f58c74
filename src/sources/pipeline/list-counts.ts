const MAX_SHOWN = 20;

/** The most frequent first: `gold 3, silver 1`. */
export function listCounts(
  counts: readonly (readonly [name: string, count: number])[],
  noun: string,
): string {
  const sorted = counts.toSorted(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, MAX_SHOWN).map(([name, count]) => `${name} ${count}`);
  const more = sorted.length - MAX_SHOWN;
  return [...shown, ...(more > 0 ? [`and ${more} more ${noun}`] : [])].join(', ');
}
