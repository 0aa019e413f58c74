import type { Candidate } from './candidate.ts';
import type { Known } from './known.ts';
import type { Problem } from './line-codes.ts';
import type { Plan } from './plan.ts';
import { Planner } from './planner.ts';

/** What becomes of a login that is there already. */
export const ON_CONFLICT = ['update-unchanged', 'overwrite', 'skip', 'fail'] as const;

export type OnConflict = (typeof ON_CONFLICT)[number];

/** One line of a chunk, by its place: undefined for a blank one. */
export type ChunkLine = Candidate | Problem | undefined;

export interface PlanOptions {
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
export function planChunk(lines: readonly ChunkLine[], known: Known, options: PlanOptions): Plan {
  const planner = new Planner(known, options);
  for (const line of lines) planner.add(line);
  return planner.plan;
}

export const isCandidate = (line: ChunkLine): line is Candidate => line !== undefined && 'methods' in line;
