import type { KeptHash, Strength } from '../../hashing/verifier.ts';

/** Hashes written, by algorithm and class: `{"bcrypt": {"strong": 2}}`. */
export type HashCounts = Record<string, Partial<Record<Strength, number>>>;

export const HASH_CLASSES = ['strong', 'legacy', 'broken'] as const satisfies readonly Strength[];

/** Counts a login that is written. Without a hash it is a third-party login. */
export function countLogin(
  { algorithms, hashes }: { algorithms: Record<string, number>; hashes: HashCounts },
  hash?: KeptHash,
): void {
  const { algorithm = 'thirdparty' } = hash ?? {};
  algorithms[algorithm] = (algorithms[algorithm] ?? 0) + 1;
  if (hash === undefined) return;
  let classes = hashes[algorithm];
  if (classes === undefined) {
    classes = {};
    hashes[algorithm] = classes;
  }
  classes[hash.strength] = (classes[hash.strength] ?? 0) + 1;
}

export function addHashCounts(a: HashCounts, b: HashCounts): HashCounts {
  const sum = structuredClone(a);
  for (const { algorithm, class: strength, count } of listHashes(b)) {
    const classes = sum[algorithm] ?? {};
    classes[strength] = (classes[strength] ?? 0) + count;
    sum[algorithm] = classes;
  }
  return sum;
}

/** The same counts, one row for each pair, by name. */
export function listHashes(counts: HashCounts): { algorithm: string; class: Strength; count: number }[] {
  return Object.keys(counts)
    .sort()
    .flatMap((algorithm) =>
      HASH_CLASSES.flatMap((name) => {
        const count = counts[algorithm]?.[name] ?? 0;
        return count === 0 ? [] : [{ algorithm, class: name, count }];
      }),
    );
}

/** How many hashes there are of each class, whatever their algorithm. */
export function classTotals(counts: HashCounts): Record<Strength, number> {
  const totals: Record<Strength, number> = { strong: 0, legacy: 0, broken: 0 };
  for (const { class: strength, count } of listHashes(counts)) totals[strength] += count;
  return totals;
}
