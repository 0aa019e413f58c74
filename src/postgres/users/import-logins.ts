import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import {
  emailKey,
  type Known,
  keysOf,
  type Login,
  noKnown,
  type Person,
} from '../../imports/resolve/person.ts';
import {
  type Decisions,
  hasCredential,
  type ResolveOptions,
  Resolver,
} from '../../imports/resolve/resolver.ts';
import type { User } from '../../users/user.ts';
import type { ImportedLogin, ImportRefusal, IncomingLogin } from '../../users/user-store.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import { retryContended } from '../client/contention.ts';
import type { Database } from '../client/database.ts';
import { isLostRace, isUniqueViolation } from '../client/pg-error.ts';
import { readKnown } from '../imports/read-known.ts';
import { createPeople, writeDecisions } from '../imports/write-decisions.ts';
import { passwordUser } from './sole-login.ts';
import { readUsersIfPossible } from './user-rows.ts';

/** An attempt fails if others change the same logins meanwhile. */
const MAX_ATTEMPTS = 10;

/** A hash replaced by a call is not kept, so a call counts as an import with `overwrite` that nobody undoes. */
const OPTIONS = { onConflict: 'overwrite', matchBy: 'login', dryRun: false } as const;

/** Imports password logins that single calls send at the same time. */
export class SingleImports {
  readonly #db: Database;
  /** If the last logins existed already, the next ones probably do, too. */
  #expectsKnown = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** E-mails must be distinct. Results are in the order of `logins`. */
  async run(logins: readonly IncomingLogin[]): Promise<ImportedLogin[]> {
    const lines = logins.map(lineOf);
    const options: ResolveOptions = { ...OPTIONS, fingerprints: fingerprintsOf(logins), now: Date.now() };
    if (!this.#expectsKnown) {
      const { created } = new Resolver(noKnown(), options).addAll(lines).decisions;
      if (await this.#create(created))
        return created.map((person) => ({ user: userOf(person), existed: false }));
    }
    const { known, decisions } = await this.#decide(lines, options);
    this.#expectsKnown = decisions.created.length < logins.length;
    return this.#answers(logins, known, decisions, options);
  }

  /** Returns false, and creates nobody, if one of them exists, or if others create them at the same time. */
  async #create(people: readonly Person[]): Promise<boolean> {
    try {
      // An explicit transaction would need two more round trips.
      await this.#db.connection((connection) => createPeople(connection, people));
      return true;
    } catch (error) {
      if (isUniqueViolation(error) || isLostRace(error)) return false;
      throw error;
    }
  }

  /** Logins that stay as they are, are neither locked nor written. */
  async #decide(lines: readonly ParsedUser[], options: ResolveOptions) {
    const keys = keysOf(lines);
    const decide = async (db: Queryable, lock: boolean) => {
      const known = await readKnown(db, keys, { matchBy: 'login', source: undefined, lock });
      // Read after the logins, so that every import that has written one of them is recorded.
      const importedMs = await readLastImport(db);
      const isSettled = ({ stored }: Login) => Date.parse(String(stored?.hash_set_at)) > importedMs + 1;
      return { known, decisions: new Resolver(known, { ...options, isSettled }).addAll(lines).decisions };
    };
    const first = await decide(this.#db, false);
    if (first.decisions.created.length + first.decisions.hashChanges.length === 0) return first;
    return this.#db.connection((connection) =>
      retryContended(MAX_ATTEMPTS, () =>
        connection.transaction(async () => {
          await connection.engine.prepareAllNodes(connection);
          const decided = await decide(connection, true);
          await writeDecisions(connection as Transaction, undefined, decided.decisions, { matchBy: 'login' });
          return decided;
        }),
      ),
    );
  }

  async #answers(
    logins: readonly IncomingLogin[],
    { logins: ids, persons }: Known,
    { outcomes }: Decisions,
    { fingerprints }: ResolveOptions,
  ): Promise<ImportedLogin[]> {
    const people = logins.map(({ email }) => persons.get(ids.get(emailKey(email))?.userId ?? '') as Person);
    const linked = people.filter(({ logins: [login] }) => login?.stored?.linked === true);
    const users = await readUsersIfPossible(
      this.#db,
      linked.map(({ userId }) => userId),
    );
    return logins.map((incoming, index) => {
      const person = people[index] as Person;
      const login = person.logins.find(({ key }) => key === emailKey(incoming.email)) as Login;
      const code = outcomes[index]?.code;
      const refusal = code === undefined ? undefined : REFUSALS[code];
      const isRefused = refusal !== undefined && !hasCredential(login, credentialOf(incoming), fingerprints);
      // A user who was changed or removed meanwhile may lack the login.
      const user = users?.get(person.userId);
      const isWhole = user?.loginMethods.some(({ recipeUserId }) => recipeUserId === login.recipeUserId);
      return {
        user: user !== undefined && isWhole ? user : userOf({ ...person, logins: [login] }),
        existed: login.stored !== undefined,
        ...(isRefused && { refusal }),
      };
    });
  }
}

const REFUSALS: Readonly<Record<string, ImportRefusal>> = {
  HANDED_OVER: 'in-core',
  EMAIL_CHANGED_SINCE: 'another-person',
};

/**
 * Time, in milliseconds, of the last write of a bulk import. A hash that was set before must be set again even if
 * it stays the same. Otherwise, the rollback of that import would undo it as well.
 */
async function readLastImport(db: Queryable): Promise<number> {
  const [row] = await db.query<{ at: Date | null }>(
    'select max(updated_at) as at from imports where not dry_run',
  );
  return row?.at?.getTime() ?? Number.NEGATIVE_INFINITY;
}

const credentialOf = (login: IncomingLogin) =>
  'hash' in login ? { hash: login.hash } : { noHash: login.noHash };

const lineOf = (login: IncomingLogin): ParsedUser => ({
  profile: {},
  methods: [
    { recipeId: 'emailpassword', email: login.email, verified: false, credential: credentialOf(login) },
  ],
});

function fingerprintsOf(logins: readonly IncomingLogin[]): ResolveOptions['fingerprints'] {
  const incoming = new Map(logins.map((login) => [login.email, login]));
  return {
    matchesFingerprint(_hash, fingerprint, email) {
      const login = incoming.get(email);
      return login !== undefined && 'hash' in login && login.matchesFingerprint?.(fingerprint) === true;
    },
  };
}

/** Returns a user who has only one login. */
function userOf({ userId, logins: [login], state }: Person): User {
  if (login === undefined) throw new Error('a user has no login');
  const { recipeUserId, email, verifiedEmails, timeJoinedMs } = login;
  return passwordUser({
    ...{ id: userId, recipeUserId, email, verified: verifiedEmails.includes(email), timeJoinedMs },
    disabled: state.disabled,
  });
}
