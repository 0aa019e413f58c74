import { v7 as uuidv7 } from 'uuid';
import type { Strength } from '../../hashing/form.ts';
import type { PasswordHash } from '../../hashing/verifier.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import { identityKey, type ThirdPartyIdentity, type UserProfile } from '../../users/user.ts';
import type { ParsedDisabling, ParsedLoginMethod, ParsedUser } from '../input/parsed-user.ts';

export interface LoginIds {
  userId: string;
  recipeUserId: string;
}

/** Whether a user is disabled. `isByCall`: whether a call of this service set this state last, and not an import. */
interface UserState {
  disabled: boolean;
  isByCall: boolean;
}

/**
 * State of a login that the SuperTokens core has. `waiting`: the core has a placeholder password, and this service
 * verifies the old one. `settled`: the core decides about the password, or will.
 */
export type InCore = 'waiting' | 'settled';

/** Row of a table as JSON. Times are texts in UTC, with microseconds. */
export type Row = Record<string, unknown>;

/** Password login or third-party login, with the changes by lines of the chunk so far. */
export interface Login {
  /** Unique for all logins (`loginKey`). */
  key: string;
  recipeUserId: string;
  /** Undefined for a password login. */
  identity: ThirdPartyIdentity | undefined;
  email: string;
  verifiedEmails: readonly string[];
  timeJoinedMs: number;
  /** Both are undefined for a third-party login. */
  hash: (PasswordHash & { strength?: Strength | undefined }) | undefined;
  noHash: NoHash | undefined;
  hashSetBy: HashSetBy | undefined;
  /** Fingerprint of the imported hash, if this service has replaced it (src/passwords/hash-fingerprint.ts). */
  importedFingerprint: string | undefined;
  hasSignedIn: boolean;
  /**
   * Whether the login has changed since its user was created. For a password login, changes by imports do not count.
   */
  isChanged: boolean;
  /**
   * Whether a change in this service set the address of the login, so that a line with the address may mean somebody
   * else.
   */
  isEmailChanged: boolean;
  inCore: InCore | undefined;
  /** Whether an identity provider has the password, or had it. */
  hasMoved: boolean;
  /** External id that a line of the chunk gives to a new login. */
  externalId: string | undefined;
  /** Row in the database. Undefined for a login that the chunk creates. */
  stored: Row | undefined;
  /** Whether a line that changes the user has this login. It then counts as changed by the import. */
  isNamed: boolean;
  /** Whether such a line sets the credential of the login. */
  hasNewCredential: boolean;
}

export interface Person {
  userId: string;
  /** Undefined if the user has none, or if it was not read. */
  externalId: string | undefined;
  /** Whether an import of the same source created the user. Undefined if this was not read. */
  isOfSource: boolean | undefined;
  /** Whether an earlier line of this dry run created the user. */
  isDryRun: boolean;
  profile: UserProfile;
  state: UserState;
  /** If the user was found by a login, only the logins that occur in lines of the chunk. */
  logins: Login[];
  /** Encrypted factors that a line has given to the user. */
  newFactors: Buffer | undefined;
  /**
   * User as in the database. Undefined for a user whom the chunk creates. `factors` is only read if lines of the chunk
   * have factors.
   */
  stored:
    | { profile: UserProfile; state: UserState; timeJoinedMs: number; factors?: Buffer | undefined }
    | undefined;
}

/**
 * Owner of an id. `isPerson`: the id is the external id of a user, not that of a login method, and not an id of this
 * service.
 */
export interface Owner extends LoginIds {
  isPerson: boolean;
}

/** Stored users that the lines of a chunk may be about, as changed by earlier lines. */
export interface Known {
  /**
   * Owners of the ids in the lines, by external ids and by ids of this service. A new external id must differ from all
   * of them.
   */
  readonly owners: Map<string, Owner>;
  /** Users whom lines are about, by user id. */
  readonly persons: Map<string, Person>;
  /** Logins by key, also those of users whom no line is about. */
  readonly logins: Map<string, LoginIds>;
}

/** `Known`, or an object whose members have the methods of its maps. */
export type KnownIndex = {
  readonly [Name in keyof Known]: Lookup<Known[Name] extends Map<string, infer Value> ? Value : never>;
};

interface Lookup<Value> {
  has(key: string): boolean;
  get(key: string): Value | undefined;
  set(key: string, value: Value): unknown;
  delete(key: string): unknown;
}

export const noKnown = (): Known => ({ owners: new Map(), persons: new Map(), logins: new Map() });

export const hasKnown = ({ persons, logins }: Known): boolean => persons.size + logins.size > 0;

export const emailKey = (email: string) => `e${email}`;

export const keyOfIdentity = (identity: ThirdPartyIdentity) => `i${identityKey(identity)}`;

export const loginKey = (method: ParsedLoginMethod) =>
  method.recipeId === 'emailpassword' ? emailKey(method.email) : keyOfIdentity(method.identity);

/** Values in lines that no two users can share: e-mail with a password, third-party identity and external id. */
export interface LineKeys {
  emails: ReadonlySet<string>;
  identities: ReadonlyMap<string, ThirdPartyIdentity>;
  externalIds: ReadonlySet<string>;
  /** Whether a line sets factors, or whether the user is disabled. These change even if users are found by a login. */
  changeUsers: boolean;
}

