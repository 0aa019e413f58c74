import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { LineResult } from '../service/stream-lines.ts';

/** Codes of lines that fail as there is such a user already. */
const CONFLICTS = new Set([
  'EMAIL_ALREADY_EXISTS',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
]);
/** Queues are cut when so much of them is done, so that each entry is moved once. */
const MAX_DONE = 4096;

/** An answer that does not belong to what was sent. */
export class LedgerMismatch extends Error {}

/** How often the service did what. */
export interface Written {
  created: number;
  updated: number;
}

interface Entry {
  row: Verdict;
  isFinal: boolean;
}

/** Rows that were sent on one stream and are not answered, by number. */
interface Awaited {
  rows: number[];
  done: number;
  answers: number;
}

/**
 * Rows on their way, numbered as they are added: each is handed on in that order once it is final, whichever stream it was sent on.
 * One that is not sent is final from the start, and waits for those before it only.
 */
export class RowLedger {
  readonly #onFinal: (row: Verdict) => void;
  readonly #awaited: readonly Awaited[];
  #queue: Entry[] = [];
  #done = 0;
  /** The number of the last row, from 1. */
  #last = 0;
  readonly written: Written = { created: 0, updated: 0 };

  /** @param streams how many there are; each answers its rows in order */
  constructor(streams: number, onFinal: (row: Verdict) => void) {
    this.#awaited = Array.from({ length: streams }, () => ({ rows: [], done: 0, answers: 0 }));
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

  /** Rows that were sent and are not answered. */
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

  /** The stream that all wait for: it has the first row that is not answered. */
  get slowest(): number | undefined {
    const found = this.#awaited.findIndex(({ rows, done }) => rows[done] === this.#first);
    return found === -1 ? undefined : found;
  }

  /** Returns its number. One that is to be imported is final once the answer has come to it. */
  add(row: Verdict): number {
    this.#last += 1;
    const isFinal = row.result !== 'import';
    if (isFinal && this.size === 0) this.#onFinal(row);
    else this.#queue.push({ row, isFinal });
    return this.#last;
  }

  /** The row is sent: its answer is the next one of that stream. */
  expect(number: number, stream: number): void {
    this.#of(stream).rows.push(number);
  }

  /** Is it known what became of the row? */
  isFinal(number: number): boolean {
    const isHandedOn = number < this.#first;
    return isHandedOn || this.#entry(number)?.isFinal === true;
  }

  /** Takes the answer to a row. @throws {LedgerMismatch} where it cannot be one: answers of a stream come in order */
  settle(number: number, stream: number, result: LineResult): void {
    const awaited = this.#of(stream);
    const entry = this.#entry(number);
    if (awaited.rows[awaited.done] !== number || entry === undefined) throw new LedgerMismatch();
    awaited.done += 1;
    awaited.answers += 1;
    entry.row = settled(entry.row, result, this.written);
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
      this.#onFinal(entry.row);
      this.#done += 1;
    }
    if (!mayBeCut(this.#queue, this.#done)) return;
    this.#queue = this.#queue.slice(this.#done);
    this.#done = 0;
  }
}

const mayBeCut = (queue: readonly unknown[], done: number) => done >= MAX_DONE || done === queue.length;

/** The service does not know rows: it says that there is such a user, who may be of an earlier row. */
const withFirst = (
  { sameIdentityAs }: Verdict,
  result: Verdict['result'],
  message: string | undefined,
): string | undefined =>
  sameIdentityAs === undefined || result === 'skip'
    ? message
    : `Same identity as ${sameIdentityAs}. Keep one of the two rows. The service says: ${message}`;

/** The row, and what the service made of it. */
function settled(row: Verdict, { status, code, message }: LineResult, written: Written): Verdict {
  if (status === 'CREATED' || status === 'UPDATED') {
    written[status === 'CREATED' ? 'created' : 'updated'] += 1;
    return row;
  }
  const result = status === 'SKIPPED' ? 'skip' : CONFLICTS.has(code ?? '') ? 'conflict' : 'error';
  return { ...row, result, reason: code ?? status, message: withFirst(row, result, message) };
}
