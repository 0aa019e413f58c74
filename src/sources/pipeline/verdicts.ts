import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import { blobText, type WorkDatabase } from '../../lib/work-database.ts';
import { shownName } from '../fields/shown-name.ts';
import type { UserDecisions } from '../source-user.ts';
import type { Survey } from './plan.ts';
import type { UsedBatch } from './read-tables.ts';
import type { Change, Settlement } from './settlement.ts';
import type { EmailProblem, IdProblem, Verdict } from './verdict.ts';

/** Name shown in place of a file for rows of `--query`. */
const OF_QUERY = 'the query';
const MAX_ROWS = 200;
const MAX_CHARACTERS = 512 * 1024;

type Place = Pick<Verdict, 'file' | 'table' | 'isOfSeveralTables'>;

/** A verdict on a row alone, before it is compared with other rows. */
interface OwnVerdict extends Omit<Verdict, keyof Place | 'line'> {
  /** Number of the row's place, which is a table of a file. */
  place: number;
}

interface VerdictOptions extends Pick<UserDecisions, 'sharedAddress'> {
  surveys: readonly Survey[];
  keepsOriginals: boolean;
}

/** Stores the verdicts on all rows, and yields them in order, as often as they are needed. */
export class Verdicts {
  readonly #database: WorkDatabase;
  readonly #settlement: Settlement;
  readonly #options: VerdictOptions;
  readonly #places: (Place & { name: string })[] = [];
  readonly #numbers = new Map<UsedBatch['table'], number>();
  #rows: OwnVerdict[] = [];
  /** Import lines, one for each row with the result `import`. */
  #lines = '';
  #characters = 0;
  #stored = 0;

  constructor(database: WorkDatabase, settlement: Settlement, options: VerdictOptions) {
    this.#database = database;
    this.#settlement = settlement;
    this.#options = options;
    database.exec('create table verdicts (first integer primary key, rows blob, lines blob)');
  }

  /** Returns the number of a table of a file, which is the place of its rows. */
  placeOf({ survey, table }: Pick<UsedBatch, 'survey' | 'table'>): number {
    const known = this.#numbers.get(table);
    if (known !== undefined) return known;
    const isOfSeveralTables = survey.tables.length > 1;
    const inFile = this.#options.surveys.length > 1 ? ` in ${survey.name}` : '';
    const file = survey.isQuery ? OF_QUERY : survey.name;
    const name = isOfSeveralTables ? `${shownName(table.name)}${inFile}` : file;
    const place = this.#places.push({ file, table: table.name, isOfSeveralTables, name }) - 1;
    this.#numbers.set(table, place);
    return place;
  }

  /**
   * Adds the verdict on the next row.
   * @param verdict members that need not be stored are removed
   */
  add(verdict: OwnVerdict, line: string | undefined): void {
    const { keepsOriginals } = this.#options;
    const isPlain = verdict.result === 'import' && !keepsOriginals;
    // Other rows keep their user: a row that is left out may disable the user in the service.
    if (isPlain) verdict.user = undefined;
    if (!keepsOriginals) verdict.original = undefined;
    this.#rows.push(verdict);
    if (line !== undefined) this.#lines += `${line}\n`;
    this.#characters += (line?.length ?? 0) + (isPlain ? 0 : 1024);
    if (this.#rows.length >= MAX_ROWS || this.#characters >= MAX_CHARACTERS) this.finish();
  }

  /** Stores the verdicts that are still in memory. Must be called after the last `add`. */
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

  /**
   * Yields the verdicts in batches, in the order of the export.
   * @throws the reason of the signal, if it is aborted
   */
  async *each(signal?: AbortSignal): AsyncGenerator<readonly Verdict[]> {
    for (const { first, rows, lines } of this.#database.each('select * from verdicts order by first')) {
      signal?.throwIfAborted();
      // The parsed objects are completed in place, because copies would cost the garbage collector more than all else.
      const verdicts = parseExact(blobText(rows)) as (OwnVerdict & Verdict)[];
      const texts = blobText(lines).split('\n').values();
      const changes = this.#settlement.changesBetween(Number(first), Number(first) + verdicts.length - 1);
      for (const [index, verdict] of verdicts.entries()) {
        const { file, table, isOfSeveralTables } = this.#placeAt(verdict.place);
        verdict.file = file;
        verdict.table = table;
        verdict.isOfSeveralTables = isOfSeveralTables;
        verdict.line = verdict.result === 'import' ? texts.next().value : undefined;
        const change = changes.get(Number(first) + index);
        if (change !== undefined) this.#change(verdict, change);
      }
      yield verdicts;
      // Reading from the database is synchronous, so give signals and sockets their turn.
      await nextTurn();
    }
  }

  #placeAt(number: number) {
    const place = this.#places[number];
    if (place === undefined) throw new RangeError('there is no such place');
    return place;
  }

  #change(verdict: Verdict, { why, other }: Change): void {
    const row = this.#rowText(other);
    if (why === undefined) {
      verdict.sameIdentityAs = row;
      return;
    }
    verdict.line = undefined;
    verdict.signerKey = undefined;
    Object.assign(verdict, refusal(why, row, this.#options.sharedAddress));
  }

  /** Returns a row for messages: `row 4 of users.csv`, or `row 4 of public.users` if the file has several tables. */
  #rowText({ place, row }: { place: number; row: number }): string {
    return `row ${row} of ${this.#placeAt(place).name}`;
  }
}

export interface Refusal {
  result: 'conflict' | 'error';
  reason: IdProblem | EmailProblem;
  message: string;
}

/**
 * Returns the verdict on a row that another row changes.
 * @param row the other row, as text for a message
 */
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
