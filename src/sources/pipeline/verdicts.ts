import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import { blobText, type WorkDatabase } from '../../lib/work-database.ts';
import type { SourceRecord } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import type { SourceUser, UserDecisions } from '../source-user.ts';
import type { Survey } from './plan.ts';
import type { UsedBatch } from './read-tables.ts';
import type { Change, Settlement } from './settlement.ts';
import { type EmailProblem, type IdProblem, RESULTS, type Verdict } from './verdict.ts';

/** What stands for the file of a row of `--query`. */
const OF_QUERY = 'the query';
const MAX_ROWS = 200;
const MAX_CHARACTERS = 512 * 1024;

type Optional<Value> = Value | null;

/** A verdict in the database, without its line. A list, because there is one for each row of the export. */
type Stored = readonly [
  place: number,
  row: number,
  result: number,
  externalUserId: Optional<string>,
  email: Optional<string>,
  reason?: Optional<string>,
  message?: Optional<string>,
  signerKey?: Optional<string>,
  user?: Optional<SourceUser>,
  original?: Optional<SourceRecord>,
];

/** Table of a file, in which a row stands. */
export type Place = Pick<Verdict, 'file' | 'table'> & { isOfSeveralTables: boolean };

/** A verdict on a row alone, before it is compared with other rows. */
export type OwnVerdict = Pick<
  Verdict,
  'row' | 'result' | 'reason' | 'message' | 'externalUserId' | 'email' | 'line' | 'signerKey'
> & { user?: SourceUser | undefined; original?: SourceRecord | undefined };

/** Stores the verdicts on all rows, and yields them in order, as often as they are needed. */
export class Verdicts {
  readonly #database: WorkDatabase;
  readonly #settlement: Settlement;
  readonly #choice: UserDecisions['sharedAddress'];
  readonly #keepsOriginals: boolean;
  readonly #places: { place: Place; table: UsedBatch['table']; name: string }[] = [];
  #rows: Stored[] = [];
  /** Import lines, one for each row with the result `import`. */
  #lines = '';
  #characters = 0;
  #stored = 0;

  constructor(
    database: WorkDatabase,
    settlement: Settlement,
    options: Pick<UserDecisions, 'sharedAddress'> & { keepsOriginals: boolean },
  ) {
    this.#database = database;
    this.#settlement = settlement;
    this.#choice = options.sharedAddress;
    this.#keepsOriginals = options.keepsOriginals;
    database.exec('create table verdicts (first integer primary key, rows blob, lines blob)');
  }

  /** Returns the number of the place. */
  placeOf({ survey, table }: Pick<UsedBatch, 'survey' | 'table'>, surveys: readonly Survey[]): number {
    const known = this.#places.findIndex((one) => one.table === table);
    if (known !== -1) return known;
    const isOfSeveralTables = survey.tables.length > 1;
    const inFile = surveys.length > 1 ? ` in ${survey.name}` : '';
    const file = survey.isQuery ? OF_QUERY : survey.name;
    const name = isOfSeveralTables ? `${shownName(table.name)}${inFile}` : file;
    const place = { file, table: table.name, isOfSeveralTables };
    return this.#places.push({ place, table, name }) - 1;
  }

