import { randomUUID } from 'node:crypto';
import type { MissingCounts } from '../../imports/import-history.ts';
import { DEFAULT_MATCH_BY, type ImportRequest } from '../../imports/import-request.ts';
import type { ChunkRecord, NotBegun, Progress, RecordedChunk, Run } from '../../imports/import-store.ts';
import type { HashCounts } from '../../imports/resolve/imported-hashes.ts';
import {
  type FailureCounts,
  type LineFailures,
  noOutcomes,
  type Outcome,
  type OutcomeCounts,
  outcomeJson,
} from '../../imports/resolve/outcome.ts';
import type { Queryable } from '../client/connection.ts';

interface ImportRow {
  next_line: string;
  outcomes: Partial<OutcomeCounts>;
  failure_codes: FailureCounts;
  algorithms: Record<string, number>;
  classes: HashCounts;
  missing: (MissingCounts & { isDone: boolean }) | null;
}

/** Milliseconds of all runs. A killed or replaced run counts up to its last recorded progress. */
export const ACTIVE_MS = `known.active_ms + coalesce(
  round(extract(epoch from greatest(known.updated_at - known.run_started_at, interval '0')) * 1000), 0)::bigint`;

/** Columns that a resumed import keeps, and that are reset if it follows a dry run with the same id. */
const AS_BEFORE = Object.entries({
  finished_at: ['null', 'known.finished_at'],
  active_ms: ['0', ACTIVE_MS],
  outcomes: ["'{}'", 'known.outcomes'],
  failure_codes: ["'{}'", 'known.failure_codes'],
  failures_expired_at: ['null', 'known.failures_expired_at'],
  algorithms: ["'{}'", 'known.algorithms'],
  classes: ["'{}'", 'known.classes'],
})
  .map(([column, [anew, before]]) => `${column} = case when known.dry_run then ${anew} else ${before} end`)
  .join(', ');

/** Deletes the failures of earlier runs. Does nothing if a later run has taken the import over. */
const FORGET_FAILURES = `
  delete from import_failures
  where import_id = $1 and exists (select from imports where import_id = $1 and owner = $2)`;

/**
 * Begins an import, or takes over an existing one from its earlier run. A dry run records no lines, so a
 * repeated dry run starts at the first line. A finished import keeps its status until more of its lines are
 * done.
 */
export async function beginImport(db: Queryable, request: ImportRequest): Promise<Run | NotBegun> {
  const {
    importId,
    keyName,
    dryRun,
    onConflict,
    matchBy = DEFAULT_MATCH_BY,
    source,
    trustExternalIds = false,
    deleteMissing,
    hashingSecretId,
    total,
    name,
  } = request;
  const owner = randomUUID();
  const [row] = await db.query<ImportRow>(
    `insert into imports as known (import_id, key_name, dry_run, on_conflict, owner, hashing_secret_id,
       total_lines, match_by, source, delete_missing, trust_external_ids, name, updated_at, run_started_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now(), now())
     on conflict (import_id) do update set owner = excluded.owner,
       total_lines = coalesce(excluded.total_lines, known.total_lines), name = coalesce(excluded.name, known.name),
       delete_missing = excluded.delete_missing, updated_at = now(), run_started_at = now(), ${AS_BEFORE}
     where known.dry_run = excluded.dry_run and known.on_conflict = excluded.on_conflict
       and known.hashing_secret_id is not distinct from excluded.hashing_secret_id
       and known.match_by = excluded.match_by and known.trust_external_ids = excluded.trust_external_ids
       and (known.match_by = 'login' or known.source is not distinct from excluded.source)
       and known.rolled_back_at is null and known.expired_at is null
     returning next_line, outcomes, failure_codes, algorithms, classes, missing`,
    [
      ...[importId, keyName, dryRun, onConflict, owner, hashingSecretId ?? null, total ?? null],
      ...[matchBy, source ?? null, deleteMissing ?? null, trustExternalIds, name ?? null],
    ],
  );
  if (row === undefined) return whyNotBegun(db, importId);
  if (dryRun) await db.query(FORGET_FAILURES, [importId, owner]);
  const progress: Progress = dryRun
    ? { nextLine: 1, outcomes: noOutcomes(), failures: {}, algorithms: {}, hashes: {} }
    : {
        nextLine: Number(row.next_line),
        outcomes: { ...noOutcomes(), ...row.outcomes },
        failures: row.failure_codes,
        algorithms: row.algorithms,
        hashes: row.classes,
      };
  return { importId, owner, progress, missing: dryRun ? undefined : (row.missing ?? undefined) };
}

async function whyNotBegun(db: Queryable, importId: string): Promise<NotBegun> {
  const [row] = await db.query<{ rolled_back_at: Date | null; expired_at: Date | null }>(
    'select rolled_back_at, expired_at from imports where import_id = $1',
    [importId],
  );
  if (row?.rolled_back_at) return 'rolled-back';
  return row?.expired_at ? 'expired' : 'other-options';
}

/**
 * Records a chunk, by the last statement of the transaction. Only then is `updated_at` no earlier than any time that
 * the chunk has written, which `readLastImport` in users/import-logins.ts requires.
 */
