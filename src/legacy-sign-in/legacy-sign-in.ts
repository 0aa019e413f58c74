import { createHmac, randomBytes } from 'node:crypto';
import type { Passwords } from '../hashing/passwords.ts';
import type { ParsedUser, ReadDeps } from '../imports/input/parsed-user.ts';
import { readUserPayload } from '../imports/input/read-user-payload.ts';
import { resolveNewUsers } from '../imports/staged/import-new-users.ts';
import type { StagedStore } from '../imports/staged/staged-store.ts';
import { parseExactWithin } from '../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json-object.ts';
import type { LegacyUsers } from '../users/address-owner.ts';
import type { FactorVault } from '../users/factor-vault.ts';
import { NO_PROFILE, profileObjects, type User } from '../users/user.ts';
import type { LegacyProfile, PasswordLogin, UserStore } from '../users/user-store.ts';
import { InvalidAnswer, type LegacyClient, type LegacyQuestion, UnclearAnswer } from './legacy-client.ts';

/** Answer of the legacy system. Its user has one password login, without a hash, which waits for the first sign-in. */
export type LegacyAnswer =
  | { status: 'OK'; user: ParsedUser }
  | { status: 'WRONG_CREDENTIALS'; reason?: string }
  | { status: 'UNKNOWN' };

/** Reason for a refusal that has nothing to do with the password. It is logged, so it can hold no address. */
const REASON = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Members that a user may have in place of `loginMethods`. They describe the only login. */
const LOGIN_MEMBERS = ['email', 'isVerified', 'timeJoinedInMSSinceEpoch'];

const CREDENTIALS = ['passwordHash', 'plainTextPassword', 'password', 'legacySignIn', 'hashingAlgorithm'];

/**
 * Parses an answer, which is not trusted: a user in it must have the address that was asked about, and must pass the
 * checks of an import line. Numbers in the metadata are kept as they are written.
 * @param asked normalised address
 * @throws {InvalidAnswer} if the answer is a JSON object that cannot be used
 * @throws {Error} if the answer is no JSON object
 */
function readAnswer(deps: ReadDeps, text: string, asked: string): LegacyAnswer {
  const answer = parsedAnswer(text);
  const { status, user, reason } = answer;
  if (status === 'UNKNOWN') return { status };
  if (status === 'WRONG_CREDENTIALS') {
    if (reason === undefined) return { status };
    if (typeof reason === 'string' && REASON.test(reason)) return { status, reason };
    throw new InvalidAnswer('its reason is not made of 1 to 64 of A-Z 0-9 _');
  }
  if (status === 'UNCLEAR') throw new UnclearAnswer('it answers UNCLEAR about the user');
  if (status !== 'OK' || !isJsonObject(user)) throw new InvalidAnswer('it has no known status, or no user');
  const payload = payloadOf(user);
  const read = readUserPayload(deps, payload);
  if (Array.isArray(read))
    throw new InvalidAnswer(`its user is invalid: ${read.map(({ message }) => message).join(' ')}`);
  if (read.methods.some(({ email }) => email !== asked))
    throw new InvalidAnswer('its user has another address than the one that was asked');
  if (read.methods.filter(({ recipeId }) => recipeId === 'emailpassword').length !== 1)
    throw new InvalidAnswer('its user must have one emailpassword login method');
  return { status, user: read };
}

function parsedAnswer(text: string): JsonObject {
  let answer: unknown;
  try {
    answer = parseExactWithin(text, profileIn);
  } catch {
    throw new Error('it is not JSON');
  }
  if (isJsonObject(answer)) return answer;
  throw new Error('it is not a JSON object');
}

const profileIn = (answer: unknown): object[] =>
  isJsonObject(answer) && isJsonObject(answer.user) ? profileObjects(answer.user) : [];

/** Returns the user as an import line, with a password login that waits for its first sign-in. */
function payloadOf(user: JsonObject): JsonObject {
  const { loginMethods, ...rest } = user;
  if (loginMethods === undefined) {
    refuseCredentials(user);
    const method = Object.fromEntries(
      LOGIN_MEMBERS.filter((name) => user[name] !== undefined).map((name) => [name, user[name]]),
    );
    return { ...rest, loginMethods: [{ recipeId: 'emailpassword', ...method, legacySignIn: true }] };
  }
  if (!Array.isArray(loginMethods)) return user;
  const methods: unknown[] = loginMethods;
  return {
    ...rest,
    loginMethods: methods.map((method) => {
      if (!isJsonObject(method) || method.recipeId !== 'emailpassword') return method;
      refuseCredentials(method);
      return { ...method, legacySignIn: true };
    }),
  };
}

