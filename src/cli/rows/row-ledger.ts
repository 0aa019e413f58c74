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

export interface Written {
  created: number;
  updated: number;
  /** Users of earlier imports who were disabled, because the old system has disabled them since. */
  disabled: number;
}

interface Entry {
  /** Undefined if the service defers the row to the end of the import. It is passed on then. */
  row: Verdict | undefined;
  isFinal: boolean;
}

/**
 * Tracks the rows of an import until they are written to the output files. Final rows are passed on in the
 * order in which they were added. A row that the service defers to the end of the import is passed on when its
 * result comes.
 */
export class RowLedger {
  readonly #onFinal: (row: Verdict) => void;
  readonly #written: Written;
  /** Rows from the first unanswered one on, by number. */
  readonly #waiting = new Map<number, Entry>();
  /** Number of the next row to pass on, which was sent and is not answered. */
  #first = 1;
  /** Number of the last row that was added; the first row is 1. */
  #last = 0;
  #awaited = 0;
  #answers = 0;
  readonly #deferred = new Map<number, Verdict>();

  /** @param written counts to add to */
  constructor(written: Written, onFinal: (row: Verdict) => void) {
    this.#written = written;
    this.#onFinal = onFinal;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Number of rows that were added so far, whether or not they were sent or answered. */
  get rows(): number {
    return this.#last;
  }

  /** Number of rows that were sent and are not answered. */
  get awaited(): number {
    return this.#awaited;
  }

  get answers(): number {
    return this.#answers;
  }

  /** @param isSent whether an answer is expected. A row that is not sent is final at once. */
  add(row: Verdict, isSent: boolean): void {
    this.#last += 1;
    this.#waiting.set(this.#last, { row, isFinal: !isSent });
    if (isSent) this.#awaited += 1;
    this.#passOn();
  }

  /** Returns false if the answer to another row is expected next. */
  settle(number: number, result: LineResult): boolean {
    const deferred = this.#deferred.get(number);
    if (deferred !== undefined) {
      this.#deferred.delete(number);
      this.#onFinal(settled(deferred, result, this.#written));
      return true;
    }
    const entry = this.#waiting.get(number);
    if (number !== this.#first || entry?.row === undefined) return false;
    this.#awaited -= 1;
    this.#answers += 1;
    if (result.status === 'DEFERRED') {
      this.#deferred.set(number, entry.row);
      entry.row = undefined;
    } else entry.row = settled(entry.row, result, this.#written);
    entry.isFinal = true;
    this.#passOn();
    return true;
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