export async function recordChunk(
  db: Queryable,
  { importId, owner }: Run,
  chunk: ChunkRecord,
): Promise<boolean> {
  const { progress } = chunk;
  const rows = await db.query(
    `with moved as (
       update imports set next_line = $4, outcomes = $5, algorithms = $6, classes = $12, failure_codes = $13,
         finished_at = null, updated_at = clock_timestamp()
       where import_id = $1 and owner = $2 and next_line = $3 and rolled_back_at is null
       returning import_id
     ), failed as (
       ${chunk.settles ? addFailures('$4::bigint - 1', '$14') : insertFailures({ lastLine: '$4::bigint - 1', failures: '$14' })}
     )
     insert into import_chunks (import_id, first_line, lines, line_marks, first_user_id, last_user_id, outcomes)
     select import_id, ${chunk.settles ? '-$3::bigint' : '$3'}, $7, $8, $9, $10, $11 from moved returning import_id`,
    [
      importId,
      owner,
      chunk.firstLine,
      progress.nextLine,
      JSON.stringify(progress.outcomes),
      JSON.stringify(progress.algorithms),
      chunk.lines,
      chunk.sealedMarks,
      chunk.firstUserId,
      chunk.lastUserId,
      groupLines(chunk.outcomes.map(([line, outcome]) => [line, outcomeJson(outcome)] as const)),
      JSON.stringify(progress.hashes),
      JSON.stringify(progress.failures),
      chunk.settles ? singleFailuresJson(chunk.failures) : failuresJson(chunk.failures),
    ],
  );
  return rows.length === 1;
}

export async function recordDryRun(
  db: Queryable,
  { importId, owner }: Run,
  progress: Progress,
  failures: LineFailures,
  settles = false,
): Promise<void> {
  await db.query(
    `with moved as (
       update imports set outcomes = $3, failure_codes = $4, updated_at = now()
       where import_id = $1 and owner = $2
       returning import_id
     )
     ${settles ? addFailures('$5::bigint', '$6') : insertFailures({ lastLine: '$5::bigint', failures: '$6' })}`,
    [
      importId,
      owner,
      JSON.stringify(progress.outcomes),
      JSON.stringify(progress.failures),
      progress.nextLine - 1,
      settles ? singleFailuresJson(failures) : failuresJson(failures),
    ],
  );
}

/** Records nothing if a later run has taken the import over, because the query `moved` then has no row. */
const insertFailures = ({ lastLine, failures }: { lastLine: string; failures: string }) =>
  `insert into import_failures (import_id, last_line, code, count, lines)
   select import_id, ${lastLine}, code, count, lines
   from moved, jsonb_to_recordset(${failures}) as f (code text, count integer, lines jsonb)`;

/**
 * Adds failures of deferred lines to the rows of the chunks that contain the lines, so that rows stay in the
 * order of lines. Lines after the last such row are added to a row that ends at the line `end`.
 */
const addFailures = (end: string, failures: string) =>
  `insert into import_failures (import_id, last_line, code, count, lines)
   select import_id, last_line, code, count(*), jsonb_agg(jsonb_build_array(line, message) order by line)
   from (
     select moved.import_id, code, line, message, coalesce((
       select min(known.last_line) from import_failures known
       where known.import_id = moved.import_id and known.last_line >= line), ${end}) as last_line
     from moved, jsonb_to_recordset(${failures}) as f (code text, line bigint, message text)
   ) placed
   group by import_id, last_line, code
   on conflict (import_id, last_line, code) do update set
     count = import_failures.count + excluded.count, lines = import_failures.lines || excluded.lines`;

const singleFailuresJson = (failures: LineFailures): string =>
  JSON.stringify(
    Array.from(failures, ([code, lines]) => lines.map(([line, message]) => ({ code, line, message }))).flat(),
  );

function failuresJson(failures: LineFailures): string {
  const rows = Array.from(failures, ([code, lines]) => {
    const grouped = groupLines(lines.map(([line, message]) => [line, JSON.stringify(message)] as const));
    return `{"code":${JSON.stringify(code)},"count":${lines.length},"lines":${grouped}}`;
  });
  return `[${rows.join()}]`;
}

interface ChunkRow {
  first_line: string;
  lines: number;
  line_marks: Buffer | null;
  first_user_id: string;
  outcomes: LineGroup<Outcome>[];
}

export async function* recordedChunks(db: Queryable, importId: string): AsyncGenerator<RecordedChunk> {
  let firstLine = 1;
  for (;;) {
    const [row] = await db.query<ChunkRow>(
      `select first_line, lines, line_marks, first_user_id, outcomes from import_chunks
       where import_id = $1 and first_line >= $2 order by first_line limit 1`,
      [importId, firstLine],
    );
    if (row === undefined) return;
    const { lines, line_marks: marks, first_user_id: firstUserId } = row;
    firstLine = Number(row.first_line);
    const outcomes = new Map(ungroupLines(row.outcomes));
    yield { firstLine, lines, sealedMarks: marks ?? undefined, firstUserId, outcomes };
    firstLine += lines;
  }
}

