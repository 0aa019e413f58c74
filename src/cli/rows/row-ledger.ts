import { EventEmitter, once } from 'node:events';
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

/**
 * Codes of answers to a line that disables a user, if nothing had to be done: the user is disabled already, or unknown.
 */
const DISABLED_ANYWAY = new Set(['UNCHANGED', 'USER_UNKNOWN']);

/**
 * Tracks the rows of an import until they are written to the output files. Final rows are passed on in the
 * order in which they were added. A row that the service defers to the end of the import is passed on when its
 * result comes.
 */
export class RowLedger {
  readonly #onFinal: (row: Verdict) => void;
  /** Rows from the first unanswered one on, by number. If the service has deferred one, its `row` is undefined. */
  readonly #waiting = new Map<number, { row: Verdict | undefined; isFinal: boolean }>();
  readonly #deferred = new Map<number, Verdict>();
  readonly #changes = new EventEmitter();
  /** Number of the next row to pass on, which was sent and is not answered. The first row is 1. */
  #first = 1;
  /** Number of lines that the service refused. */
  refused = 0;
  readonly written = {
    created: 0,
    updated: 0,
    /** Users of earlier imports who were disabled, because the old system has disabled them since. */
    disabled: 0,
  };
  /** Number of rows that were added so far, whether or not they were sent or answered. */
  rows = 0;
  /** Number of rows that were sent and are not answered. */
  awaited = 0;
  answers = 0;

  constructor(onFinal: (row: Verdict) => void) {
    this.#onFinal = onFinal;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** @param isSent whether an answer is expected. A row that is not sent is final at once. */
  add(row: Verdict, isSent: boolean): void {
    this.rows += 1;
    this.#waiting.set(this.rows, { row, isFinal: !isSent });
    if (isSent) this.awaited += 1;
    this.#passOn();
  }

  /** Takes the answer to a row. Returns false if the answer to another row is expected next. */
  settle(number: number, result: LineResult): boolean {
    const deferred = this.#deferred.get(number);
    const entry = this.#waiting.get(number);
    if (deferred !== undefined) {
      this.#deferred.delete(number);
      this.#onFinal(this.#settled(deferred, result));
      return true;
    }
    if (number !== this.#first || entry?.row === undefined) return false;
    this.awaited -= 1;
    this.answers += 1;
    const isDeferred = result.status === 'DEFERRED';
    if (isDeferred) this.#deferred.set(number, entry.row);
    entry.row = isDeferred ? undefined : this.#settled(entry.row, result);
    entry.isFinal = true;
    this.#passOn();
    this.wake();
    return true;
  }

  /** Resolves when the condition holds. It is checked after each answer, and at each `wake`. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#changes, 'change');
  }

  readonly wake = (): void => {
    this.#changes.emit('change');
  };

  #passOn(): void {
    for (let entry = this.#waiting.get(this.#first); entry?.isFinal; entry = this.#waiting.get(this.#first)) {
      this.#waiting.delete(this.#first);
      this.#first += 1;
      if (entry.row !== undefined) this.#onFinal(entry.row);
    }
  }

  #settled(row: Verdict, { status, code = status, message }: LineResult): Verdict {
    const { written } = this;
    if (row.result === 'skip') {
      if (status === 'UPDATED') written.disabled += 1;
      if (status === 'UPDATED' || DISABLED_ANYWAY.has(code)) return row;
    } else if (status === 'CREATED') {
      written.created += 1;
      return row;
    } else if (status === 'UPDATED') {
      written.updated += 1;
      return { ...row, existed: true };
    }
    if (status !== 'SKIPPED') this.refused += 1;
    const result = status === 'SKIPPED' ? 'skip' : CONFLICTS.has(code) ? 'conflict' : 'error';
    return { ...row, result, reason: code, message: messageOf(row, { result, code, message }) };
  }
}

function messageOf(
  { line, sameIdentityAs }: Verdict,
  { result, code, message }: Pick<Verdict, 'result' | 'message'> & { code: string },
): string | undefined {
  const isLong = code === 'LINE_TOO_LONG' && line !== undefined;
  const said = isLong ? `${message}, most of it in ${largestMember(line)}` : message;
  if (sameIdentityAs === undefined || result === 'skip') return said;
  // The service only knows that the user exists, not which row created it.
  return `Same identity as ${sameIdentityAs}. Keep one of the two rows. The service says: ${said}`;
}
