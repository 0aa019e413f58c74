import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { LineResult } from '../service/stream-lines.ts';

/** Codes of lines that fail as there is such a user already. */
const CONFLICTS = new Set([
  'EMAIL_ALREADY_EXISTS',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
]);
/** The queue is cut when so much of it is done, so that each row is moved once. */
const MAX_DONE = 4096;

/** An answer that does not belong to what was sent. */
export class LedgerMismatch extends Error {}

/** How often the service did what. */
export interface Written {
  created: number;
  updated: number;
}

/**
 * Rows on their way: each is numbered as it is sent, and handed on in that order once it is final. One that is not sent is final from
 * the start, and waits for those before it only.
 */
export class RowLedger {
  readonly #onFinal: (row: Verdict) => void;
  #queue: Verdict[] = [];
  #done = 0;
  /** The number of the last row, from 1: that of its line. */
  #last = 0;
  #awaited = 0;
  #answers = 0;
  readonly written: Written = { created: 0, updated: 0 };

  constructor(onFinal: (row: Verdict) => void) {
    this.#onFinal = onFinal;
  }

  /** Rows that are not handed on yet. */
  get size(): number {
    return this.#queue.length - this.#done;
  }

  /** All that were added. */
  get rows(): number {
    return this.#last;
  }

  get answers(): number {
    return this.#answers;
  }

  /** Rows that the service has not answered. */
  get awaited(): number {
    return this.#awaited;
  }

  add(row: Verdict): void {
    this.#last += 1;
    if (row.result === 'import') this.#awaited += 1;
    else if (this.size === 0) {
      this.#onFinal(row);
      return;
    }
    this.#queue.push(row);
  }

  /** Takes the answer to a line. @throws {LedgerMismatch} where it cannot be one */
  settle({ line, status, code, message }: LineResult): void {
    const first = this.#last - this.size + 1;
    const index = this.#done + line - first;
    const row = this.#queue[index];
    if (row === undefined || line < first) throw new LedgerMismatch();
    // Answers come in order, and a line without one was not sent as a user.
    for (; this.#done < index; this.#done += 1) this.#handOn(this.#queue[this.#done], 'unsent');
    this.#handOn(settled(row, { line, status, code, message } as LineResult, this.written), 'sent');
    this.#done += 1;
    this.#answers += 1;
    if (row.result === 'import') this.#awaited -= 1;
    this.#handOnUnsent();
    this.#cut();
  }

  #handOn(row: Verdict | undefined, kind: 'sent' | 'unsent'): void {
    if (row === undefined || (kind === 'unsent' && row.result === 'import')) throw new LedgerMismatch();
    this.#onFinal(row);
  }

  #handOnUnsent(): void {
    for (;;) {
      const row = this.#queue[this.#done];
      if (row === undefined || row.result === 'import') return;
      this.#onFinal(row);
      this.#done += 1;
    }
  }

  #cut(): void {
    if (this.#done < MAX_DONE && this.#done < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#done);
    this.#done = 0;
  }
}

/** The row, and what the service made of it. */
function settled(row: Verdict, { status, code, message }: LineResult, written: Written): Verdict {
  if (status === 'CREATED' || status === 'UPDATED') {
    written[status === 'CREATED' ? 'created' : 'updated'] += 1;
    return row;
  }
  const result = status === 'SKIPPED' ? 'skip' : CONFLICTS.has(code ?? '') ? 'conflict' : 'error';
  return { ...row, result, reason: code ?? status, message };
}
