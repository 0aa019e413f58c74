import type {
  FailedLine,
  FailurePage,
  ImportPage,
  ImportRecord,
  ImportStatus,
  MissingCounts,
  RollbackCounts,
} from '../../imports/import-history.ts';
import type { MatchBy, OnConflict } from '../../imports/import-request.ts';
import type { HashCounts } from '../../imports/resolve/imported-hashes.ts';
import { type FailureCounts, noOutcomes, type OutcomeCounts } from '../../imports/resolve/outcome.ts';
import type { Queryable } from '../client/connection.ts';
import { ACTIVE_MS, type LineGroup, ungroupLines } from './import-records.ts';

const STATUS = `case
    when rollback_finished_at is not null then 'ROLLED_BACK' when rolled_back_at is not null then 'ROLLBACK_UNFINISHED'
    when finished_at is null then 'UNFINISHED' else 'FINISHED' end`;

/**
 * Columns of an import. If a run of an earlier version of the service was killed, `duration_ms` ends with its last
 * chunk.
 */
const COLUMNS = `import_id, name, ${STATUS} as status, key_name, dry_run, on_conflict, started_at, finished_at, rolled_back_at,
  expired_at, match_by, source, trust_external_ids, delete_missing, missing, outcomes, algorithms, classes, rollback, hashing_secret_id,
  updated_at, total_lines, failure_codes, run_started_at is not null as is_running,
  case when active_ms > 0 or run_started_at is not null then ${ACTIVE_MS} else coalesce((
    select round(extract(epoch from written_at - known.started_at) * 1000) from import_chunks
    where import_chunks.import_id = known.import_id order by first_line desc limit 1), 0) end as duration_ms`;

interface ImportRow {
  import_id: string;
  name: string | null;
  status: ImportStatus;
  key_name: string;
  dry_run: boolean;
  on_conflict: OnConflict;
  match_by: MatchBy;
  source: string | null;
  trust_external_ids: boolean;
  delete_missing: string | null;
  missing: MissingCounts | null;
  started_at: Date;
  finished_at: Date | null;
  rolled_back_at: Date | null;
  expired_at: Date | null;
  updated_at: Date | null;
  is_running: boolean;
  total_lines: string | null;
  outcomes: Partial<OutcomeCounts>;
  failure_codes: FailureCounts;
  algorithms: Record<string, number>;
  classes: HashCounts;
  hashing_secret_id: string | null;
  rollback: RollbackCounts | null;
  duration_ms: string;
}

/** Selects a page of imports. The import `$2` always exists, because records of imports are never removed. */
const LIST = `
  select ${COLUMNS} from imports known
  where ($2::text is null or (started_at, import_id) <= ((select started_at from imports where import_id = $2), $2))
    and ($3::text is null or position(lower($3) in lower(concat_ws(' ', name, import_id, source))) > 0)
    and ($4::text is null or ${STATUS} = $4)
  order by started_at desc, import_id desc limit $1`;

export async function listImports(
  db: Queryable,
  { limit, start, search, status }: ImportPage,
): Promise<ImportRecord[]> {
  const rows = await db.query<ImportRow>(LIST, [limit, start ?? null, search ?? null, status ?? null]);
  return rows.map(toRecord);
}

export async function findImport(db: Queryable, importId: string): Promise<ImportRecord | undefined> {
  const [row] = await db.query<ImportRow>(`select ${COLUMNS} from imports known where import_id = $1`, [
    importId,
  ]);
  return row && toRecord(row);
}

const missingOf = ({ found, removed, kept }: MissingCounts): MissingCounts => ({ found, removed, kept });

