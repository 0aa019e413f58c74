import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { LineResult } from '../service-client/stream-lines.ts';

/** Error codes of import lines that fail because the user already exists. */
const CONFLICTS = new Set([
  'EMAIL_ALREADY_EXISTS',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
]);
/**
 * Number of finished rows at the front of a queue at which they are removed, all at once, because each
 * removal copies the queue.
 */
const MAX_DONE = 4096;

/** Thrown if an answer of the service belongs to another row than the next one that was sent. */
export class LedgerMismatch extends Error {}

/** Numbers of users that the service has created and updated. */
export interface Written {
  created: number;
  updated: number;
}

interface Entry {
  /**
   * The row. Undefined for a row that the service defers to the end of the import: its result comes outside
   * of the queue.
   */
  row: Verdict | undefined;
  isFinal: boolean;
}

/** Numbers of the rows that were sent on one stream and are not answered yet. */
interface Awaited {
  rows: number[];
  done: number;
  answers: number;
}

/**
 * Tracks the rows of an import from conversion until they are written to the output files. Rows are numbered
 * as they are added and passed on in that order once they are final, whichever stream they were sent on. A
 * row that is not sent is final from the start. A row that the service defers to the end of the import is
 * passed on when its result comes.
 */
export class RowLedger {
  readonly #onFinal: (row: Verdict) => void;
  readonly #awaited: readonly Awaited[];
  #queue: Entry[] = [];
  #done = 0;
  /** Number of the last row that was added to the ledger; the first row is 1. */
  #last = 0;
  /** Rows that the service decides at the end of the import, by row number. */
  readonly #deferred = new Map<number, Verdict>();
  readonly written: Written = { created: 0, updated: 0 };

  /**
   * @param streams number of streams to the service; each answers its rows in order
   * @param onFinal called with each final row, in order
   */
  constructor(streams: number, onFinal: (row: Verdict) => void) {
    this.#awaited = Array.from({ length: streams }, () => ({ rows: [], done: 0, answers: 0 }));
    this.#onFinal = onFinal;
  }

  /** Number of rows in the queue. They wait because they or an earlier row have no final verdict yet. */
  get size(): number {
    return this.#queue.length - this.#done;
  }

  /** Number of rows that were added so far, whether or not they were sent or answered. */
  get rows(): number {
    return this.#last;
  }

  /** Number of rows that were sent to the service and are not answered yet. */
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

  /** Returns the stream that delays the output of all rows: the next row to pass on waits for its answer. */
  get slowest(): number | undefined {
    const found = this.#awaited.findIndex(({ rows, done }) => rows[done] === this.#first);
    return found === -1 ? undefined : found;
  }

  /**
   * Adds a row and returns its number. A row to import becomes final when the service answers it, any other
   * at once.
   */
  add(row: Verdict): number {
    this.#last += 1;
    const isFinal = row.result !== 'import';
    if (isFinal && this.size === 0) this.#onFinal(row);
    else this.#queue.push({ row, isFinal });
    return this.#last;
  }

  /** Records that a row was sent, so that its answer is expected next on the stream. */
  expect(number: number, stream: number): void {
    this.#of(stream).rows.push(number);
  }

  /** Returns whether the verdict on the row with this number cannot change any more. */
  isFinal(number: number): boolean {
    const isHandedOn = number < this.#first;
    return isHandedOn || this.#entry(number)?.isFinal === true;
  }

  /**
   * Records the service's answer to a row.
   * @throws {LedgerMismatch} if the answer to another row is expected next on the stream
   */
  settle(number: number, stream: number, result: LineResult): void {
    const deferred = this.#deferred.get(number);
    if (deferred !== undefined) {
      this.#deferred.delete(number);
      this.#onFinal(settled(deferred, result, this.written));
      return;
    }
    const awaited = this.#of(stream);
    const entry = this.#entry(number);
    if (awaited.rows[awaited.done] !== number || entry?.row === undefined) throw new LedgerMismatch();
    awaited.done += 1;
    awaited.answers += 1;
    if (result.status === 'DEFERRED') {
      this.#deferred.set(number, entry.row);
      entry.row = undefined;
    } else entry.row = settled(entry.row, result, this.written);
    entry.isFinal = true;
    this.#handOn();
    if (mayBeCut(awaited.rows, awaited.done)) {
      awaited.rows = awaited.rows.slice(awaited.done);
      awaited.done = 0;
    }
  }

  get #first(): number {
    return this.#last - this.size + 1;
  }

  #entry(number: number): Entry | undefined {
    return number < this.#first ? undefined : this.#queue[this.#done + number - this.#first];
  }

  #of(stream: number): Awaited {
    const found = this.#awaited[stream];
    if (found === undefined) throw new Error('there is no such stream');
    return found;
  }

  #handOn(): void {
    for (let entry = this.#queue[this.#done]; entry?.isFinal; entry = this.#queue[this.#done]) {
      if (entry.row !== undefined) this.#onFinal(entry.row);
      this.#done += 1;
    }
    if (!mayBeCut(this.#queue, this.#done)) return;
    this.#queue = this.#queue.slice(this.#done);
    this.#done = 0;
  }
}

const mayBeCut = (queue: readonly unknown[], done: number) => done >= MAX_DONE || done === queue.length;

/**
 * Adds to an error message which earlier row has the same provider identity. The service only knows that the
 * user exists, not which row created it.
 */
const withFirst = (
  { sameIdentityAs }: Verdict,
  result: Verdict['result'],
  message: string | undefined,
): string | undefined =>
  sameIdentityAs === undefined || result === 'skip'
    ? message
    : `Same identity as ${sameIdentityAs}. Keep one of the two rows. The service says: ${message}`;

/** Returns the row's verdict, changed by the result line of the service. */
function settled(row: Verdict, { status, code, message }: LineResult, written: Written): Verdict {
  if (status === 'CREATED' || status === 'UPDATED') {
    written[status === 'CREATED' ? 'created' : 'updated'] += 1;
    return status === 'CREATED' ? row : { ...row, existed: true };
  }
  const result = status === 'SKIPPED' ? 'skip' : CONFLICTS.has(code ?? '') ? 'conflict' : 'error';
  return { ...row, result, reason: code ?? status, message: withFirst(row, result, message) };
}
