import type { LineError } from '../input/line-error.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import type { ExistingLogins } from './existing-logins.ts';
import { LineResolver } from './line-resolver.ts';
import type { WriteSet } from './write-set.ts';

/** What becomes of a login that is there already. */
export const ON_CONFLICT = ['update-unchanged', 'overwrite', 'skip', 'fail'] as const;

export type OnConflict = (typeof ON_CONFLICT)[number];

/** One line of a chunk, by its place: undefined for a blank one. */
export type ParsedLine = ParsedUser | LineError | undefined;

export interface ResolveOptions {
  onConflict: OnConflict;
  /** Users that would be created have no id to report. */
  dryRun: boolean;
  /** ms since the epoch; when users joined whose line does not say. */
  now: number;
}

/**
 * Decides each line as if those before it had been imported one by one, given what is `known` at the start: it is kept
 * up to date line by line. Passwords must have been hashed.
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

export const isParsedUser = (line: ParsedLine): line is ParsedUser => line !== undefined && 'methods' in line;
