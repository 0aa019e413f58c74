import { ByteBuilder } from '../../lib/buffers.ts';
import { blobText, json, type WorkDatabase } from '../../lib/work-database.ts';
import type { UserDecisions } from '../source-user.ts';
import type { Claims } from './claims.ts';
import type { Contradictions } from './tally.ts';

/** Which other rows may change the verdict on a row. Each value includes the values before it. */
export const CHANGED_BY = {
  /** No other row: the user is left out for a reason other than `DISABLED`, or the row cannot be read. */
  nothing: 0,
  /** Rows with the same external id. For users left out as disabled: by their id, they disable users of the service. */
  ids: 1,
  /** Rows with a better claim to the address. For rows in error: corrected and imported alone, they would take it. */
  betterClaims: 2,
  all: 3,
} as const;

export interface Settled {
  /** Number of the place (a table of a file) of the row. `row` is its number there, counted from 1. */
  place: number;
  row: number;
  changedBy: (typeof CHANGED_BY)[keyof typeof CHANGED_BY];
  claims: Claims;
  /** Keys of the third-party identities of a user to be imported. */
  identities: readonly string[];
  /** Counts of the final summary that the user raises by one if imported, as JSON text. */
  summary?: string | undefined;
}

/** A change of the verdict on a row, and the other row that causes it. */
export interface Change {
  /** Undefined if the row is still imported, but shares a third-party identity with the other row, an earlier one. */
  why: (typeof WHY)[number] | undefined;
  other: { place: number; row: number };
}

const WHY = ['SAME_ID', 'SAME_PERSON', 'BETTER_CLAIM', 'CHOSEN', 'SHARED'] as const;

const [ID, ADDRESS, IDENTITY, PERSON] = [0, 1, 2, 3];

/** Number of parts into which keys are divided by a hash. Only one part at a time is compared in memory. */
const PARTS = 256;
const CHUNK_BYTES = 8192;

const TABLES = `
  -- Lists of keys, each of them FIELDS values: kind and key as one text, and the other columns of contested.
  create table keys (part integer, n integer, rows blob, primary key (part, n)) without rowid;
  -- Keys that several people have, and all claims to them.
  create table contested (kind integer, key text, n integer, person integer, strength integer, joined integer,
    is_out integer, changed_by integer, place integer, row integer, summary integer, primary key (kind, key, n)
  ) without rowid;
  create table changes (person integer primary key, why text, other integer);
  create table same_identities (person integer primary key, first integer)`;

const FIELDS = 10;
const CONTEST = `insert into contested
  select substr(value ->> 0, 1, 1), substr(value ->> 0, 2), ${Array.from({ length: FIELDS - 1 }, (_, at) => `value ->> ${at + 1}`)}
  from json_each(?)`;

/** Refuses all rows with an external id that several rows have. */
const SAME_IDS = `
  insert or ignore into changes
  select c.person, 'SAME_ID', iif(c.person > first, first, (
    select min(person) from contested o where o.kind = ${ID} and o.key = c.key and o.person > first))
  from contested c
  join (select key, min(person) as first from contested where kind = ${ID} group by key) f on f.key = c.key
  where c.kind = ${ID} and changed_by >= ${CHANGED_BY.ids}
  order by c.n`;

/**
 * Finds people with a row that says that they must not sign in, and another that says that they may. Rows are of the
 * same person if they have the same id, or no id and the same address. A join with a table of bans returns such rows.
 */
const CONTRADICTED = `
  create table contradicted as
  select kind, key, min(iif(is_out, person, null)) as disabled, min(iif(is_out, null, person)) as active
  from contested where kind in (${ID}, ${PERSON}) group by kind, key having max(is_out) and not min(is_out)`;

/** Refuses a row without an id if another one with the same address says that the user must not sign in. */
const SAME_PERSONS = `
  insert or ignore into changes
  select c.person, 'SAME_PERSON', d.disabled
  from contested c join contradicted d on d.kind = c.kind and d.key = c.key
  where c.kind = ${PERSON} and not is_out and changed_by >= ${CHANGED_BY.betterClaims}`;

/**
 * Returns SQL that finds for each address the strongest claim, the first two users who compete with such a claim, and
 * the user whom `--shared-address` chooses: by time of joining if all competitors have one, else by order of rows.
 */
