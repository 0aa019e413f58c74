import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseExact, toJson } from '../../lib/json/exact-json.ts';
import { blobText, type WorkDatabase } from '../../lib/work-database.ts';
import { shownName } from '../fields/shown-name.ts';
import type { UserDecisions } from '../source-user.ts';
import type { Survey } from './plan.ts';
import type { UsedBatch } from './read-tables.ts';
import type { Change, Settlement } from './settlement.ts';
import type { UserProblem, Verdict } from './verdict.ts';

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
export function verdictStore(
  database: WorkDatabase,
  settlement: Settlement,
  { surveys, keepsOriginals, sharedAddress }: VerdictOptions,
) {
  const places: (Place & { name: string })[] = [];
  const numbers = new Map<UsedBatch['table'], number>();
  let rows: OwnVerdict[] = [];
  /** Import lines, one for each row with the result `import`. */
  let lines = '';
  let characters = 0;
  let stored = 0;
  database.exec('create table verdicts (first integer primary key, rows blob, lines blob)');

  /** Returns the number of a table of a file, which is the place of its rows. */
  function placeOf({ survey, table }: Pick<UsedBatch, 'survey' | 'table'>): number {
    const known = numbers.get(table);
    if (known !== undefined) return known;
    const isOfSeveralTables = survey.tables.length > 1;
    const inFile = surveys.length > 1 ? ` in ${survey.name}` : '';
    const file = survey.isQuery ? OF_QUERY : survey.name;
    const name = isOfSeveralTables ? `${shownName(table.name)}${inFile}` : file;
    const place = places.push({ file, table: table.name, isOfSeveralTables, name }) - 1;
    numbers.set(table, place);
    return place;
  }

  function placeAt(number: number) {
    const place = places[number];
    if (place === undefined) throw new RangeError('there is no such place');
    return place;
  }

  /**
   * Adds the verdict on the next row.
   * @param verdict members that need not be stored are removed
   */
  function add(verdict: OwnVerdict, line: string | undefined): void {
    const isPlain = verdict.result === 'import' && !keepsOriginals;
    // Other rows keep their user: a row that is left out may disable the user in the service.
    if (isPlain) verdict.user = undefined;
    if (!keepsOriginals) verdict.original = undefined;
    rows.push(verdict);
    if (line !== undefined) lines += `${line}\n`;
    characters += (line?.length ?? 0) + (isPlain ? 0 : 1024);
    if (rows.length >= MAX_ROWS || characters >= MAX_CHARACTERS) finish();
  }

  /** Stores the verdicts that are still in memory. Must be called after the last `add`. */
  function finish(): void {
    if (rows.length === 0) return;
    database.run(
      'insert into verdicts values (?, ?, ?)',
      ...[stored + 1, Buffer.from(toJson(rows)), Buffer.from(lines)],
    );
    stored += rows.length;
    rows = [];
    lines = '';
    characters = 0;
  }

  function change(verdict: Verdict, { why, other }: Change): void {
    // `row 4 of users.csv`, or `row 4 of public.users` if the file has several tables.
    const row = `row ${other.row} of ${placeAt(other.place).name}`;
    if (why === undefined) {
      verdict.sameIdentityAs = row;
      return;
    }
    verdict.line = undefined;
    verdict.signerKey = undefined;
    Object.assign(verdict, refusal(why, row, sharedAddress));
  }

  /**
   * Yields the verdicts in batches, in the order of the export.
   * @throws the reason of the signal, if it is aborted
   */
  async function* each(signal?: AbortSignal): AsyncGenerator<readonly Verdict[]> {
    for (const { first, rows, lines } of database.each('select * from verdicts order by first')) {
      signal?.throwIfAborted();
      // The parsed objects are completed in place, because copies would cost the garbage collector more than all else.
      const verdicts = parseExact(blobText(rows)) as (OwnVerdict & Verdict)[];
      const texts = blobText(lines).split('\n').values();
      const changes = settlement.changesBetween(Number(first), Number(first) + verdicts.length - 1);
      for (const [index, verdict] of verdicts.entries()) {
        const { file, table, isOfSeveralTables } = placeAt(verdict.place);
        verdict.file = file;
        verdict.table = table;
        verdict.isOfSeveralTables = isOfSeveralTables;
        verdict.line = verdict.result === 'import' ? texts.next().value : undefined;
        const changed = changes.get(Number(first) + index);
        if (changed !== undefined) change(verdict, changed);
      }
      yield verdicts;
      // Reading from the database is synchronous, so give signals and sockets their turn.
      await nextTurn();
    }
  }

  return { placeOf, add, finish, each };
}

export interface Refusal {
  result: 'conflict' | 'error';
  reason: UserProblem;
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
  if (why === 'SAME_ID')
    return { result: 'error', reason: 'EXTERNAL_ID_REPEATED', message: `the same id as ${row}` };
  const isBeaten = why === 'BETTER_CLAIM' || why === 'CHOSEN';
  const more = {
    SAME_PERSON: 'which must not sign in, and no id shows that these are two people',
    BETTER_CLAIM: 'which has a better claim to it',
    CHOSEN: `the ${choice} of these users`,
    SHARED: 'and nothing shows whose it is (--shared-address newest or oldest decides)',
  }[why];
  return {
    result: isBeaten ? 'conflict' : 'error',
    reason: isBeaten ? 'DUPLICATE_EMAIL' : 'ADDRESS_SHARED',
    message: `the same e-mail address as ${row}, ${more}`,
  };
}
