import type { SourceRecord, TableHead } from '../containers/table.ts';
import { demandOf, isDemanded } from '../fields/second-factors.ts';
import type { Dropped, Form } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { countIn } from './judge.ts';

/**
 * Counts users who have a second factor, or must choose a new password: each once, whether the source says it, a column of any name
 * that is known, or a table of second factors.
 */
export class DemandCounts {
  readonly #counts: Map<string, number>;
  readonly #hasFactor: (key: string) => boolean;
  #mfa = false;
  #change = false;

  /** Columns that may demand something; undefined: records have members of any name. */
  readonly #columns: readonly string[] | undefined;
  readonly #ownFactors: ReadonlySet<string>;

  constructor(
    table: TableHead,
    { ownFactors }: Pick<Form, 'ownFactors'>,
    counts: Map<string, number>,
    hasFactor: (key: string) => boolean,
  ) {
    const isFixed = table.container !== 'json' && table.container !== 'ldif';
    this.#ownFactors = new Set(ownFactors);
    this.#columns = isFixed ? [...table.columns].filter(demandOf) : undefined;
    this.#counts = counts;
    this.#hasFactor = hasFactor;
  }

  /** Notes what the source says of the record that is read. Returns whether it is one of these. */
  note(what: Dropped): boolean {
    if (what === 'mfa') this.#mfa = true;
    else if (what === 'forced password changes') this.#change = true;
    else return false;
    return true;
  }

  /** Ends a record. @param user undefined: the record is none of its own, and counts for nobody */
  count(record: SourceRecord, user: SourceUser | undefined): void {
    if (user !== undefined) {
      for (const name of this.#columns ?? Object.keys(record)) {
        const demand = demandOf(name);
        if (demand === undefined || this.#ownFactors.has(name)) continue;
        if (isDemanded(record[name])) this.note(demand);
      }
      const id = user.externalUserId;
      if (!this.#mfa && id !== undefined && this.#hasFactor(id)) this.#mfa = true;
      if (this.#mfa) countIn(this.#counts, 'mfa');
      if (this.#change) countIn(this.#counts, 'forced password changes');
    }
    this.#mfa = false;
    this.#change = false;
  }
}
