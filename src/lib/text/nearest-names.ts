import leven from 'leven';

/**
 * Minimum length of a mistyped name for which longer names that contain it are suggested. Shorter ones occur
 * in many names.
 */
const MIN_PART_CHARACTERS = 3;

/**
 * Returns the function that lists which names a mistyped name may mean, the nearest first. The distance of
 * two names is the number of edits per letter, because by the number alone every name would be near to a
 * short one.
 * @param within maximum number of edits per letter; 1 lists all names
 */
export function nearestNames(names: readonly string[], within = 1): (mistyped: string) => string[] {
  const known = names.map((name) => ({ name, letters: letterSet(name) }));
  // The last mistyped name and its result are kept, because consecutive lines of an import often have the
  // same mistake.
  let last: { mistyped: string; near: string[] } | undefined;
  return (mistyped) => {
    if (last?.mistyped !== mistyped) last = { mistyped, near: find(mistyped) };
    return last.near;
  };

  /** Returns the names that contain the mistyped name, the shortest first. */
  function holding(part: string): string[] {
    return names.filter((name) => name.includes(part)).sort((a, b) => a.length - b.length);
  }

  function find(mistyped: string): string[] {
    const letters = letterSet(mistyped);
    const near: { name: string; distance: number }[] = [];
    for (const one of known) {
      const length = Math.max(mistyped.length, one.name.length, 1);
      const most = Math.floor(within * length);
      if (Math.abs(mistyped.length - one.name.length) > most || leastEdits(letters, one.letters) > most)
        continue;
      // leven stops at `maxDistance` and returns it, so `edits` may be less than the true number.
      const edits = leven(mistyped, one.name, { maxDistance: most + 1 });
      if (edits > most) continue;
      near.push({ name: one.name, distance: (isSwapped(mistyped, one.name) ? 1 : edits) / length });
    }
    if (near.length === 0 && mistyped.length >= MIN_PART_CHARACTERS) return holding(mistyped);
    return near.sort((a, b) => a.distance - b.distance).map(({ name }) => name);
  }
}

/**
 * Returns whether two names differ only in two neighbouring letters that are exchanged. This is one typing
 * error, but leven counts two edits.
 */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return (
    at + 1 < a.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2)
  );
}

/**
 * Returns the set of the letters in a text as bits, to estimate quickly how different two names are. Some
 * letters share a bit.
 */
function letterSet(text: string): number {
  let set = 0;
  for (let index = 0; index < text.length; index += 1) set |= 1 << (text.charCodeAt(index) & 31);
  return set;
}

/**
 * Returns a lower bound of the edits between two texts, given their letters: each letter that one of them
 * lacks takes an edit. It is fast and rules out most names.
 */
const leastEdits = (a: number, b: number) => Math.max(bitCount(a & ~b), bitCount(b & ~a));

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
