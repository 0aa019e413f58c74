import type { RowSink } from '../../imports/import-store.ts';
import type { Login, Person } from '../../imports/resolve/person.ts';
import { type BufferPool, ByteBuilder, type Reusable } from '../../lib/buffers.ts';
import { arrayText, type Copy, type Transaction } from '../client/connection.ts';
import { PROFILE_COLUMNS } from '../users/user-row.ts';

/** Columns by name, each with a function that returns its value in the text format of COPY. */
type Columns<Item> = Readonly<Record<string, (item: Item, person: Person) => string>>;

/**
 * Columns for each field of an item. A field without an entry is a type error, so that no imported value is lost
 * silently.
 */
type Fields<Item> = { readonly [Field in keyof Item]-?: Columns<Item> };

/** Marks a field that COPY does not write: the default of the column is right, or there is no column. */
const NOT_WRITTEN = {};

/** Ids, times and names of algorithms are not escaped, because they contain no character that COPY would interpret. */
const LOGIN: Fields<Login> = {
  key: { user_id: (_, { userId }) => userId },
  recipeUserId: { recipe_user_id: ({ recipeUserId }) => recipeUserId },
  email: { email: ({ email }) => copyText(email) },
  verifiedEmails: { verified_emails: ({ verifiedEmails }) => copyArray(verifiedEmails) },
  timeJoinedMs: { time_joined_ms: ({ timeJoinedMs }) => String(timeJoinedMs) },
  // Whether the user has data outside the row of this login: other logins, or an external id.
  externalId: {
    linked: (_, { externalId, logins }) => (externalId !== undefined || logins.length > 1 ? 't' : 'f'),
  },
  // All logins of a user have its state, so that a sign-in reads nothing but its login.
  stored: { disabled: (_, { state }) => (state.disabled ? 't' : 'f') },
  identity: NOT_WRITTEN,
  hash: NOT_WRITTEN,
  noHash: NOT_WRITTEN,
  hasSignedIn: NOT_WRITTEN,
  // `hash_set_by` keeps its default `import`, because an import has set the hash of a new user.
  hashSetBy: NOT_WRITTEN,
  importedFingerprint: NOT_WRITTEN,
  isChanged: NOT_WRITTEN,
  isEmailChanged: NOT_WRITTEN,
  inCore: NOT_WRITTEN,
  hasMoved: NOT_WRITTEN,
  isNamed: NOT_WRITTEN,
  hasNewCredential: NOT_WRITTEN,
};

const PASSWORD_LOGIN: Fields<Login> = {
  ...LOGIN,
  hash: {
    password_hash: ({ hash }) => copyText(hash?.encoded),
    hash_algorithm: ({ hash }) => hash?.algorithm ?? COPY_NULL,
    hash_secret_id: ({ hash }) => copyText(hash?.secretId),
    hash_class: ({ hash }) => hash?.strength ?? COPY_NULL,
  },
  noHash: { no_hash: ({ noHash }) => noHash ?? COPY_NULL },
};

const THIRD_PARTY_LOGIN: Fields<Login> = {
  ...LOGIN,
  identity: {
    third_party_id: ({ identity }) => copyText(identity?.id),
    third_party_user_id: ({ identity }) => copyText(identity?.userId),
  },
  // COPY reads the text `now` as the start of the transaction, which becomes the time of the sign-in.
  hasSignedIn: { last_sign_in_at: ({ hasSignedIn }) => copyText(hasSignedIn ? 'now' : undefined) },
};

/** Id by which a login is found, in addition to the user id. */
interface Alias {
  alias: string;
  kind: 'recipe_user' | 'external';
  recipeUserId: string;
}

const ALIAS: Fields<Alias> = {
  alias: { alias: ({ alias }) => copyText(alias) },
  kind: { kind: ({ kind }) => kind, user_id: (_, { userId }) => userId },
  recipeUserId: { recipe_user_id: ({ recipeUserId }) => recipeUserId },
};

