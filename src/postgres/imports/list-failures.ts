import type { FailedLine, FailurePage } from '../../imports/import-history.ts';
import type { Queryable } from '../client/connection.ts';
import { type LineGroup, ungroupLines } from './grouped-lines.ts';

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

/** An incomplete list would look like a complete one. Earlier versions did not record failures. */
const IS_EXPIRED = `
  select failures_expired_at is not null or coalesce((outcomes ->> 'failed')::bigint, 0) >
    (select coalesce(sum(value::bigint), 0) from jsonb_each_text(failure_codes)) as is_expired
  from imports where import_id = $1`;

/** Failed lines are in order, from line `start` on. */
export async function listFailures(
  db: Queryable,
  importId: string,
  { start, limit, code }: { start: number; limit: number; code?: string },
): Promise<FailurePage | 'unknown-import' | 'expired'> {
  const rows = await db.query<ChunkRow>(
    page(code === undefined ? '' : 'and code = $4'),
    code === undefined ? [importId, start, limit] : [importId, start, limit, code],
  );
  // Must be asked after the failures were read. The statement that removes failures also marks the import as
  // expired, so rows that were missing above are noticed here.
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
