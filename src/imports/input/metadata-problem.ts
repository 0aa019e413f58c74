import { ExactNumber } from '../../lib/json/exact-json.ts';
import { isPostgresText } from '../../lib/text/characters.ts';

/** Bounds the recursion of this check, of `toJson`, and of programs that read the metadata later. */
const MAX_DEPTH = 64;

/**
 * Returns the end of a sentence that begins with the field's name. Numbers are accepted: they are stored as
 * text.
 */
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