const addresses = (choice: UserDecisions['sharedAddress']) => {
  const order = choice === 'newest' ? 'desc' : 'asc';
  const chosen = `(select person from rivals r where r.key = b.key
    order by iif(untimed, 0, joined) ${order}, person ${order} limit 1)`;
  return `
  create table addresses as
  with best as (
    select key, max(strength) as best from contested where kind = ${ADDRESS} group by key
  ), strongest as (
    select c.key, best, person, joined, is_out from contested c join best on best.key = c.key
    where c.kind = ${ADDRESS} and strength = best
  )
  select key, best, min(person) as strongest, min(iif(is_out, null, person)) as rival,
    max(joined is null and not is_out) as untimed, null as second, null as chosen
  from strongest group by key order by key;
  create unique index addresses_key on addresses (key);
  create view rivals as
    select c.key, c.person, c.joined from contested c join addresses a on a.key = c.key
    where c.kind = ${ADDRESS} and strength = best and not is_out;
  update addresses as b set
    second = (select min(person) from rivals r where r.key = b.key and r.person > b.rival)
    ${choice === undefined ? '' : `, chosen = ${chosen}`}`;
};

const SAME_ADDRESSES = `
  insert or ignore into changes
  select person, why, other from (
    select c.n, c.person, changed_by,
      case when strength < best then 'BETTER_CLAIM' when chosen is null then 'SHARED' else 'CHOSEN' end as why,
      case when strength < best then strongest when chosen is not null and second is not null then chosen
        when c.person = rival then second else rival end as other
    from contested c
    join addresses a on a.key = c.key
    where c.kind = ${ADDRESS}
  )
  where other <> person
    and changed_by >= iif(why = 'SHARED', ${CHANGED_BY.all}, ${CHANGED_BY.betterClaims})
  order by n`;

/** Finds imported users with a third-party identity of an earlier imported user. The service decides who gets it. */
const SAME_IDENTITIES = `
  insert or ignore into same_identities
  select c.person, first
  from contested c
  join (
    select key, min(person) as first from contested
    where kind = ${IDENTITY} and person not in (select person from changes) group by key
  ) f on f.key = c.key
  where kind = ${IDENTITY} and person > first and person not in (select person from changes)
  order by c.n`;

const BETWEEN = `
  select person, why, other from changes where person between ?1 and ?2
  union all
  select person, null, first from same_identities where person between ?1 and ?2`;

/**
 * Decides between users of an export who have the same address, id or identity. All users must be added before, so that
 * the first one has no advantage: in many systems, anyone can register the address of somebody else. One confirmed
 * address beats unconfirmed ones, and these beat user names that look like addresses. Otherwise nobody gets the
 * address, unless the operator says that the newest or oldest user gets it.
 */
export class Settlement {
  readonly #database: WorkDatabase;
  readonly #choice: UserDecisions['sharedAddress'];
  /** Texts of `Settled.summary`, each with its number and with how many users to be imported have it. */
  readonly #summaries = new Map<string, { number: number; users: number }>();
  /** Keys of each part that are not stored yet, as UTF-8 of a JSON list. Strings would burden the garbage collector. */
  readonly #chunks = Array.from({ length: PARTS }, () => new ByteBuilder());
  #rows = 0;
  #n = 0;
  #chunksStored = 0;
  #hasChanges = false;

