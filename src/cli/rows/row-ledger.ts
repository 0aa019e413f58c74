import { largestMember } from '../../sources/pipeline/import-line.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { LineResult } from '../service-client/stream-lines.ts';

const CONFLICTS = new Set([
  'EMAIL_ALREADY_EXISTS',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
  'EXTERNAL_ID_REPEATED',
  'OTHER_PERSON',
]);

/** Answers to a line that disables a user, by which nobody of an earlier import keeps signing in. */
const DISABLED_ANYWAY = new Set(['UNCHANGED', 'USER_UNKNOWN']);
/** Finished rows are removed from the front of a queue all at once, because each removal copies the queue. */
const MAX_DONE = 4096;

export interface Written {
  created: number;
  updated: number;
  /** Users of earlier imports who were disabled, because the old system has disabled them since. */
  disabled: number;
}

interface Entry {
  /** Undefined if the row is passed on later: the service defers it to the end of the import, or another part sends it. */
  row: Verdict | undefined;
  isFinal: boolean;
}

/** Rows that were sent on one stream and are not answered yet. */
interface Awaited {
  rows: number[];
  done: number;
  answers: number;
}

/**
 * Tracks the rows of an import until they are written to the output files. Final rows are passed on in the
 * order in which they were added, whichever stream they were sent on. A row that the service defers to the
 * end of the import is passed on when its result comes.
 */
export class RowLedger {
  readonly #onFinal: (row: Verdict) => void;
  readonly #awaited: readonly Awaited[];
  /** Rows that wait, because they or an earlier row have no final verdict yet, by their numbers. */
  readonly #waiting = new Map<number, Entry>();
  /** Number of the next row to pass on. */
  #first = 1;
  /** Number of the last row that was added; the first row is 1. */
  #last = 0;
  readonly #deferred = new Map<number, Verdict>();
  readonly #written: Written;

  /**
   * @param streams number of streams to the service; each answers its rows in order
   * @param written counts to add to
   */
  constructor(streams: number, written: Written, onFinal: (row: Verdict) => void) {
    this.#written = written;
    this.#awaited = Array.from({ length: streams }, () => ({ rows: [], done: 0, answers: 0 }));
    this.#onFinal = onFinal;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Number of rows that were added so far, whether or not they were sent or answered. */
  get rows(): number {
    return this.#last;
  }

  get awaited(): number {
    return this.#awaited.reduce((sum, _, stream) => sum + this.awaitedOf(stream), 0);
  }

  awaitedOf(stream: number): number {
    const { rows, done } = this.#of(stream);
    return rows.length - done;
  }

  answersOf(stream: number): number {
    return this.#of(stream).answers;
  }

  /** Returns the stream that delays all rows: the next row to pass on waits for its answer. */
  get slowest(): number | undefined {
    const found = this.#awaited.findIndex(({ rows, done }) => rows[done] === this.#first);
    return found === -1 ? undefined : found;
  }

  /**
   * Returns the row's number. A row that is not sent is final at once.
   * @param row undefined if another part sends it
   */
  add(row: Verdict | undefined, isSent: boolean): number {
    this.#last += 1;
    this.#waiting.set(this.#last, { row, isFinal: !isSent });
    this.#passOn();
    return this.#last;
  }

  /** Records that a row was sent, so that its answer is expected next on the stream. */
  expect(number: number, stream: number): void {
    this.#of(stream).rows.push(number);
  }

  /** Returns false if the answer to another row is expected next on the stream. */
  settle(number: number, stream: number, result: LineResult): boolean {
    const deferred = this.#deferred.get(number);
    if (deferred !== undefined) {
      this.#deferred.delete(number);
      this.#onFinal(settled(deferred, result, this.#written));
      return true;
    }
    const awaited = this.#of(stream);
    const entry = this.#waiting.get(number);
    if (awaited.rows[awaited.done] !== number || entry?.row === undefined) return false;
    awaited.done += 1;
    awaited.answers += 1;
    if (result.status === 'DEFERRED') {
      this.#deferred.set(number, entry.row);
      entry.row = undefined;
    } else entry.row = settled(entry.row, result, this.#written);
    entry.isFinal = true;
    this.#passOn();
    if (awaited.done >= MAX_DONE || awaited.done === awaited.rows.length) {
      awaited.rows = awaited.rows.slice(awaited.done);
      awaited.done = 0;
    }
    return true;
  }

  #of(stream: number): Awaited {
    const found = this.#awaited[stream];
    if (found === undefined) throw new Error('there is no such stream');
    return found;
  }

  #passOn(): void {
    for (let entry = this.#waiting.get(this.#first); entry?.isFinal; entry = this.#waiting.get(this.#first)) {
      this.#waiting.delete(this.#first);
      this.#first += 1;
      if (entry.row !== undefined) this.#onFinal(entry.row);
    }
  }
}

/** The service only knows that the user exists, not which row created it. */
const withFirst = (
  { sameIdentityAs }: Verdict,
  result: Verdict['result'],
  message: string | undefined,
): string | undefined =>
  sameIdentityAs === undefined || result === 'skip'
    ? message
    : `Same identity as ${sameIdentityAs}. Keep one of the two rows. The service says: ${message}`;

function settled(row: Verdict, { status, code, message }: LineResult, written: Written): Verdict {
  if (row.result === 'skip') {
    if (status === 'UPDATED') written.disabled += 1;
    if (status === 'UPDATED' || DISABLED_ANYWAY.has(code ?? '')) return row;
  }
  if (status === 'CREATED' || status === 'UPDATED') {
    written[status === 'CREATED' ? 'created' : 'updated'] += 1;
    return status === 'CREATED' ? row : { ...row, existed: true };
  }
  const result = status === 'SKIPPED' ? 'skip' : CONFLICTS.has(code ?? '') ? 'conflict' : 'error';
  const said =
    code === 'LINE_TOO_LONG' && row.line !== undefined
      ? `${message}, most of it in ${largestMember(row.line)}`
      : message;
  return { ...row, result, reason: code ?? status, message: withFirst(row, result, said) };
}
