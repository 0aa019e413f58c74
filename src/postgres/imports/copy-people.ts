import type { RowSink } from '../../imports/import-store.ts';
import type { Login, Person } from '../../imports/resolve/person.ts';
import { type BufferPool, ByteBuilder, type Reusable } from '../../lib/buffers.ts';
import type { Transaction } from '../client/connection.ts';
import {
  type Copy,
  copyBigint,
  copyBoolean,
  copyBytes,
  copyStatement,
  copyText,
  copyTexts,
  copyUuid,
  rowHead,
} from '../client/copy-in.ts';
import { PROFILE_COLUMNS } from '../users/user-row.ts';

/** Columns by name, each with a function that returns its value in the format of COPY. */
type Columns<Item> = Readonly<Record<string, (item: Item, person: Person) => string>>;

/**
 * Columns for each field of an item. A field without an entry is a type error, so that no imported value is lost
 * silently.
 */
type Fields<Item> = { readonly [Field in keyof Item]-?: Columns<Item> };

/** Marks a field that COPY does not write: the default of the column is right, or there is no column. */
const NOT_WRITTEN = {};

const LOGIN: Fields<Login> = {
  key: { user_id: (_, { userId }) => copyUuid(userId) },
  recipeUserId: { recipe_user_id: ({ recipeUserId }) => copyUuid(recipeUserId) },
  email: { email: ({ email }) => copyText(email) },
  verifiedEmails: { verified_emails: ({ verifiedEmails }) => copyTexts(verifiedEmails) },
  timeJoinedMs: { time_joined_ms: ({ timeJoinedMs }) => copyBigint(timeJoinedMs) },
  // Whether the user has data outside the row of this login: other logins, or an external id.
  externalId: {
    linked: (_, { externalId, logins }) => copyBoolean(externalId !== undefined || logins.length > 1),
  },
  // All logins of a user have its state, so that a sign-in reads nothing but its login.
  stored: { disabled: (_, { state }) => copyBoolean(state.disabled) },
  identity: NOT_WRITTEN,
  hash: NOT_WRITTEN,
  noHash: NOT_WRITTEN,
  // Nobody has signed in with a new login.
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
    hash_algorithm: ({ hash }) => copyText(hash?.algorithm),
    hash_secret_id: ({ hash }) => copyText(hash?.secretId),
    hash_class: ({ hash }) => copyText(hash?.strength),
  },
  noHash: { no_hash: ({ noHash }) => copyText(noHash) },
};

const THIRD_PARTY_LOGIN: Fields<Login> = {
  ...LOGIN,
  identity: {
    third_party_id: ({ identity }) => copyText(identity?.id),
    third_party_user_id: ({ identity }) => copyText(identity?.userId),
  },
};

/** Id by which a login is found, in addition to the user id. */
interface Alias {
  alias: string;
  kind: 'recipe_user' | 'external';
  recipeUserId: string;
}

const ALIAS: Fields<Alias> = {
  alias: { alias: ({ alias }) => copyText(alias) },
  kind: { kind: ({ kind }) => copyText(kind), user_id: (_, { userId }) => copyUuid(userId) },
  recipeUserId: { recipe_user_id: ({ recipeUserId }) => copyUuid(recipeUserId) },
};

const USER: Fields<Omit<Person, 'externalId' | 'isOfSource' | 'isDryRun' | 'state' | 'stored'>> = {
  userId: { user_id: ({ userId }) => copyUuid(userId) },
  logins: { time_joined_ms: ({ logins }) => copyBigint(joinedMs(logins)) },
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
  /** Returns a row in the format of COPY. */
  encode(item: Item, person: Person): string;
}

function target<Item>(table: string, fields: Fields<Item>): CopyTarget<Item> {
  const columns = Object.values<Columns<Item>>(fields).flatMap((one) => Object.entries(one));
  const names = columns.map(([name]) => name);
  const values = columns.map(([, value]) => value);
  const head = rowHead(columns.length);
  return {
    table,
    columns: names,
    statement: copyStatement(table, names),
    encode(item, person) {
      let row = head;
      for (const value of values) row += value(item, person);
      return row;
    },
  };
}

/** In the order of their statements: tables in which rows may conflict with other transactions come first. */
export const COPY_TARGETS = {
  passwordLogins: target('password_logins', PASSWORD_LOGIN),
  thirdPartyLogins: target('third_party_logins', THIRD_PARTY_LOGIN),
  aliases: target('user_aliases', ALIAS),
  users: target('users', USER),
};

type Target = keyof typeof COPY_TARGETS;
const TARGETS = Object.keys(COPY_TARGETS) as readonly Target[];

/** Rows of one table, as a text in which each character is a byte. */
interface EncodedRows {
  text: string;
  count: number;
}

/**
 * @param inKeyOrder whether to write logins in the order of their keys, so that two writers of the same rows cannot
 * deadlock
 */
function encodePeople(people: readonly Person[], { inKeyOrder = false } = {}): Record<Target, EncodedRows> {
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
  }
  for (const person of people) {
    if (!inKeyOrder) for (const login of person.logins) addLogin(login, person);
    users += COPY_TARGETS.users.encode(person, person);
  }
  return {
    passwordLogins: { text: passwords, count: passwordCount },
    thirdPartyLogins: { text: thirdParties, count: thirdPartyCount },
    aliases: { text: aliases, count: aliasCount },
    users: { text: users, count: people.length },
  };
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
  const encoded = encodePeople(people, { inKeyOrder: true });
  const copies = TARGETS.map((name): Copy => {
    const { text, count } = encoded[name];
    return { statement: COPY_TARGETS[name].statement, rows: Buffer.from(text, 'latin1'), count };
  });
  await db.copy([...copies, ...others].filter(({ count }) => count > 0));
}

/** Rows of new users in the format of COPY, in memory that is used again. */
export class CopyRows implements Reusable {
  readonly #tables = TARGETS.map((name) => ({ name, bytes: new ByteBuilder(), count: 0 }));

  get capacity(): number {
    return this.#tables.reduce((sum, { bytes }) => sum + bytes.capacity, 0);
  }

  add(people: readonly Person[]): void {
    const encoded = encodePeople(people);
    for (const table of this.#tables) {
      const { text, count } = encoded[table.name];
      table.bytes.addText(text, 'latin1');
      table.count += count;
    }
  }

  /** Returns the COPY statements of tables that have rows. The bytes are not copied. */
  encoded(): Copy[] {
    return this.#tables
      .filter(({ count }) => count > 0)
      .map(({ name, bytes, count }) => ({
        statement: COPY_TARGETS[name].statement,
        rows: bytes.bytes(),
        count,
      }));
  }

  clear(): void {
    for (const table of this.#tables) {
      table.bytes.clear();
      table.count = 0;
    }
  }
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

/** Rows of a chunk, in memory that a pool lends. */
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
