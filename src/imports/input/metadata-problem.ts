import { ExactNumber } from '../../lib/json/exact-json.ts';
import { isPostgresText } from '../../lib/text/postgres-text.ts';

/** Bounds recursion: here, in `toJson`, and in whatever reads the metadata later. */
const MAX_DEPTH = 64;

/** Why this JSON value cannot be kept as it is. Finishes a sentence. Numbers are no problem: they are kept as text. */
export function metadataProblem(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'string') {
    return isPostgresText(value)
      ? undefined
      : 'must hold only text without NUL characters or half surrogate pairs';
  }
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (depth > MAX_DEPTH) return `is nested too deep. Max depth is ${MAX_DEPTH}`;
  for (const key of Object.keys(value)) {
    const problem =
      metadataProblem(key) ?? metadataProblem((value as Record<string, unknown>)[key], depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
