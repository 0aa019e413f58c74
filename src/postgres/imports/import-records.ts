import { randomUUID } from 'node:crypto';
import type { ImportRequest } from '../../imports/import-request.ts';
import type {
  ChunkRecord,
  NotBegun,
  Progress,
  RecordedChunk,
  RecordedOutcome,
  Run,
} from '../../imports/import-store.ts';
import type { HashCounts } from '../../imports/resolve/hash-counts.ts';
import { noOutcomes, type OutcomeCounts } from '../../imports/resolve/outcome.ts';
import type { Queryable } from '../client/connection.ts';

interface ImportRow {
  next_line: string;
  outcomes: Partial<OutcomeCounts>;
  algorithms: Record<string, number>;
  classes: HashCounts;
}

/**
 * Begins an import, or takes over one that exists. A dry run records no lines, so one that is repeated begins anew. Another
 * import that was finished stays so until more of its lines are done.
 */
export async function beginImport(db: Queryable, request: ImportRequest): Promise<Run | NotBegun> {
  const { importId, keyName, dryRun, onConflict, hashingSecretId } = request;
  const owner = randomUUID();
  const [row] = await db.query<ImportRow>(
    `insert into imports as known (import_id, key_name, dry_run, on_conflict, owner, hashing_secret_id)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (import_id) do update set owner = excluded.owner,
       finished_at = case when not known.dry_run then known.finished_at end
     where known.dry_run = excluded.dry_run and known.on_conflict = excluded.on_conflict
       and known.hashing_secret_id is not distinct from excluded.hashing_secret_id
       and known.rolled_back_at is null and known.expired_at is null
     returning next_line, outcomes, algorithms, classes`,
    [importId, keyName, dryRun, onConflict, owner, hashingSecretId ?? null],
  );
  if (row === undefined) return whyNotBegun(db, importId);
  const progress: Progress = dryRun
    ? { nextLine: 1, outcomes: noOutcomes(), algorithms: {}, hashes: {} }
    : {
        nextLine: Number(row.next_line),
        outcomes: { ...noOutcomes(), ...row.outcomes },
        algorithms: row.algorithms,
        hashes: row.classes,
      };
  return { importId, owner, progress };
}

async function whyNotBegun(db: Queryable, importId: string): Promise<NotBegun> {
  const [row] = await db.query<{ rolled_back_at: Date | null; expired_at: Date | null }>(
    'select rolled_back_at, expired_at from imports where import_id = $1',
    [importId],
  );
  if (row?.rolled_back_at) return 'rolled-back';
  return row?.expired_at ? 'expired' : 'other-options';
}

export async function recordChunk(
  db: Queryable,
  { importId, owner }: Run,
  chunk: ChunkRecord,
): Promise<boolean> {
  const { progress } = chunk;
  const rows = await db.query(
    `with moved as (
       update imports set next_line = $4, outcomes = $5, algorithms = $6, classes = $12, finished_at = null
       where import_id = $1 and owner = $2 and next_line = $3 and rolled_back_at is null
       returning import_id
     )
     insert into import_chunks (import_id, first_line, lines, digests, first_user_id, last_user_id, outcomes)
     select import_id, $3, $7, $8, $9, $10, $11 from moved returning import_id`,
    [
      importId,
      owner,
      chunk.firstLine,
      progress.nextLine,
      JSON.stringify(progress.outcomes),
      JSON.stringify(progress.algorithms),
      chunk.lines,
      chunk.digests,
      chunk.firstUserId,
      chunk.lastUserId,
      JSON.stringify(chunk.outcomes),
      JSON.stringify(progress.hashes),
    ],
  );
  return rows.length === 1;
}

interface ChunkRow {
  first_line: string;
  lines: number;
  digests: Buffer;
  first_user_id: string;
  outcomes: RecordedOutcome[];
}

export async function* recordedChunks(db: Queryable, importId: string): AsyncGenerator<RecordedChunk> {
  let firstLine = 1;
  for (;;) {
    const [row] = await db.query<ChunkRow>(
      `select first_line, lines, digests, first_user_id, outcomes from import_chunks
       where import_id = $1 and first_line >= $2 order by first_line limit 1`,
      [importId, firstLine],
    );
    if (row === undefined) return;
    const { lines, digests, first_user_id: firstUserId } = row;
    firstLine = Number(row.first_line);
    yield { firstLine, lines, digests, firstUserId, outcomes: new Map(row.outcomes) };
    firstLine += lines;
  }
}

export async function endImport(
  db: Queryable,
  { importId, owner }: Run,
  { ms, isFinished, progress }: { ms: number; isFinished: boolean; progress?: Progress },
): Promise<void> {
  await db.query(
    `update imports set active_ms = active_ms + $3, finished_at = case when $4 then now() else finished_at end,
       outcomes = coalesce($5, outcomes), algorithms = coalesce($6, algorithms), classes = coalesce($7, classes)
     where import_id = $1 and owner = $2`,
    [
      importId,
      owner,
      Math.round(ms),
      isFinished,
      progress && JSON.stringify(progress.outcomes),
      progress && JSON.stringify(progress.algorithms),
      progress && JSON.stringify(progress.hashes),
    ],
  );
}
