import leven from 'leven';

/** Minimum length for suggesting names that contain the mistyped name. Shorter ones are in many names. */
const MIN_PART_CHARACTERS = 3;

/**
 * Lists names that a mistyped name may mean, the nearest first. The distance is the number of edits per
 * letter, because by the number alone every name would be near to a short one.
 * @param within maximum number of edits per letter; 1 lists all names
 */
export function nearestNames(names: readonly string[], within = 1): (mistyped: string) => string[] {
  // The last answer is kept, because consecutive lines of an import often have the same mistake.
  let last: { mistyped: string; near: string[] } | undefined;
  return (mistyped) => {
    if (last?.mistyped !== mistyped) last = { mistyped, near: find(mistyped) };
    return last.near;
  };

  function find(mistyped: string): string[] {
    const near = names.flatMap((name) => {
      const length = Math.max(mistyped.length, name.length, 1);
      const most = Math.floor(within * length);
      if (Math.abs(mistyped.length - name.length) > most) return [];
      // leven stops at `maxDistance` and returns it, so `edits` may be less than the true number.
      const edits = leven(mistyped, name, { maxDistance: most + 1 });
      return edits > most ? [] : [{ name, distance: (isSwapped(mistyped, name) ? 1 : edits) / length }];
    });
    if (near.length === 0 && mistyped.length >= MIN_PART_CHARACTERS)
      return names.filter((name) => name.includes(mistyped)).sort((a, b) => a.length - b.length);
    return near.sort((a, b) => a.distance - b.distance).map(({ name }) => name);
  }
}

/** Returns ` Did you mean NAME?`, or an empty text if no name is near. */
export function didYouMean(names: readonly string[], mistyped: string, prefix = ''): string {
  const [nearest] = nearestNames(names, 0.5)(mistyped);
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`;
}

/** Returns whether two neighbouring letters are exchanged. That is one typing error, but leven counts two edits. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return (
    at + 1 < a.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2)
  );
}
