import type { ParsedLine } from '../input/parsed-user.ts';
import type { ExistingLogins } from './existing-logins.ts';
import type { KnownUsers } from './known-users.ts';
import { LineResolver, type ResolveOptions } from './line-resolver.ts';
import { MatchResolver } from './match-resolver.ts';
import type { WriteSet } from './write-set.ts';

/**
 * Decides each line as if the lines before it had been imported. `existing` is updated with each line.
 * Plain-text passwords must already be hashed.
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

/** Decides the lines of a chunk that are matched by external id; otherwise like `resolveLines`. */
export function matchLines(
  lines: readonly ParsedLine[],
  known: KnownUsers,
  options: ResolveOptions,
): MatchResolver {
  const resolver = new MatchResolver(known, options);
  for (const line of lines) resolver.add(line);
  return resolver;
}

export function settleLines(
  lines: readonly ParsedLine[],
  known: KnownUsers,
  options: ResolveOptions,
): MatchResolver {
  const resolver = new MatchResolver(known, options);
  resolver.settle(lines);
  return resolver;
}
