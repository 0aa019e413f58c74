import type { Strength } from '../../hashing/form.ts';
import type { Credential } from '../../passwords/no-hash.ts';

/** Imported hashes by algorithm and strength class: `{"bcrypt": {"strong": 2}}`. */
export type HashCounts = Record<string, Partial<Record<Strength, number>>>;

export const HASH_CLASSES = ['strong', 'legacy', 'broken'] as const satisfies readonly Strength[];

/** Counts a login under its algorithm, its reason for having no hash, or `thirdparty`. */
export function countLogin(
  { algorithms, hashes }: { algorithms: Record<string, number>; hashes: HashCounts },
  credential?: Credential,
): void {
  const hash = credential !== undefined && 'hash' in credential ? credential.hash : undefined;
  const algorithm =
    hash?.algorithm ??
    (credential !== undefined && 'noHash' in credential ? credential.noHash : 'thirdparty');
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

export function classTotals(counts: HashCounts): Record<Strength, number> {
  const totals: Record<Strength, number> = { strong: 0, legacy: 0, broken: 0 };
  for (const { class: strength, count } of listHashes(counts)) totals[strength] += count;
  return totals;
}