/** Returns the outcomes of deferred lines that earlier runs of the import decided, by line number. */
export async function settledOutcomes(db: Queryable, importId: string): Promise<Map<number, Outcome>> {
  const rows = await db.query<{ outcomes: LineGroup<Outcome>[] }>(
    'select outcomes from import_chunks where import_id = $1 and first_line < 0',
    [importId],
  );
  return new Map(rows.flatMap(({ outcomes }) => [...ungroupLines(outcomes)]));
}

export async function endImport(
  db: Queryable,
  { importId, owner }: Run,
  { ms, isFinished, progress }: { ms: number; isFinished: boolean; progress?: Progress },
): Promise<void> {
  await db.query(
    `update imports set active_ms = active_ms + $3, finished_at = case when $4 then now() else finished_at end,
       outcomes = coalesce($5, outcomes), algorithms = coalesce($6, algorithms), classes = coalesce($7, classes),
       failure_codes = coalesce($8, failure_codes), updated_at = now(), run_started_at = null
     where import_id = $1 and owner = $2`,
    [
      importId,
      owner,
      Math.round(ms),
      isFinished,
      progress && JSON.stringify(progress.outcomes),
      progress && JSON.stringify(progress.algorithms),
      progress && JSON.stringify(progress.hashes),
      progress && JSON.stringify(progress.failures),
    ],
  );
}

/*
 * Stores a value that many lines of a chunk share (an outcome, the message of an error) once, as JSON: `[[line,
 * value], [line, value, gaps], …]`. `line` is the first line with the value; `gaps` has the distance from each line to
 * the next. Lines may be two bytes long and all fail alike: their record must not be longer than the lines.
 */

export type LineGroup<Value> = [line: number, value: Value, gaps?: string];

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGIT_BITS = 5;
/** Bit of a digit. If it is set, another digit of the same number follows. */
const MORE = 1 << DIGIT_BITS;
const DIGIT_VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));

/**
 * Number that stands before a count of repetitions of the last distance. It can be no distance, because no two lines
 * are equal.
 */
const REPEAT = 0;
/** Minimum number of repetitions to be counted. Fewer are shorter if the distance is written each time. */
const MIN_REPEATS = 3;

/** Encodes a number as in source maps, in groups of five bits, the lowest first. */
function number(value: number): string {
  let digits = '';
  for (let rest = value; ; rest = Math.floor(rest / MORE)) {
    if (rest < MORE) return digits + DIGITS[rest];
    digits += DIGITS[(rest % MORE) + MORE];
  }
}

function readNumbers(text: string): number[] {
  const numbers: number[] = [];
  let [value, unit] = [0, 1];
  for (const digit of text) {
    const bits = DIGIT_VALUES.get(digit) ?? 0;
    value += (bits % MORE) * unit;
    unit *= MORE;
    if (bits >= MORE) continue;
    numbers.push(value);
    [value, unit] = [0, 1];
  }
  return numbers;
}

class Group {
  readonly #line: number;
  #last: number;
  #gaps = '';
  #gap = 0;
  #count = 0;

  constructor(line: number) {
    this.#line = line;
    this.#last = line;
  }

  add(line: number): void {
    const gap = line - this.#last;
    this.#last = line;
    if (gap === this.#gap) {
      this.#count += 1;
      return;
    }
    this.#gaps = this.#allGaps();
    this.#gap = gap;
    this.#count = 1;
  }

  #allGaps(): string {
    const gap = number(this.#gap);
    const repeats = this.#count - 1;
    if (repeats < MIN_REPEATS) return this.#gaps + gap.repeat(this.#count);
    return this.#gaps + gap + number(REPEAT) + number(repeats);
  }

  json(value: string): string {
    const gaps = this.#allGaps();
    return gaps === '' ? `[${this.#line},${value}]` : `[${this.#line},${value},"${gaps}"]`;
  }
}

/** @param lines lines in order, with their values as JSON texts */
export function groupLines(lines: Iterable<readonly [line: number, value: string]>): string {
  const groups = new Map<string, Group>();
  for (const [line, value] of lines) {
    const group = groups.get(value);
    if (group === undefined) groups.set(value, new Group(line));
    else group.add(line);
  }
  return `[${Array.from(groups, ([value, group]) => group.json(value)).join()}]`;
}

/** Yields the lines of all groups. They are in order only within a group. */
export function* ungroupLines<Value>(
  groups: readonly LineGroup<Value>[],
): Generator<[line: number, value: Value]> {
  for (const [first, value, gaps = ''] of groups) {
    yield [first, value];
    let [line, gap] = [first, 0];
    const numbers = readNumbers(gaps);
    for (let place = 0; place < numbers.length; place += 1) {
      const read = numbers[place] as number;
      const isRepeat = read === REPEAT;
      if (!isRepeat) gap = read;
      const times = isRepeat ? (numbers[++place] ?? 0) : 1;
      for (let count = 0; count < times; count += 1) {
        line += gap;
        yield [line, value];
      }
    }
  }
}