function refuseCredentials(members: JsonObject): void {
  const given = CREDENTIALS.find((name) => members[name] !== undefined);
  if (given !== undefined) throw new InvalidAnswer(`its user must have no ${given}`);
}

/**
 * Users about whom the legacy system is asked. `waiting`: those imported with `"legacySignIn": true`. `unknown`: also
 * addresses without a login here.
 */
export type AskedAbout = 'waiting' | 'unknown';

export interface LegacySignInDeps {
  client: LegacyClient;
  askedAbout: AskedAbout;
  /**
   * Milliseconds since the epoch. Until then, the legacy system is also asked if an imported hash does not
   * match the password.
   */
  followUntilMs: number | undefined;
  store: UserStore;
  staged: Pick<StagedStore, 'create'>;
  passwords: Passwords;
  vault: FactorVault;
  now(): number;
}

type Verified = 'changed' | 'wrong-credentials';

/** Verification in progress: by the legacy system, or imitated for users about whom it must not be asked. */
interface Flight {
  fingerprint: string;
  done: Promise<Verified>;
}

/**
 * Signs users in with passwords that the legacy system verifies, and stores a hash of each
 * (docs/adr/0051-asking-the-legacy-system.md). Users whom only the legacy system knows are created here.
 */
export class LegacySignIn implements LegacyUsers {
  readonly #deps: LegacySignInDeps;
  readonly #flights = new Map<string, Flight>();
  readonly #lookUps = new Map<string, Promise<User | undefined>>();
  readonly #key = randomBytes(32);

  constructor(deps: LegacySignInDeps) {
    this.#deps = deps;
  }

