import leven from 'leven';

/**
 * Returns the names that a mistyped one may have meant, the nearest first. Counts edits for each letter: by their number alone, a
 * short name would be near to everything.
 * @param within most edits for each letter; 1 is all names
 */
export function nearestNames(mistyped: string, names: readonly string[], within = 1): string[] {
  const near = names.flatMap((name) => {
    const letters = Math.max(mistyped.length, name.length, 1);
    const most = Math.floor(within * letters);
    // leven answers `maxDistance` for all that is as far or farther.
    const edits = leven(mistyped, name, { maxDistance: most + 1 });
    return edits > most ? [] : [{ name, distance: edits / letters }];
  });
  return near.sort((a, b) => a.distance - b.distance).map(({ name }) => name);
}
