import type { ParsedLine } from '../input/parsed-user.ts';
import type { ExistingLogins } from './existing-logins.ts';
import type { KnownUsers } from './known-users.ts';
import { LineResolver, type ResolveOptions } from './line-resolver.ts';
import { MatchResolver } from './match-resolver.ts';
import type { WriteSet } from './write-set.ts';

/**
 * Decides each line as if earlier lines had been imported one by one. `existing` must hold the stored logins, and is
 * updated with each line. Plain-text passwords must have been hashed before.
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

/**
 * Decides lines that are matched by external id, like `resolveLines`. `known` must hold the stored users, and is
 * updated with each line.
 */
export function matchLines(
  lines: readonly ParsedLine[],
  known: KnownUsers,
  options: ResolveOptions,
): MatchResolver {
  const resolver = new MatchResolver(known, options);
  for (const line of lines) resolver.add(line);
  return resolver;
}

/** Decides the deferred lines, all together. */
export function settleLines(
  lines: readonly ParsedLine[],
  known: KnownUsers,
  options: ResolveOptions,
): MatchResolver {
  const resolver = new MatchResolver(known, options);
  resolver.settle(lines);
  return resolver;
}
