import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { isDemanded, mayShowFactor } from '../fields/second-factors.ts';
import { textOf } from '../fields/values.ts';
import type { Dropped, KnownColumns } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { countIn } from './tally.ts';

/** Facts that are counted once for each user, however many columns and tables show them. */
const OF_USER = new Set<Dropped>(['mfa', 'forced password changes']);
/** Data that `--mfa keep` imports if it is text. It is then not counted as lost. */
const KEPT = new Set<Dropped>(['roles', 'phone numbers']);

interface DemandOptions {
  counts: Map<string, number>;
  /** Returns the TOTP devices of a user from tables of second factors. */
  factorsOf(id: string): readonly JsonObject[];
  /** The operator wants second factors, roles and phone numbers to be kept. */
  isKeeping: boolean;
}

/** Counts data of users that this service cannot store, and collects the data that `--mfa keep` imports. */
export type DemandCounts = ReturnType<typeof demandCounts>;

/** @param known columns that the system's declaration reads or lists as unused */
export function demandCounts(
  { container, columns }: TableHead,
  known: KnownColumns,
  { counts, factorsOf, isKeeping }: DemandOptions,
) {
  const mayShow = (name: string) => known !== 'all' && mayShowFactor(name) && !known.has(name);
  // Records of JSON and LDIF may have any members.
  const fixed = container === 'json' || container === 'ldif' ? undefined : [...columns].filter(mayShow);
  let noted: { what: Dropped; values: readonly unknown[] }[] = [];

  /** Notes data of the current record. */
  const note = (what: Dropped, values: readonly unknown[] = []): void => {
    noted.push({ what, values });
  };

  function countFacts(user: SourceUser): void {
    const has = (name: Dropped) => noted.some(({ what }) => what === name);
    const valuesOf = (name: Dropped) => noted.flatMap(({ what, values }) => (what === name ? values : []));
    const textsOf = (name: Dropped) => [...new Set(valuesOf(name).flatMap((value) => textOf(value) ?? []))];
    if (has('forced password changes')) {
      user.mustChangePassword = true;
      countIn(counts, 'forced password changes');
    }
    // A device may be both in the record of the user and in a table of factors.
    const devices = valuesOf('mfa') as readonly JsonObject[];
    const totpDevices = [...new Map(devices.map((one) => [textOf(one.secretKey), one])).values()];
    if (has('mfa')) {
      user.hasSecondFactor = true;
      if (!isKeeping || totpDevices.length === 0) countIn(counts, 'mfa');
    }
    if (!isKeeping) return;
    const [roles, phoneNumbers] = [textsOf('roles'), textsOf('phone numbers')];
    if (totpDevices.length + roles.length + phoneNumbers.length > 0)
      user.factors = { totpDevices, roles, phoneNumbers };
  }

  /**
   * Counts what was noted while the record was read.
   * @param user undefined if the record is only a part of another user; facts about users are then not counted
   */
  function count(record: SourceRecord, user: SourceUser | undefined): void {
    if (user !== undefined) {
      for (const name of fixed ?? Object.keys(record).filter(mayShow))
        if (isDemanded(record[name])) note('mfa');
      const id = user.externalUserId;
      if (id !== undefined)
        for (const { totp } of factorsOf(id)) note('mfa', Array.isArray(totp) ? totp : []);
    }
    if (noted.length === 0) return;
    for (const { what, values } of noted)
      if (!OF_USER.has(what) && !(isKeeping && KEPT.has(what) && values.some(isText))) countIn(counts, what);
    if (user !== undefined) countFacts(user);
    noted = [];
  }

  return { note, count };
}

const isText = (value: unknown) => textOf(value) !== undefined;
