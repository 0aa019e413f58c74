import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import type { Outcome } from '../../imports/resolve/outcome.ts';
import { emailKey, keysOf, type Login, noKnown, type Person } from '../../imports/resolve/person.ts';
import {
  type Decisions,
  hasCredential,
  type ResolveOptions,
  Resolver,
} from '../../imports/resolve/resolver.ts';
import type { User } from '../../users/user.ts';
import type { ImportedLogin, ImportRefusal, IncomingLogin } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { isLostRace, isUniqueViolation, retryContended } from '../client/pg-error.ts';
import { createPeople } from '../imports/copy-people.ts';
import { type ReadKnown, readKnown } from '../imports/read-known.ts';
import { writeDecisions } from '../imports/write-decisions.ts';
import { passwordUser } from './user-row.ts';
import { readUsersIfPossible } from './user-rows.ts';

/** Maximum number of attempts. An attempt fails if others change the same logins meanwhile. */
const MAX_ATTEMPTS = 10;

interface Decided {
  known: ReadKnown;
  decisions: Decisions;
  /** Outcomes by e-mail address. */
  outcomes: ReadonlyMap<string, Outcome | undefined>;
}

/** Imports password logins that single calls send at the same time. */
export class SingleImports {
  readonly #db: Database;
  /** Whether the last logins were new, known or changing. The next ones probably are the same. */
  #expected: 'new' | 'known' | 'changing' = 'new';

  constructor(db: Database) {
    this.#db = db;
  }

  /** Imports logins, whose e-mails must be distinct. Results are in the order of `logins`. */
  async run(logins: readonly IncomingLogin[]): Promise<ImportedLogin[]> {
    const answers = new Map<string, ImportedLogin>();
    let left = logins;
    const isLeft = ({ email }: IncomingLogin) => !answers.has(email);
    const answer = (some: readonly IncomingLogin[], imported: readonly ImportedLogin[]) => {
      for (const [index, one] of imported.entries()) answers.set(some[index]?.email ?? '', one);
      left = left.filter(isLeft);
    };
    if (this.#expected === 'new') answer(left, await this.#create(left));
    else if (this.#expected === 'known') {
      const { unchanged, areOthersNew, answers: found } = await this.#findUnchanged(left);
      answer(unchanged, found);
      if (areOthersNew && left.length > 0) answer(left, await this.#create(left));
    }
    let changed = 0;
    if (left.length > 0) {
      const result = await this.#change(left);
      changed = result.changed;
      answer(left, result.answers);
    }
    const all = logins.map(({ email }) => answers.get(email) as ImportedLogin);
    const isNew = all.every(({ existed }) => !existed);
    this.#expected = isNew ? 'new' : 2 * changed > logins.length ? 'changing' : 'known';
    return all;
  }

  /** Creates users by COPY. Returns an empty list if one of them exists, or if others create them at the same time. */
  async #create(logins: readonly IncomingLogin[]): Promise<ImportedLogin[]> {
    const { created } = new Resolver(noKnown(), optionsFor(logins)).addAll(logins.map(lineOf)).decisions;
    try {
      // An explicit transaction would need two more round trips.
      await this.#db.connection((connection) => createPeople(connection, created));
    } catch (error) {
      if (isUniqueViolation(error) || isLostRace(error)) return [];
      throw error;
    }
    return created.map((person) => ({ user: userOf(person), existed: false }));
  }

  /** Finds logins that stay as they are. They are neither locked nor written. */
  async #findUnchanged(logins: readonly IncomingLogin[]) {
    const decided = await this.#decide(this.#db, logins, { lock: false });
    const { known, decisions, outcomes } = decided;
    const changing = new Set(decisions.hashChanges.map(({ recipeUserId }) => recipeUserId));
    const { fingerprints } = optionsFor(logins);
    const others = logins.filter(({ email }) => outcomes.get(email)?.status !== 'CREATED');
    const unchanged = others.filter((incoming) => {
      const { userId = '', recipeUserId = '' } = known.logins.get(emailKey(incoming.email)) ?? {};
      const login = known.persons.get(userId)?.logins.find((one) => one.recipeUserId === recipeUserId);
      if (login === undefined || changing.has(recipeUserId)) return false;
      // Whether the core has the user was not read, and matters only if the login gets another hash.
      return hasCredential(login, credentialOf(incoming), fingerprints);
    });
    const answers = await this.#answers(unchanged, decided);
    return { unchanged, answers, areOthersNew: others.length === unchanged.length };
  }