const USER: Fields<Omit<Person, 'externalId' | 'isOfSource' | 'isDryRun' | 'state' | 'stored'>> = {
  userId: { user_id: ({ userId }) => userId },
  logins: { time_joined_ms: ({ logins }) => String(joinedMs(logins)) },
  profile: Object.fromEntries(
    PROFILE_COLUMNS.map(({ name, part }) => [name, ({ profile }) => copyText(profile[part])]),
  ),
  newFactors: { factors: ({ newFactors }) => copyBytes(newFactors) },
};

export function joinedMs(logins: readonly Login[]): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { timeJoinedMs } of logins) if (timeJoinedMs < earliest) earliest = timeJoinedMs;
  return earliest;
}

/** Returns the aliases of a new login. The recipe user id of the first login needs none, because it is the user id. */
export function* aliasesOf({ recipeUserId, externalId }: Login, userId: string): Generator<Alias> {
  if (recipeUserId !== userId) yield { alias: recipeUserId, kind: 'recipe_user', recipeUserId };
  if (externalId !== undefined) yield { alias: externalId, kind: 'external', recipeUserId };
}

interface CopyTarget<Item> {
  table: string;
  columns: readonly string[];
  statement: string;
  /** Returns a row in the text format of COPY, with its line break. */
  encode(item: Item, person: Person): string;
}

function target<Item>(table: string, fields: Fields<Item>): CopyTarget<Item> {
  const columns = Object.values<Columns<Item>>(fields).flatMap((one) => Object.entries(one));
  const names = columns.map(([name]) => name);
  const [first = () => '', ...others] = columns.map(([, encode]) => encode);
  return {
    table,
    columns: names,
    statement: `copy ${table} (${names.join(', ')}) from stdin`,
    encode(item, person) {
      let text = first(item, person);
      for (let index = 0; index < others.length; index += 1) text += `\t${others[index]?.(item, person)}`;
      return `${text}\n`;
    },
  };
}

export const COPY_TARGETS = {
  passwordLogins: target('password_logins', PASSWORD_LOGIN),
  thirdPartyLogins: target('third_party_logins', THIRD_PARTY_LOGIN),
  aliases: target('user_aliases', ALIAS),
  users: target('users', USER),
};

class TableRows {
  readonly #statement: string;
  readonly #bytes = new ByteBuilder();
  #count = 0;

  constructor({ statement }: { statement: string }) {
    this.#statement = statement;
  }

  get capacity(): number {
    return this.#bytes.capacity;
  }

  add(text: string, count: number): void {
    if (count === 0) return;
    this.#bytes.addText(text);
    this.#count += count;
  }

  encoded(): Copy {
    return { statement: this.#statement, rows: this.#bytes.bytes(), count: this.#count };
  }

  clear(): void {
    this.#bytes.clear();
    this.#count = 0;
  }
}

/** Rows of new users in the format of COPY. */
export class CopyRows implements Reusable {
  readonly #passwordLogins = new TableRows(COPY_TARGETS.passwordLogins);
  readonly #thirdPartyLogins = new TableRows(COPY_TARGETS.thirdPartyLogins);
  readonly #aliases = new TableRows(COPY_TARGETS.aliases);
  readonly #users = new TableRows(COPY_TARGETS.users);
  /** Tables in which rows may conflict with other transactions come first. */
  readonly #tables = [this.#passwordLogins, this.#thirdPartyLogins, this.#aliases, this.#users];

  get capacity(): number {
    return this.#tables.reduce((sum, { capacity }) => sum + capacity, 0);
  }

