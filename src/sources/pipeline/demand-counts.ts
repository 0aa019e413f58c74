import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { isDemanded, mayShowFactor } from '../fields/second-factors.ts';
import { textOf } from '../fields/values.ts';
import type { Dropped, KnownColumns } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { countIn } from './tally.ts';

/** Kinds of dropped data that are lists of texts, and their members of `SourceFactors`. */
const TEXTS = { roles: 'roles', 'phone numbers': 'phoneNumbers' } as const;

/**
 * Counts users who have a second factor or must change their password. Each user is counted once, whether the
 * column, the source or a table of second factors shows it. Collects the second factors, roles and phone
 * numbers that `--mfa keep` keeps.
 */
export class DemandCounts {
  readonly #counts: Map<string, number>;
  readonly #factorsOf: (key: string) => readonly JsonObject[];
  readonly #isKeeping: boolean;
  #mfa = false;
  #change = false;
  #devices: JsonObject[] = [];
  #texts: Record<(typeof TEXTS)[keyof typeof TEXTS], string[]> = { roles: [], phoneNumbers: [] };

  readonly #mayShowFactor: (column: string) => boolean;
  /** Columns that may show a factor. Undefined for JSON and LDIF, whose records may have any members. */
  readonly #columns: readonly string[] | undefined;

  /**
   * @param known columns of which a declaration says what they mean
   * @param options `factorsOf` returns the TOTP devices of a user from tables of second factors
   */
  constructor(
    { container, columns }: TableHead,
    known: KnownColumns,
    options: {
      counts: Map<string, number>;
      factorsOf: (key: string) => readonly JsonObject[];
      isKeeping: boolean;
    },
  ) {
    const { counts, factorsOf, isKeeping } = options;
    this.#mayShowFactor = (name) => known !== 'all' && mayShowFactor(name) && !known.has(name);
    if (container !== 'json' && container !== 'ldif')
      this.#columns = [...columns].filter(this.#mayShowFactor);
    this.#counts = counts;
    this.#factorsOf = factorsOf;
    this.#isKeeping = isKeeping;
  }

  /** Notes a fact about the current record. Returns false if the caller must count it as dropped. */
  note(what: Dropped, values: readonly unknown[] = []): boolean {
    if (what === 'mfa') {
      this.#mfa = true;
      this.#devices.push(...(values as readonly JsonObject[]));
      return true;
    }
    if (what === 'forced password changes') {
      this.#change = true;
      return true;
    }
    if (!this.#isKeeping || (what !== 'roles' && what !== 'phone numbers')) return false;
    const texts = values.flatMap((value) => textOf(value) ?? []);
    this.#texts[TEXTS[what]].push(...texts);
    return texts.length > 0;
  }

  /**
   * Counts the noted facts, after the record was read.
   * @param user undefined if the record is not a user by itself; it is then not counted
   */
  count(record: SourceRecord, user: SourceUser | undefined): void {
    if (user !== undefined) {
      for (const name of this.#columns ?? Object.keys(record).filter(this.#mayShowFactor))
        if (isDemanded(record[name])) this.note('mfa');
      const id = user.externalUserId;
      if (id !== undefined)
        for (const { totp } of this.#factorsOf(id)) this.note('mfa', Array.isArray(totp) ? totp : []);
      this.#finish(user);
    }
    this.#mfa = false;
    this.#change = false;
    if (this.#devices.length > 0) this.#devices = [];
    if (this.#texts.roles.length + this.#texts.phoneNumbers.length > 0)
      this.#texts = { roles: [], phoneNumbers: [] };
  }

  #finish(user: SourceUser): void {
    if (this.#change) countIn(this.#counts, 'forced password changes');
    if (this.#mfa) user.hasSecondFactor = true;
    const totpDevices = unique(this.#devices);
    const isKept = this.#isKeeping && totpDevices.length > 0;
    if (this.#mfa && !isKept) countIn(this.#counts, 'mfa');
    if (!this.#isKeeping) return;
    const roles = [...new Set(this.#texts.roles)];
    const phoneNumbers = [...new Set(this.#texts.phoneNumbers)];
    if (totpDevices.length + roles.length + phoneNumbers.length > 0)
      user.factors = { totpDevices, roles, phoneNumbers };
  }
}

/** A device may be both in the record of the user and in a table of factors. */
function unique(devices: readonly JsonObject[]): JsonObject[] {
  const bySecret = new Map(devices.map((device) => [textOf(device.secretKey), device]));
  return [...bySecret.values()];
}
