import type { ParsedLine } from '../input/parsed-user.ts';
import type { ExistingLogins } from './existing-logins.ts';
import { LineResolver, type ResolveOptions } from './line-resolver.ts';
import type { WriteSet } from './write-set.ts';

/**
 * Decides each line as if those before it had been imported one by one. `existing` is what is stored at the start, and is
 * kept up to date line by line. Passwords must have been hashed.
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