const toRecord = (row: ImportRow): ImportRecord => ({
  importId: row.import_id,
  ...(row.name !== null && { name: row.name }),
  status: row.status,
  keyName: row.key_name,
  dryRun: row.dry_run,
  onConflict: row.on_conflict,
  matchBy: row.match_by,
  ...(row.source !== null && { source: row.source }),
  ...(row.trust_external_ids && { trustExternalIds: true }),
  ...(row.delete_missing !== null && { deleteMissing: Number(row.delete_missing) }),
  ...(row.missing !== null && { missing: missingOf(row.missing) }),
  startedAtMs: row.started_at.getTime(),
  ...(row.finished_at && { finishedAtMs: row.finished_at.getTime() }),
  ...(row.rolled_back_at && { rolledBackAtMs: row.rolled_back_at.getTime() }),
  ...(row.expired_at && { expiredAtMs: row.expired_at.getTime() }),
  isRunning: row.is_running,
  ...(row.updated_at && { updatedAtMs: row.updated_at.getTime() }),
  ...(row.total_lines !== null && { total: Number(row.total_lines) }),
  outcomes: { ...noOutcomes(), ...row.outcomes },
  failures: row.failure_codes,
  algorithms: row.algorithms,
  hashes: row.classes,
  ...(row.hashing_secret_id !== null && { hashingSecretId: row.hashing_secret_id }),
  durationMs: Number(row.duration_ms),
  ...(row.rollback && { rollback: row.rollback }),
});

interface ChunkRow {
  last_line: string;
  code: string;
  lines: LineGroup<string>[];
  is_cut: boolean;
}

/**
 * Selects the rows of the chunk in which the page starts, and of as many further chunks as fill the page.
 * Reads at most one row more than the page has lines, plus the other rows of the last chunk.
 * @param byCode `and code = $4`, or an empty text
 */
const page = (byCode: string) => `
  with near as (
    select last_line, code, count, lines from import_failures
    where import_id = $1 and last_line >= $2 ${byCode}
    order by last_line fetch first ($3 + 1) rows with ties
  ), summed as (
    select last_line, code, lines, count(*) over () > $3 as is_cut,
      coalesce(sum(case when last_line > (select min(last_line) from near) then count end)
        over (order by last_line groups between unbounded preceding and 1 preceding), 0) as lines_before
    from near
  )
  select last_line, code, lines, is_cut from summed where lines_before <= $3 order by last_line`;

/** Whether failures are missing: they have expired, or an earlier version did not record them. */
const IS_EXPIRED = `
  select failures_expired_at is not null or coalesce((outcomes ->> 'failed')::bigint, 0) >
    (select coalesce(sum(value::bigint), 0) from jsonb_each_text(failure_codes)) as is_expired
  from imports where import_id = $1`;

/** Returns failed lines in order, from line `start` on. */
export async function listFailures(
  db: Queryable,
  importId: string,
  { start, limit, code }: { start: number; limit: number; code?: string },
): Promise<FailurePage | 'unknown-import' | 'expired'> {
  const rows = await db.query<ChunkRow>(
    page(code === undefined ? '' : 'and code = $4'),
    code === undefined ? [importId, start, limit] : [importId, start, limit, code],
  );
  // This query must follow the one above. The statement that removes failures also marks the import as expired, so this
  // query shows whether the query above may have missed removed rows.
  const [known] = await db.query<{ is_expired: boolean }>(IS_EXPIRED, [importId]);
  if (known === undefined) return 'unknown-import';
  if (known.is_expired) return 'expired';
  const failures = rows
    .flatMap(({ code, lines }) =>
      Array.from(ungroupLines(lines), ([line, message]): FailedLine => ({ line, code, message })),
    )
    .filter(({ line }) => line >= start)
    .sort((a, b) => a.line - b.line);
  const next = failures[limit]?.line ?? nextChunk(rows);
  return { failures: failures.slice(0, limit), ...(next !== undefined && { next }) };
}

/** Returns the line at which the next page begins, if this one was cut before it was full. */
function nextChunk(rows: readonly ChunkRow[]): number | undefined {
  const last = rows.at(-1);
  return last?.is_cut ? Number(last.last_line) + 1 : undefined;
}
