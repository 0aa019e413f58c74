import type { TableHead } from '../containers/table.ts';
import { ColumnValues } from './column-values.ts';

/** Counts over the whole export, for the summary at the end. */
export interface Tally {
  dropped: Map<string, number>;
  /** Lines that a service refuses unless it is configured for longer ones, by their largest member. */
  longLines: Map<string, number>;
  /** Third-party identities that were dropped, by the provider's name in the file. */
  unmappedProviders: Map<string, number>;
  /** Names in the file of providers whose accounts become logins, by `thirdPartyId`. */
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
  /** Values of columns that say who may sign in, if their meaning is unknown. */
  unknownStates: ColumnValues;
  /** Values of columns without a known use. */
  columnValues: ColumnValues;
  /** Values that cannot be read as flags, in columns of flags. */
  unreadableFlags: ColumnValues;
  /** Values that cannot be read as times, in columns of times. */
  unreadableTimes: ColumnValues;
  absent: Absences;
  /** Number by algorithm of the hashes that are complete, so that the template of `--hash` was not applied. */
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
  /** Values that users have in the columns of the rules with words. */
  values: ColumnValues;
  /** State columns of the system that a table lacks. A column with several possible names is `one|other`. */
  states: Map<TableHead, Set<string>>;
}

/** People with a row that says that they must not sign in, and another that says that they may. */
export interface Contradictions {
  people: number;
  /** Numbers of two rows of one such person: the row that forbids the sign-in, and the row that permits it. */
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