  async verify(email: string, password: Buffer, login: PasswordLogin | undefined): Promise<Verified> {
    const fingerprint = createHmac('sha256', this.#key).update(password).digest('base64');
    for (;;) {
      const flight = this.#flights.get(email);
      if (flight === undefined) break;
      if (flight.fingerprint === fingerprint) return flight.done;
      // Another password for this address is being verified. If it is right, the login gets a hash, so the caller must
      // read the login again instead of asking about this password.
      const outcome = await flight.done.catch(() => 'wrong-credentials' as const);
      if (outcome === 'changed') return outcome;
    }
    const done = this.#attempt(email, password, login).finally(() => this.#flights.delete(email));
    this.#flights.set(email, { fingerprint, done });
    return done;
  }

  async lookUp(email: string): Promise<User | undefined> {
    if (this.#deps.askedAbout !== 'unknown' || (await this.#isKnownHere(email))) return undefined;
    const running = this.#lookUps.get(email);
    if (running !== undefined) return running;
    const lookUp = this.#lookUp(email).finally(() => this.#lookUps.delete(email));
    this.#lookUps.set(email, lookUp);
    return lookUp;
  }

  async disown(emails: readonly string[]): Promise<void> {
    if (this.#deps.askedAbout === 'unknown') await this.#deps.store.recordRemoved(emails);
  }

  /**
   * Asks the legacy system about a password. If it must not be asked about this user, waits as long as an answer would
   * take. Simultaneous sign-ins with the same address and password share one attempt in both cases. Otherwise, the
   * limit of calls per minute would reveal about which users the legacy system is asked.
   */
  async #attempt(email: string, password: Buffer, login: PasswordLogin | undefined): Promise<Verified> {
    // The login is read for every address, so that all addresses take the same time.
    const present = await this.#deps.store.findPasswordLogin(email);
    // Nobody has an empty password, and some systems take it as a request for an anonymous session.
    if (password.length > 0 && (await this.#isAskedAbout(email, login))) {
      // Another sign-in may have stored the hash after the caller read the login.
      if (login !== undefined && !hasSameCredential(login, present)) return 'changed';
      return this.#verify(email, password, login);
    }
    await this.#deps.client.waitAsCall(email, this.#reader('verify', email));
    // Another sign-in may have created the login, whose hash the caller must then verify.
    const isNew = login === undefined && (await this.#deps.store.findPasswordLogin(email)) !== undefined;
    return isNew ? 'changed' : 'wrong-credentials';
  }

  async #isAskedAbout(email: string, login: PasswordLogin | undefined): Promise<boolean> {
    const { askedAbout, followUntilMs, now } = this.#deps;
    // This is looked up for every address, so that all addresses take the same time.
    const isUnknown = askedAbout === 'unknown' && !(await this.#isKnownHere(email));
    if (login === undefined) return isUnknown;
    // A disabled user stays disabled, whatever the legacy system answers. An address that was set by a change here may
    // belong to somebody else in the legacy system.
    if (login.isDisabled || login.emailSetBy === 'change') return false;
    if ('noHash' in login) return login.noHash === 'waiting';
    return !login.isSetHere && followUntilMs !== undefined && now() < followUntilMs;
  }

  async #isKnownHere(email: string): Promise<boolean> {
    const { store } = this.#deps;
    const [isSettled, login] = [await store.isSettled(email), await store.findPasswordLogin(email)];
    return isSettled || login !== undefined;
  }

  async #verify(email: string, password: Buffer, login: PasswordLogin | undefined): Promise<Verified> {
    const { client, store, passwords } = this.#deps;
    const answer = await this.#ask({ type: 'verify', email, password: password.toString('utf8') });
    if (answer.status !== 'OK') {
      if ('reason' in answer && answer.reason !== undefined) client.reportRefusal(answer.reason);
      return 'wrong-credentials';
    }
    if (login === undefined) {
      // Somebody may have removed the user while the legacy system answered.
      if (await store.isSettled(email)) return 'wrong-credentials';
      await this.#create(email, answer.user);
    }
    const hash = await passwords.hash(password);
    const present = login ?? (await store.findPasswordLogin(email));
    // Another request may have removed the login meanwhile, so the caller must read it again.
    if (present === undefined) return 'changed';
    const moved = await store.moveIn(email, present, hash, profileOf(answer.user, present));
    if (moved === 'another-person')
      throw client.refuse(
        'the user in its answer has another external id than the user of this service with the same address',
      );
    return 'changed';
  }

  async #lookUp(email: string): Promise<User | undefined> {
    const answer = await this.#ask({ type: 'lookup', email });
    if (answer.status !== 'OK' || (await this.#deps.store.isSettled(email))) return undefined;
    return this.#create(email, answer.user);
  }

  #ask(question: LegacyQuestion): Promise<LegacyAnswer> {
    return this.#deps.client.ask(question, this.#reader(question.type, question.email));
  }

  #reader(type: LegacyQuestion['type'], email: string): (text: string) => LegacyAnswer {
    const { passwords, vault, now } = this.#deps;
    const deps = { registry: passwords.registry, now, keepsFactors: vault.isOpen };
    return (text) => {
      const answer = readAnswer(deps, text, email);
      const unexpected = type === 'verify' ? 'UNKNOWN' : 'WRONG_CREDENTIALS';
      if (answer.status === unexpected) throw new InvalidAnswer(`it answers ${unexpected} to ${type}`);
      return answer;
    };
  }

  /**
   * Creates the user of an answer, with a login that waits for the first sign-in. If another request has just created
   * the user, returns that user.
   */
  async #create(email: string, person: ParsedUser): Promise<User> {
    const { client, staged, store, vault, now } = this.#deps;
    const created = await staged.create(resolveNewUsers([person], { vault, now }));
    if ('user' in created) return created.user;
    const login = await store.findPasswordLogin(email);
    const user = login && (await store.findUser(login.recipeUserId));
    if (user !== undefined) return user;
    throw client.refuse(
      'the user in its answer has an external id or an identity of another user of this service',
    );
  }
}

function hasSameCredential(login: PasswordLogin, present: PasswordLogin | undefined): boolean {
  if (present === undefined) return false;
  if ('noHash' in login) return 'noHash' in present && present.noHash === login.noHash;
  return 'hash' in present && present.hash.encoded === login.hash.encoded;
}

/**
 * Returns what to store of the profile in an answer. Users imported with a hash keep their metadata, because the
 * application may have removed some of it on purpose.
 */
function profileOf({ externalId, profile, methods }: ParsedUser, login: PasswordLogin): LegacyProfile {
  const verified = methods.some((method) => method.recipeId === 'emailpassword' && method.verified);
  return { externalId, profile: 'noHash' in login ? profile : NO_PROFILE, verified };
}
