import type { FailedLine, FailurePage } from '../../imports/history/import-history.ts';
import type { Queryable } from '../client/connection.ts';
import { type LineGroup, ungroupLines } from './grouped-lines.ts';

interface ChunkRow {
  last_line: string;
  code: string;
  lines: LineGroup<string>[];
  /** There is more behind the rows that were looked at. */
  is_cut: boolean;
}

/**
 * Reads the rows of the chunks that have the lines of the page. Besides the chunk in which the page starts, only as many chunks are read
 * as fill the page. At most one row more than the page has lines is looked at, plus the other rows of the last chunk.
 * @param byCode `and code = $4`, or nothing
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

/**
 * Also where more lines failed than are counted by code: an earlier version did the import, or had a part in it, and put no failed
 * lines on record. A list that is not whole would pass for one that is.
 */
const IS_EXPIRED = `
  select failures_expired_at is not null or coalesce((outcomes ->> 'failed')::bigint, 0) >
    (select coalesce(sum(value::bigint), 0) from jsonb_each_text(failure_codes)) as is_expired
  from imports where import_id = $1`;

/** Returns the lines that failed, in order, from the line `start` on. */
export async function listFailures(
  db: Queryable,
  importId: string,
  { start, limit, code }: { start: number; limit: number; code?: string },
): Promise<FailurePage | 'unknown-import' | 'expired'> {
  const rows = await db.query<ChunkRow>(
    page(code === undefined ? '' : 'and code = $4'),
    code === undefined ? [importId, start, limit] : [importId, start, limit, code],
  );
  // Asked afterwards: what was removed before the rows were read is marked by now.
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

/** Returns the line at which the next page starts if this page is not full and more rows follow. */
function nextChunk(rows: readonly ChunkRow[]): number | undefined {
  const last = rows.at(-1);
  return last?.is_cut ? Number(last.last_line) + 1 : undefined;
}
