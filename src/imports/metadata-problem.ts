import { isStorable } from '../storable.ts';

/** Bounds the recursion, here and in the parser of Postgres. */
const MAX_DEPTH = 64;

/** Why Postgres would not give this JSON value back as it is; finishes a sentence. */
export function metadataProblem(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'string') {
    return isStorable(value)
      ? undefined
      : 'must hold only text without NUL characters or half surrogate pairs';
  }
  // The parser reads what no number can hold, such as 1e999, as Infinity, which JSON writes as null.
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'holds a number that is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return `is nested too deep. Max depth is ${MAX_DEPTH}`;
  for (const [key, member] of Object.entries(value)) {
    const problem = metadataProblem(key) ?? metadataProblem(member, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
