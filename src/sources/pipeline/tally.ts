import type { TableHead } from '../containers/table.ts';
import { ColumnValues } from './column-values.ts';

/** People with a row that says that they must not sign in, and another that says that they may. */
export interface Contradictions {
  people: number;
  /** Numbers of two rows of one such person: the row that forbids the sign-in, and the row that permits it. */
  rows: readonly number[];
}

/** Columns and words that the operator or the system's declaration names, and that no user has. */
export class Absences {
  /** Columns of `--active` and `--keep`. */
  readonly columns = new Set<string>();
  /** Words of the rules of `--active`, by column. */
  readonly words = new Map<string, Set<string>>();
  /** Values that users have in the columns of the rules with words. */
  readonly values = new ColumnValues();
  /** State columns of the system that a table lacks. A column with several possible names is `one|other`. */
  readonly states = new Map<TableHead, Set<string>>();
}

type Fact =
  | 'disabled'
  | 'must change the password'
  /** Whether a user who waits for a first sign-in has a verified address. */
  | 'waiting, unverified'
  | 'waiting, verified';

/** Counts over the whole export, for the summary at the end. */
export class Tally {
  readonly dropped = new Map<string, number>();
  /** Lines that a service refuses unless it is configured for longer ones, by their largest member. */
  readonly longLines = new Map<string, number>();
  /** Third-party identities that were dropped, by the provider's name in the file. */
  readonly unmappedProviders = new Map<string, number>();
  /** Names in the file of providers whose accounts become logins, by `thirdPartyId`. */
  readonly mappedProviders = new Map<string, Set<string>>();
  /** Imported hashes, by algorithm and class: `bcrypt strong`. */
  readonly hashes = new Map<string, number>();
  /** Imported third-party logins, by `thirdPartyId`. */
  readonly providers = new Map<string, number>();
  /** Imported users with a password, by their address. */
  readonly addresses = new Map<'verified' | 'unverified', number>();
  /** Imported users by what an operator should know of them. A user counts once for each fact. */
  readonly facts = new Map<Fact, number>();
  /** Records of each table of users. */
  readonly records = new Map<TableHead, number>();
  /** Imported users who had a second factor, and those whose TOTP devices the export has. */
  readonly secondFactors = new Map<'users' | 'kept', number>();
  /**
   * Users whose password the export does not have. `skipped`: nothing else lets them in. `social`: they are imported with their
   * social logins alone.
   */
  readonly withoutPassword = new Map<'skipped' | 'social', number>();
  /** Values of columns that say who may sign in, if their meaning is unknown. */
  readonly unknownStates = new ColumnValues();
  /** Values of columns without a known use. */
  readonly columnValues = new ColumnValues();
  /** Values that cannot be read as flags, in columns of flags. */
  readonly unreadableFlags = new ColumnValues();
  /** Values that cannot be read as times, in columns of times. */
  readonly unreadableTimes = new ColumnValues();
  readonly absent = new Absences();
  /** Number by algorithm of the hashes that are complete, so that the template of `--hash` was not applied. */
  readonly completeHashes = new Map<string, number>();
  contradictions: Contradictions = { people: 0, rows: [] };
  /** Users of each realm, including realms that are not chosen. */
  readonly realms = new Map<string, number>();
}

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