  /** Imports logins that exist or are new. Also returns the number of logins that got another hash. */
  #change(logins: readonly IncomingLogin[]): Promise<{ answers: ImportedLogin[]; changed: number }> {
    return this.#db.connection(async (connection) => {
      const decided = await retryContended(MAX_ATTEMPTS, () =>
        connection.transaction(async () => {
          const decided = await this.#decide(connection, logins, { lock: true });
          const { known, decisions } = decided;
          await writeDecisions(connection, undefined, decisions, { matchBy: 'login', lockedAt: known.now });
          return decided;
        }),
      );
      const people = [...decided.known.persons.values()];
      const isOther = ({ hash, stored }: Login) =>
        stored !== undefined && stored.password_hash !== hash?.encoded;
      const changed = people.filter(({ logins }) => logins.some(isOther)).length;
      return { answers: await this.#answers(logins, decided), changed };
    });
  }

  async #decide(
    db: Queryable,
    logins: readonly IncomingLogin[],
    { lock }: { lock: boolean },
  ): Promise<Decided> {
    const lines = logins.map(lineOf);
    const how = { matchBy: 'login', source: undefined, lock, standing: lock } as const;
    const known = await readKnown(db, keysOf(lines), how);
    // Read after the logins, so that every import that has written one of them is recorded.
    const importedMs = lock ? Number.POSITIVE_INFINITY : await readLastImport(db);
    const isSettled = ({ stored }: Login) => Date.parse(String(stored?.hash_set_at)) > importedMs + 1;
    const resolver = new Resolver(known, { ...optionsFor(logins), isSettled });
    const { decisions } = resolver.addAll(lines);
    const outcomes = new Map(logins.map(({ email }, index) => [email, decisions.outcomes[index]]));
    return { known, decisions, outcomes };
  }

  /**
   * Returns the results for logins.
   * @param decided decisions, which may be about more logins than these
   */
  async #answers(logins: readonly IncomingLogin[], { known, outcomes }: Decided): Promise<ImportedLogin[]> {
    const all = logins.map((incoming) => {
      const key = emailKey(incoming.email);
      const person = known.persons.get(known.logins.get(key)?.userId ?? '') as Person;
      return { incoming, person, login: person.logins.find((one) => one.key === key) as Login };
    });
    const linked = all.filter(({ login }) => login.stored?.linked === true);
    const users = await readUsersIfPossible(
      this.#db,
      linked.map(({ person }) => person.userId),
    );
    const { fingerprints } = optionsFor(logins);
    return all.map(({ incoming, person, login }) => {
      const refusal = REFUSALS[outcomes.get(incoming.email)?.code ?? ''];
      const isRefused = refusal !== undefined && !hasCredential(login, credentialOf(incoming), fingerprints);
      const user = users?.get(person.userId);
      // If the user was changed or removed meanwhile, the login may be missing, or another login may have its id.
      const isWhole = user?.loginMethods.some(
        (method) =>
          method.recipeId === 'emailpassword' &&
          method.email === login.email &&
          method.recipeUserId === login.recipeUserId,
      );
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
  MOVED: 'moved',
  EMAIL_CHANGED_SINCE: 'another-person',
};

/**
 * Returns the time, in milliseconds, of the last write of a bulk import. A hash that was set before must be set again
 * even if it stays the same. Otherwise, the rollback of that import would undo it as well.
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

/**
 * Returns the options for single calls. A call counts as an import that nobody undoes, so the hashes that it replaces
 * are not kept.
 */
function optionsFor(logins: readonly IncomingLogin[]): ResolveOptions {
  const incoming = new Map(logins.map((login) => [login.email, login]));
  return {
    ...{ onConflict: 'overwrite', matchBy: 'login', dryRun: false, now: Date.now() },
    fingerprints: {
      matchesFingerprint(_hash, fingerprint, email) {
        const login = incoming.get(email);
        return login !== undefined && 'hash' in login && login.matchesFingerprint?.(fingerprint) === true;
      },
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