  constructor(database: WorkDatabase, sharedAddress: UserDecisions['sharedAddress']) {
    this.#database = database;
    this.#choice = sharedAddress;
    database.exec(TABLES);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds the next row. */
  add({ place, row, changedBy, claims, identities, summary }: Settled): void {
    this.#rows += 1;
    const { joinedMs = null, isOut } = claims;
    const rest = `${changedBy},${place},${row},${summary === undefined ? null : this.#count(summary)},`;
    const isDisabled = Number(claims.isDisabled);
    for (const id of claims.ids) this.#addKey(ID, id, `null,null,${isDisabled},${rest}`);
    if (claims.person !== undefined) this.#addKey(PERSON, claims.person, `null,null,${isDisabled},${rest}`);
    for (const [address, strength] of claims.addresses)
      this.#addKey(ADDRESS, address, `${strength},${joinedMs},${Number(isOut)},${rest}`);
    for (const identity of identities) this.#addKey(IDENTITY, identity, `null,null,0,${rest}`);
  }

  /** Makes all decisions. Must be called once, after the last `add`. */
  settle(): void {
    for (let part = 0; part < PARTS; part += 1) this.#store(part);
    for (let part = 0; part < PARTS; part += 1) this.#contest(part);
    this.#database.exec('drop table keys');
    if (this.#database.get('select 1 from contested limit 1') === undefined) return;
    this.#database.exec('create index contested_person on contested (person)');
    this.#database.exec(SAME_IDS);
    this.#database.exec(CONTRADICTED);
    this.#database.exec(SAME_PERSONS);
    this.#database.exec(addresses(this.#choice));
    this.#database.exec(SAME_ADDRESSES);
    this.#database.exec(SAME_IDENTITIES);
    this.#hasChanges = true;
  }

  /** Returns the changes to the verdicts on these rows, by number of the row. */
  changesBetween(first: number, last: number): ReadonlyMap<number, Change> {
    const found = new Map<number, Change>();
    if (!this.#hasChanges) return found;
    for (const { person, why, other } of this.#database.all(BETWEEN, first, last))
      found.set(Number(person), { why: WHY.find((one) => one === why), other: this.#placeOf(Number(other)) });
    return found;
  }

  /** Returns the number of people with a row that forbids the sign-in and one that permits it, and two such rows. */
  contradictions(): Contradictions {
    if (!this.#hasChanges) return { people: 0, rows: [] };
    const found = this.#database.all('select disabled, active from contradicted order by disabled');
    const [first] = found;
    const rows = first === undefined ? [] : [first.disabled, first.active];
    return { people: found.length, rows: rows.map((person) => this.#placeOf(Number(person)).row) };
  }

  /** Returns the texts of `Settled.summary`, each with the number of users to be imported after all decisions. */
  summaries(): [summary: string, users: number][] {
    const refused = this.#database.all(
      'select summary, count(distinct person) as users from contested where summary is not null and person in (select person from changes) group by summary',
    );
    const lost = new Map(refused.map(({ summary, users }) => [Number(summary), Number(users)]));
    return [...this.#summaries].map(([text, { number, users }]) => [text, users - (lost.get(number) ?? 0)]);
  }

  /** Counts a user under a summary text, and returns the number of the text. */
  #count(summary: string): number {
    const known = this.#summaries.get(summary) ?? { number: this.#summaries.size, users: 0 };
    known.users += 1;
    this.#summaries.set(summary, known);
    return known.number;
  }

  #addKey(kind: number, key: string, rest: string): void {
    this.#n += 1;
    const part = partOf(key);
    const chunk = this.#chunks[part];
    if (chunk === undefined) throw new RangeError('there is no such part');
    chunk.addText(`${JSON.stringify(`${kind}${key}`)},${this.#n},${this.#rows},${rest}`, 'utf8');
    if (chunk.length >= CHUNK_BYTES) this.#store(part);
  }

  #store(part: number): void {
    const chunk = this.#chunks[part];
    if (chunk === undefined || chunk.length === 0) return;
    // Each item ends with a comma. The last comma is left out, because JSON does not permit it.
    const items = chunk.bytes().subarray(0, -1);
    this.#chunksStored += 1;
    this.#database.run('insert into keys values (?, ?, ?)', part, this.#chunksStored, items);
    chunk.clear();
  }

  /** Copies the keys of a part that several rows have to the table `contested`. */
  #contest(part: number): void {
    const first = new Map<string, number>();
    const contested = new Set<string>();
    const each = function* (database: WorkDatabase) {
      for (const { rows } of database.each('select rows from keys where part = ? order by n', part))
        yield JSON.parse(`[${blobText(rows)}]`) as unknown[];
    };
    for (const keys of each(this.#database))
      for (let at = 0; at < keys.length; at += FIELDS) {
        const [name, person] = [keys[at] as string, keys[at + 2] as number];
        const other = first.get(name);
        if (other === undefined) first.set(name, person);
        else if (other !== person) contested.add(name);
      }
    if (contested.size === 0) return;
    for (const keys of each(this.#database)) {
      const found: unknown[][] = [];
      for (let at = 0; at < keys.length; at += FIELDS)
        if (contested.has(keys[at] as string)) found.push(keys.slice(at, at + FIELDS));
      if (found.length > 0) this.#database.run(CONTEST, json(found));
    }
  }

  #placeOf(person: number): { place: number; row: number } {
    const [found] = this.#database.all('select place, row from contested where person = ? limit 1', person);
    return { place: Number(found?.place), row: Number(found?.row) };
  }
}

function partOf(key: string): number {
  let hash = 0;
  for (let index = 0; index < key.length; index += 1)
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  return (hash >>> 0) % PARTS;
}