  add(place: number, verdict: OwnVerdict): void {
    const { row, result, externalUserId, email, reason, message, signerKey, user, original, line } = verdict;
    const head = [place, row, RESULTS.indexOf(result), externalUserId ?? null, email ?? null] as const;
    // The user of a row that is left out may have to be disabled.
    const isPlain = result === 'import' && signerKey === undefined && !this.#keepsOriginals;
    if (isPlain) this.#rows.push(head);
    else {
      const texts = [reason ?? null, message ?? null, signerKey ?? null] as const;
      const kept = this.#keepsOriginals ? (original ?? null) : null;
      this.#rows.push([...head, ...texts, user ?? null, kept]);
    }
    if (line !== undefined) this.#lines += `${line}\n`;
    this.#characters += (line?.length ?? 0) + (isPlain ? 0 : 1024);
    if (this.#rows.length >= MAX_ROWS || this.#characters >= MAX_CHARACTERS) this.finish();
  }

  /** Call when all verdicts are added. */
  finish(): void {
    if (this.#rows.length === 0) return;
    this.#database.run(
      'insert into verdicts values (?, ?, ?)',
      ...[this.#stored + 1, Buffer.from(toJson(this.#rows)), Buffer.from(this.#lines)],
    );
    this.#stored += this.#rows.length;
    this.#rows = [];
    this.#lines = '';
    this.#characters = 0;
  }

  /** @throws the reason of the signal, if it is aborted */
  async *each(signal?: AbortSignal): AsyncGenerator<readonly Verdict[]> {
    for (const { first, rows, lines } of this.#database.each('select * from verdicts order by first')) {
      signal?.throwIfAborted();
      const stored = parseExact(blobText(rows)) as Stored[];
      const texts = blobText(lines).split('\n');
      const changes = this.#settlement.changesBetween(Number(first), Number(first) + stored.length - 1);
      let line = 0;
      yield stored.map((one, index) => {
        const verdict = this.#read(one);
        if (verdict.result === 'import') {
          verdict.line = texts[line];
          line += 1;
        }
        const change = changes.get(Number(first) + index);
        if (change !== undefined) this.#change(verdict, change);
        return verdict;
      });
      // Reading from the database is synchronous, and signals and sockets need their turn.
      await nextTurn();
    }
  }

  #read(stored: Stored): Verdict {
    const [at, row, result, externalUserId, email, reason, message, signerKey, user, original] = stored;
    const { place } = this.#places[at] ?? {};
    if (place === undefined) throw new RangeError('there is no such place');
    // An object literal, because it is created for every row of the export and is faster than copying.
    return {
      file: place.file,
      row,
      table: place.table,
      isOfSeveralTables: place.isOfSeveralTables,
      sameIdentityAs: undefined,
      result: RESULTS[result] ?? 'error',
      reason: reason ?? undefined,
      message: message ?? undefined,
      externalUserId: externalUserId ?? undefined,
      email: email ?? undefined,
      line: undefined,
      signerKey: signerKey ?? undefined,
      original: original ?? undefined,
      user: user ?? undefined,
    };
  }

  #change(verdict: Verdict, { why, other }: Change): void {
    const row = this.#rowText(other);
    if (why === undefined) {
      verdict.sameIdentityAs = row;
      return;
    }
    verdict.line = undefined;
    verdict.signerKey = undefined;
    Object.assign(verdict, refusal(why, row, this.#choice));
  }

  /** `row 4 of users.csv`, or `row 4 of public.users` if the file has several tables. */
  #rowText({ place, row }: { place: number; row: number }): string {
    return `row ${row} of ${this.#places[place]?.name}`;
  }
}

export interface Refusal {
  result: 'conflict' | 'error';
  reason: IdProblem | EmailProblem;
  message: string;
}

/** @param row the other row, as text for a message */
export function refusal(
  why: NonNullable<Change['why']>,
  row: string,
  choice: UserDecisions['sharedAddress'],
): Refusal {
  const same = `the same e-mail address as ${row}`;
  const beaten = { result: 'conflict', reason: 'DUPLICATE_EMAIL' } as const;
  switch (why) {
    case 'SAME_ID':
      return { result: 'error', reason: 'EXTERNAL_ID_REPEATED', message: `the same id as ${row}` };
    case 'SAME_PERSON':
      return {
        result: 'error',
        reason: 'ADDRESS_SHARED',
        message: `${same}, which must not sign in, and no id shows that these are two people`,
      };
    case 'BETTER_CLAIM':
      return { ...beaten, message: `${same}, which has a better claim to it` };
    case 'CHOSEN':
      return { ...beaten, message: `${same}, the ${choice} of these users` };
    case 'SHARED':
      return {
        result: 'error',
        reason: 'ADDRESS_SHARED',
        message: `${same}, and nothing shows whose it is (--shared-address newest or oldest decides)`,
      };
  }
}