export function keysOf(
  parsedUsers: readonly ParsedUser[],
  disablings: readonly ParsedDisabling[] = [],
): LineKeys {
  const emails = new Set<string>();
  const identities = new Map<string, ThirdPartyIdentity>();
  const externalIds = new Set(disablings.map(({ externalId }) => externalId));
  for (const parsedUser of parsedUsers) {
    for (const method of parsedUser.methods) {
      if (method.recipeId === 'emailpassword') emails.add(method.email);
      else identities.set(keyOfIdentity(method.identity), method.identity);
    }
    for (const id of externalIdsOf(parsedUser)) externalIds.add(id);
  }
  const changeUsers = parsedUsers.some(
    ({ factors, disabled }) => factors !== undefined || disabled !== undefined,
  );
  return { emails, identities, externalIds, changeUsers };
}

/** Returns whether two sets of keys have a login or an external id in common. */
export function shareKey(a: LineKeys, b: LineKeys): boolean {
  for (const email of a.emails) if (b.emails.has(email)) return true;
  for (const key of a.identities.keys()) if (b.identities.has(key)) return true;
  for (const id of a.externalIds) if (b.externalIds.has(id)) return true;
  return false;
}

const NONE: readonly string[] = [];

/**
 * Returns the external ids of a user. For a staged user, adds its ids in this service: clients know them, so another
 * user may already have one of them as an external id.
 */
export function externalIdsOf({ userId, externalId, methods }: ParsedUser): readonly string[] {
  // Fast path: nearly all users have one login and no external ids.
  if (externalId === undefined && methods.length === 1 && userId === undefined) return NONE;
  const ids = externalId === undefined ? [] : [externalId];
  for (const method of methods) if (method.externalId !== undefined) ids.push(method.externalId);
  if (userId !== undefined) ids.push(...methods.map((_method, index) => methodId(userId, index)));
  return ids;
}

/**
 * Ids of the users that one chunk of import lines creates: version 7 UUIDs that share their time and random
 * bits. The last group is `<line index, 5 digits><random, 4><login method, 3>`. An import therefore stores
 * only the first id of a chunk, one key range finds all its users, and index pages are only appended. 42 bits
 * are random within a millisecond. If two chunks draw the same bits, a unique key refuses the second chunk.
 */
export class ChunkIds {
  readonly #start: string;
  readonly #random: string;

  private constructor(uuid: string) {
    this.#start = uuid.slice(0, 24);
    this.#random = uuid.slice(29, 33);
  }

  static create(): ChunkIds {
    // Without an options argument, even an empty one, `uuidv7` increments the previous id.
    return new ChunkIds(uuidv7({}));
  }

  static startingAt(firstId: string): ChunkIds {
    return new ChunkIds(firstId);
  }

  /** @param lineIndex index of the line in its chunk, from 0 */
  id(lineIndex: number): string {
    return `${this.#start}${indexDigits(lineIndex)}${this.#random}000`;
  }

  get first(): string {
    return this.id(0);
  }

  /** Upper bound of the ids that users of this chunk can have. */
  get last(): string {
    return `${this.#start}${'f'.repeat(12)}`;
  }
}

const METHODS = 16 ** 3;

/** @param method index of the login method, from 0; the first has the id of the user */
export function methodId(userId: string, method: number): string {
  if (method === 0) return userId;
  // The last three digits of the user id are 000, except for users staged by an early version of the service.
  const own = Number.parseInt(userId.slice(-3), 16);
  return userId.slice(0, -3) + hex((own + method) % METHODS, 3);
}

const INDEX_DIGITS: string[] = [];

function indexDigits(lineIndex: number): string {
  if (lineIndex >= 10_000) return hex(lineIndex, 5);
  let digits = INDEX_DIGITS[lineIndex];
  if (digits === undefined) {
    digits = hex(lineIndex, 5);
    INDEX_DIGITS[lineIndex] = digits;
  }
  return digits;
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

export const gainsLogin = ({ logins }: Person): boolean => logins.some(({ stored }) => stored === undefined);

/**
 * Planned change of a user. Places are e-mail addresses, identities and external ids, each of which only one user can
 * have.
 */
export interface Move {
  wants: readonly string[];
  /** Places that the user gives up. No two users give up the same place. */
  leaves: readonly string[];
}

/**
 * Returns the changes that can be carried out together, for example of users who exchange e-mail addresses.
 * If several users want a place, the first one who can take it gets it.
 */
export function movable<Item extends Move>(
  items: readonly Item[],
  isFree: (place: string) => boolean,
): Set<Item> {
  const alive = new Set(items);
  const leaving = new Map(items.flatMap((item) => item.leaves.map((place) => [place, item])));
  const waiting = new Map<Item, Item[]>();
  const stuck: Item[] = [];
  for (const item of items) {
    for (const place of item.wants) {
      if (isFree(place)) continue;
      const before = leaving.get(place);
      const others = before && waiting.get(before);
      if (before === undefined) stuck.push(item);
      else if (others === undefined) waiting.set(before, [item]);
      else others.push(item);
    }
  }
  for (;;) {
    for (let item = stuck.pop(); item !== undefined; item = stuck.pop())
      if (alive.delete(item)) stuck.push(...(waiting.get(item) ?? []));
    const taken = new Set<string>();
    for (const item of alive) {
      if (item.wants.some((place) => taken.has(place))) stuck.push(item);
      else for (const place of item.wants) taken.add(place);
    }
    if (stuck.length === 0) return alive;
  }
}