  /**
   * @param inKeyOrder whether to write logins in the order of their keys, so that two writers of the same rows cannot
   * deadlock
   */
  add(people: readonly Person[], { inKeyOrder = false } = {}): void {
    let [passwords, thirdParties, aliases, users] = ['', '', '', ''];
    let [passwordCount, thirdPartyCount, aliasCount] = [0, 0, 0];
    const addLogin = (login: Login, person: Person) => {
      if (login.identity === undefined) {
        passwords += COPY_TARGETS.passwordLogins.encode(login, person);
        passwordCount += 1;
      } else {
        thirdParties += COPY_TARGETS.thirdPartyLogins.encode(login, person);
        thirdPartyCount += 1;
      }
      if (login.externalId === undefined && login.recipeUserId === person.userId) return;
      for (const alias of aliasesOf(login, person.userId)) {
        aliases += COPY_TARGETS.aliases.encode(alias, person);
        aliasCount += 1;
      }
    };
    if (inKeyOrder) {
      const logins = people.flatMap((person) => person.logins.map((login) => ({ login, person })));
      logins.sort((a, b) => inOrderOfKeys(a.login, b.login));
      for (const { login, person } of logins) addLogin(login, person);
    } else for (const person of people) for (const login of person.logins) addLogin(login, person);
    for (const person of people) users += COPY_TARGETS.users.encode(person, person);
    this.#passwordLogins.add(passwords, passwordCount);
    this.#thirdPartyLogins.add(thirdParties, thirdPartyCount);
    this.#aliases.add(aliases, aliasCount);
    this.#users.add(users, people.length);
  }

  /** Returns the COPY statements of tables that have rows. The bytes are not copied. */
  encoded(): Copy[] {
    return this.#tables.map((table) => table.encoded()).filter(({ count }) => count > 0);
  }

  clear(): void {
    for (const table of this.#tables) table.clear();
  }
}

/**
 * Creates users.
 * @throws a unique violation if one of the users exists already
 */
export async function createPeople(
  db: Transaction,
  people: readonly Person[],
  others: readonly Copy[] = [],
): Promise<void> {
  const rows = new CopyRows();
  rows.add(people, { inKeyOrder: true });
  await db.copy([...rows.encoded(), ...others.filter(({ count }) => count > 0)]);
}

/**
 * Compares logins by the primary key of their table. All transactions that write several logins do so in this order, so
 * that two of them cannot deadlock.
 */
export function inOrderOfKeys(a: Pick<Login, 'email' | 'identity'>, b: Pick<Login, 'email' | 'identity'>) {
  if (a.identity === undefined) return b.identity === undefined ? byBytes(a.email, b.email) : -1;
  if (b.identity === undefined) return 1;
  return byBytes(a.identity.userId, b.identity.userId) || byBytes(a.identity.id, b.identity.id);
}

const byBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Rows in the format of COPY, in memory that is used again. */
export class CopyBuffer implements RowSink {
  readonly #pool: BufferPool<CopyRows>;
  #rows: CopyRows | undefined;

  constructor(pool: BufferPool<CopyRows>) {
    this.#pool = pool;
    this.#rows = pool.take();
  }

  add(people: readonly Person[]): void {
    this.#held.add(people);
  }

  encoded(): Copy[] {
    return this.#held.encoded();
  }

  release(): void {
    this.#pool.give(this.#held);
    this.#rows = undefined;
  }

  get #held(): CopyRows {
    if (this.#rows === undefined) throw new Error('these rows were released');
    return this.#rows;
  }
}

const SPECIAL = /[\\\b\f\n\r\t\v]/;
const EVERY_SPECIAL = /[\\\b\f\n\r\t\v]/g;

const NAMES: Record<string, string> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v' };

export const COPY_NULL = '\\N';

/**
 * Returns a text in the text format of COPY. Undefined becomes null. Source:
 * https://www.postgresql.org/docs/current/sql-copy.html, "Text Format".
 */
export function copyText(text: string | undefined): string {
  if (text === undefined) return COPY_NULL;
  return SPECIAL.test(text) ? text.replaceAll(EVERY_SPECIAL, (one) => `\\${NAMES[one] ?? one}`) : text;
}

/** Returns bytes in the text format of COPY for a bytea column. Undefined becomes null. */
const copyBytes = (bytes: Buffer | undefined): string =>
  bytes === undefined ? COPY_NULL : `\\\\x${bytes.toString('hex')}`;

/** An empty array becomes null. */
export function copyArray(texts: readonly string[]): string {
  return texts.length === 0 ? COPY_NULL : copyText(arrayText(texts));
}
