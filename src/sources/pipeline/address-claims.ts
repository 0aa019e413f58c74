import { DiskMap } from '../../lib/disk-map/disk-map.ts';
import { normalizeEmail } from '../../users/email.ts';
import { isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { EMAIL_DOMAIN } from '../fields/login-address.ts';
import { ALL_REALMS } from '../fields/realms.ts';
import { USERNAME_IS_EMAIL } from '../fields/username-as-email.ts';
import type { AddressClaim, Form, ReadContext, Settings } from '../source.ts';
import type { Plan, Survey, TableUse } from './plan.ts';
import { readTables, type UserTable } from './read-tables.ts';
import { isWantedRealm, realmReader } from './realms.ts';
import { userReader } from './user-reader.ts';

/** Strengths of a claim to an e-mail address, ascending: made from a user name, unconfirmed, confirmed. */
const NAME = 0;
const STATED = 1;
const CONFIRMED = 2;

interface Weak {
  strength: number;
  /** User name from which the e-mail address was made, or empty. */
  name: string;
  /** Name of the user's row in messages, such as `row 4 of users.csv`. */
  row: string;
}

interface Better {
  strength: number;
  /** Names the row with the stronger right, after the words "the same e-mail address as". */
  text: string;
}

type ReadClaim = (record: SourceRecord) => AddressClaim | undefined;

interface ClaimDeps {
  tempDirectory: string;
  verifiedByDefault: boolean;
  signal?: AbortSignal | undefined;
  contextOf(table: TableHead): ReadContext;
  rowText(survey: Survey, table: TableHead, row: number): string;
}

/**
 * Finds users whose e-mail address belongs to a later row of the export. Normally the first row with an
 * address is imported. But in a system that does not verify addresses, anyone could have registered somebody
 * else's address first. Therefore a confirmed address has precedence over an unconfirmed one, and an
 * unconfirmed address over a user name that only looks like one. If different user names become the same
 * address, none of them gets it. The search needs one more pass over the files. It is made only for systems
 * whose users can share an address, and for files with an unconfirmed address.
 */
export class AddressClaims {
  readonly #plan: Plan;
  readonly #deps: ClaimDeps;
  readonly #readers: ReadonlyMap<TableUse, ReadClaim>;
  /** Rows with an unconfirmed address, by address. A later row may have the same address confirmed. */
  readonly #weak: DiskMap;
  /** Rows whose right to an address is stronger than that of an earlier row, by address. */
  readonly #better: DiskMap;
  #isFound: boolean;
  #hasWeak = false;
  #hasBetter = false;

  constructor(plan: Plan, deps: ClaimDeps) {
    this.#plan = plan;
    this.#deps = deps;
    this.#readers = readersOf(plan, deps);
    this.#isFound = this.#readers.size === 0;
    this.#weak = new DiskMap({ directory: deps.tempDirectory });
    this.#better = new DiskMap({ directory: deps.tempDirectory });
  }

  /**
   * Whether a later row may have a stronger right to this user's address. The caller must then await `find`,
   * which reads all rows, before it compares the address with those of earlier users.
   */
  mustFindFor(user: AddressClaim): boolean {
    return !this.#isFound && user.password !== undefined && this.#strengthOf(user) !== CONFIRMED;
  }

  /** Reads all rows. Calls after the first do nothing. */
  async find(): Promise<void> {
    if (this.#isFound) return;
    this.#isFound = true;
    const { rowText, signal } = this.#deps;
    const rows = new Map<TableHead, number>();
    const isWanted = (use: TableUse) => this.#readers.has(use);
    for await (const { survey, use, table, batch } of readTables<UserTable>(this.#plan, isWanted, signal)) {
      const read = this.#readers.get(use);
      let row = rows.get(table) ?? 1;
      for (const record of batch.records) {
        const claim = isBadRecord(record) ? NOTHING : read?.(record);
        // A record that is only a part of another user's row does not count as a row.
        if (claim === undefined) continue;
        this.#note(claim, () => rowText(survey, table, row));
        row += 1;
      }
      rows.set(table, row);
    }
  }

  betterThan(claim: AddressClaim, email: string): string | undefined {
    if (!this.#hasBetter) return undefined;
    const own = this.#strengthOf(claim);
    for (const found of this.#better.find(email)) {
      const { strength, text } = JSON.parse(found) as Better;
      if (strength > own || (strength === NAME && own === NAME)) return text;
    }
    return undefined;
  }

  close(): void {
    this.#weak.close();
    this.#better.close();
  }

  #note(claim: AddressClaim, rowText: () => string): void {
    if (claim.password === undefined || claim.email === undefined) return;
    const strength = this.#strengthOf(claim);
    // A row with a confirmed address, as most have, need not be kept before the first unconfirmed one.
    if (strength === CONFIRMED && !this.#hasWeak) return;
    const email = normalizeEmail(claim.email);
    if (email === undefined) return;
    const name = claim.emailFromName ?? '';
    const weaker = this.#weak.find(email).map((found) => JSON.parse(found) as Weak);
    const beaten = weaker.find((other) => strength > other.strength);
    const namesake = weaker.find((other) => strength === NAME && other.name !== name);
    const row = rowText();
    if (beaten !== undefined)
      this.#addBetter(email, { strength, text: `${row}, which has a better claim to it` });
    else if (namesake !== undefined)
      this.#addBetter(email, { strength, text: `${namesake.row} and ${row} get from different names` });
    if (strength === CONFIRMED || weaker.some((other) => other.strength === strength && other.name === name))
      return;
    this.#hasWeak = true;
    this.#weak.add(email, JSON.stringify({ strength, name, row } satisfies Weak));
  }

  #addBetter(email: string, better: Better): void {
    this.#hasBetter = true;
    this.#better.add(email, JSON.stringify(better));
  }

  #strengthOf({ emailFromName, isVerified }: AddressClaim): number {
    if (emailFromName !== undefined) return NAME;
    return (isVerified ?? this.#deps.verifiedByDefault) ? CONFIRMED : STATED;
  }
}

const NOTHING: AddressClaim = {};

/** Options of any system that turn user names into e-mail addresses. */
const NAME_SETTINGS = [...Object.keys(EMAIL_DOMAIN), ...Object.keys(USERNAME_IS_EMAIL)];

function readersOf({ surveys, uses, settings }: Plan, { contextOf }: ClaimDeps): Map<TableUse, ReadClaim> {
  const readers = new Map<TableUse, ReadClaim>();
  for (const [index, { tables }] of surveys.entries())
    for (const table of tables) {
      const use = uses[index]?.get(table.name);
      if (use?.as !== 'users') continue;
      const read = readerOf(use.form, contextOf(table), settings);
      if (read !== undefined) readers.set(use, read);
    }
  return readers;
}

function readerOf(form: Form, context: ReadContext, settings: Settings): ReadClaim | undefined {
  const read = form.claimReader?.(context);
  if (read !== undefined) {
    const realmOf = realmReader(form, context);
    return (record) => (isWantedRealm(realmOf?.(record), settings) ? read(record) : undefined);
  }
  const canShare =
    NAME_SETTINGS.some((name) => settings[name] !== undefined) ||
    (form.realms !== undefined && settings.realm === ALL_REALMS);
  return canShare ? userReader(form, context) : undefined;
}
