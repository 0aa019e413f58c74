import type { SourceRecord, TableHead } from '../containers/table.ts';
import { demandOf, isDemanded } from '../fields/second-factors.ts';
import type { Dropped, Form } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { countIn } from './judge.ts';

/**
 * Counts users who have a second factor or must change their password. Each user is counted once, whether this is known
 * from the source, from the name of a column, or from a table of second factors.
 */
export class DemandCounts {
  readonly #counts: Map<string, number>;
  readonly #hasFactor: (key: string) => boolean;
  #mfa = false;
  #change = false;

  /** Columns that may demand something. Undefined if records may have any members. */
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

  /** Notes a demand of the current record. Returns false for anything else. */
  note(what: Dropped): boolean {
    if (what === 'mfa') this.#mfa = true;
    else if (what === 'forced password changes') this.#change = true;
    else return false;
    return true;
  }

  /** Finishes a record. @param user undefined if the record is not a user of its own; its demands are then ignored */
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
