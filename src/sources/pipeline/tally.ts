import type { TableHead } from '../containers/table.ts';
import { ColumnValues } from './column-values.ts';

/** Counts over the whole export, for the summary at the end. */
export interface Tally {
  dropped: Map<string, number>;
  /** Lines that a service refuses unless it is configured for longer ones, by their largest member. */
  longLines: Map<string, number>;
  /** Third-party identities that were dropped, by the provider's name in the file. */
  unmappedProviders: Map<string, number>;
  /** Names in the file of providers whose accounts are logins here, by `thirdPartyId`. */
  mappedProviders: Map<string, Set<string>>;
  /** Imported hashes, by algorithm and class: `bcrypt strong`. */
  hashes: Map<string, number>;
  /** Imported third-party logins, by `thirdPartyId`. */
  providers: Map<string, number>;
  addresses: Map<'verified' | 'unverified', number>;
  /** Records of each table of users. */
  records: Map<TableHead, number>;
  /** Imported users who had a second factor, and those whose TOTP devices the export has. */
  secondFactors: Map<'users' | 'kept', number>;
  /** Words of users in an unknown state. */
  unknownStates: ColumnValues;
  /** Values of columns that nothing accounts for. */
  columnValues: ColumnValues;
  /** Values of columns that are read as flags or times, and are none. */
  unreadableFlags: ColumnValues;
  unreadableTimes: ColumnValues;
  absent: Absences;
  /** Hashes that a template was not applied to, because they are complete, by algorithm. */
  completeHashes: Map<string, number>;
  contradictions: Contradictions;
  /** Users of each realm, including realms that are not chosen. */
  realms: Map<string, number>;
}

/** Columns and words that the operator or the system's declaration names, and that no user has. */
export interface Absences {
  /** Columns of `--active` and `--keep`. */
  columns: Set<string>;
  /** Words of the rules of `--active`, by column. */
  words: Map<string, Set<string>>;
  /** Values of the columns of these rules. */
  values: ColumnValues;
  /** Columns by which the system says who may sign in, by the table that lacks them. */
  states: Map<TableHead, Set<string>>;
}

/** People who must not sign in by one row, and may by another one. */
export interface Contradictions {
  people: number;
  /** Numbers of a row of somebody who must not sign in, and of another row of this person. */
  rows: readonly number[];
}

export const newTally = (): Tally => ({
  dropped: new Map(),
  longLines: new Map(),
  unmappedProviders: new Map(),
  mappedProviders: new Map(),
  hashes: new Map(),
  providers: new Map(),
  addresses: new Map(),
  records: new Map(),
  secondFactors: new Map(),
  unknownStates: new ColumnValues(),
  columnValues: new ColumnValues(),
  unreadableFlags: new ColumnValues(),
  unreadableTimes: new ColumnValues(),
  absent: { columns: new Set(), words: new Map(), values: new ColumnValues(), states: new Map() },
  completeHashes: new Map(),
  contradictions: { people: 0, rows: [] },
  realms: new Map(),
});

export const countIn = <Name>(counts: Map<Name, number>, name: Name, by = 1): void => {
  counts.set(name, (counts.get(name) ?? 0) + by);
};

/** Maximum number of names to count one by one, because names come from the file. */
const MAX_NAMES = 1000;
export const OTHERS = 'others';

/** Counts a name that comes from the file. Names beyond the first thousand count as others. */
export function countName(counts: Map<string, number>, name: string): void {
  countIn(counts, counts.has(name) || counts.size < MAX_NAMES ? name : OTHERS);
}
