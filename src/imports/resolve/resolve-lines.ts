import type { ParsedLine } from '../input/parsed-user.ts';
import type { ExistingLogins } from './existing-logins.ts';
import { LineResolver, type ResolveOptions } from './line-resolver.ts';
import type { WriteSet } from './write-set.ts';

/**
 * Decides each line as if the lines before it had been imported one by one. `existing` initially holds the
 * stored logins, and is updated with each line. Plain-text passwords must have been hashed before.
 */
export function resolveLines(
  lines: readonly ParsedLine[],
  existing: ExistingLogins,
  options: ResolveOptions,
): WriteSet {
  const resolver = new LineResolver(existing, options);
  for (const line of lines) resolver.add(line);
  return resolver.writeSet;
}
