import { AppError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJsonObject } from '../lib/json/json-object.ts';
import type { CoreConnection } from './core-connection.ts';

/**
 * Versions of the SuperTokens core's interface (CDI) with which the calls below were tested, newest first. All members
 * that they send and read are the same in these versions.
 */
const CDI_VERSIONS = ['5.6', '5.5', '5.4', '5.3', '5.2', '5.1', '5.0'];

/**
 * Matches the core's refusals of a CDI version. The core refuses before it does anything, so the call can be repeated.
 */
const VERSION_REFUSED = /^cdi-version \S+ (?:not supported|is lower than the minimum allowed version)/;

export const canBeCalled = (versions: readonly string[]): boolean =>
  CDI_VERSIONS.some((version) => versions.includes(version));

/** Without a charset, the core reads a body as ISO 8859-1. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** Maximum number of users in a call that stages users, and in a call that lists or removes staged users. */
export const MAX_STAGED = 10_000;
const MAX_STAGED_PAGE = 500;

export type SignInAtCore =
  | { outcome: 'signed-in'; userId: string; recipeUserId: string }
  | { outcome: 'wrong-credentials' };

/** `refused`: the core did not create the user, perhaps because the user exists. */
export type SentUser = { outcome: 'created' } | { outcome: 'refused'; reasons: string[] };

export interface CoreLoginMethod {
  recipeId: string;
  recipeUserId: string;
  email: string | undefined;
  verified: boolean;
  thirdParty: { id: string; userId: string } | undefined;
  timeJoinedMs: number;
}

export interface CoreUser {
  id: string;
  loginMethods: CoreLoginMethod[];
}

/**
 * Client of the SuperTokens core. All calls throw AppError CORE_UNAVAILABLE for an answer outside the core's documented
 * interface, because nothing may be concluded from it.
 */
export class CoreCalls {
  readonly #core: CoreConnection;
  /**
   * CDI version of the calls. Undefined until the core was asked for its versions, and after it has refused this one.
   */
  #version: Promise<string> | undefined;

  constructor(core: CoreConnection) {
    this.#core = core;
  }

  /** Versions of the interface (CDI) that the core speaks. */
  async versions(): Promise<string[]> {
    // The call has no header `cdi-version`, because the core could refuse the version in it.
    const { versions } = members(await this.#send(undefined, 'GET', '/apiversion'), 'GET /apiversion');
    return Array.isArray(versions) ? versions.map(String) : [];
  }

  /** Licensed features, such as `account_linking`. */
  features(): Promise<string[]> {
    return this.#texts('/ee/featureflag', 'features');
  }

  roles(): Promise<string[]> {
    return this.#texts('/recipe/roles', 'roles');
  }

  /** @param body JSON text of a user, as `POST /bulk-import/import` takes it */
  async sendUser(body: string): Promise<SentUser> {
    const { status, text } = await this.#call('POST', '/bulk-import/import', body);
    const answer = parseJsonObject(text);
    if (status === 200 && answer?.status === 'OK') return { outcome: 'created' };
    if (status === 400 && Array.isArray(answer?.errors))
      return { outcome: 'refused', reasons: answer.errors.map(String) };
    // The core answers 500 if it cannot create this user, but also, for all users, if it has no database. Another call
    // shows which of the two it is.
    if (status === 500 && (await this.#isWell())) {
      return {
        outcome: 'refused',
        reasons: ['The core failed with this user (HTTP status 500). Its log says why.'],
      };
    }
    throw unexpected('POST /bulk-import/import', status);
  }

  async signIn(email: string, password: string, signal?: AbortSignal): Promise<SignInAtCore> {
    const answer = await this.#ok('POST', '/recipe/signin', { email, password }, signal);
    const { status, user, recipeUserId } = answer;
    if (status === 'OK' && isJsonObject(user) && typeof recipeUserId === 'string')
      return { outcome: 'signed-in', userId: String(user.id), recipeUserId };
    if (status === 'WRONG_CREDENTIALS_ERROR') return { outcome: 'wrong-credentials' };
    throw unexpected('POST /recipe/signin', status);
  }

  async setPassword(recipeUserId: string, password: string): Promise<'set' | 'unknown-user'> {
    const { status } = await this.#ok('PUT', '/recipe/user', { recipeUserId, password });
    if (status === 'OK') return 'set';
    if (status === 'UNKNOWN_USER_ID_ERROR') return 'unknown-user';
    throw unexpected('PUT /recipe/user', status);
  }

  /** Finds a user in the core by an id of this service or by an id of the core. */
  async findUser(id: string): Promise<CoreUser | undefined> {
    const { status, user } = await this.#ok('GET', `/user/id?userId=${encodeURIComponent(id)}`);
    if (status === 'OK' && isJsonObject(user)) return coreUser(user);
    if (status === 'UNKNOWN_USER_ID_ERROR') return undefined;
    throw unexpected('GET /user/id', status);
  }

  async hasPasswordLogin(email: string): Promise<boolean> {
    const methods = await this.#methodsBy({ email });
    return methods.some((method) => method.recipeId === 'emailpassword' && method.email === email);
  }

  /** Returns whether a user has a password login with this address, or has proven to own it. */
  async hasOwner(email: string): Promise<boolean> {
    const methods = await this.#methodsBy({ email });
    return methods.some(
      (method) => method.email === email && (method.recipeId === 'emailpassword' || method.verified),
    );
  }

  async hasIdentity({ id, userId }: NonNullable<CoreLoginMethod['thirdParty']>): Promise<boolean> {
    return (await this.#methodsBy({ thirdPartyId: id, thirdPartyUserId: userId })).length > 0;
  }

  /** Removes a user with all login methods. An unknown id is not an error. */
  async removeUser(id: string): Promise<void> {
    const { status } = await this.#ok('POST', '/user/remove', { userId: id, removeAllLinkedAccounts: true });
    if (status !== 'OK') throw unexpected('POST /user/remove', status);
  }

  async countUsers(): Promise<number> {
    const { count } = await this.#ok('GET', '/users/count');
    if (typeof count !== 'number') throw unexpected('GET /users/count', 200);
    return count;
  }

  /**
   * Stages users in the core, which creates them some minutes later. The core stages all of them or none.
   * @param bodies JSON texts as for `sendUser`, at most MAX_STAGED
   * @returns reasons of the users that the core refuses, by index. Empty if it has staged all users
   */
  async stageUsers(bodies: readonly string[]): Promise<Map<number, string[]>> {
    const { status, text } = await this.#call('POST', '/bulk-import/users', `{"users":[${bodies.join()}]}`);
    const answer = parseJsonObject(text);
    if (status === 200 && answer?.status === 'OK') return new Map();
    const reasons = new Map(
      objectsIn(answer?.users).map(({ index, errors }) => [
        Number(index),
        Array.isArray(errors) ? errors.map(String) : [],
      ]),
    );
    // If the core refused no user, or one who was not sent, the caller would repeat the call for ever. Such an answer
    // is an error.
    const isRefusal = reasons.size > 0 && [...reasons.keys()].every((index) => index in bodies);
    if (status !== 400 || !isRefusal) throw unexpected('POST /bulk-import/users', status);
    return reasons;
  }

  /** Counts staged users: those whom the core still has to create, and those whom it could not create. */
  async countStaged(): Promise<{ waiting: number; failed: number }> {
    const [created = 0, processing = 0, failed = 0] = await Promise.all(
      ['NEW', 'PROCESSING', 'FAILED'].map(async (status) =>
        Number((await this.#ok('GET', `/bulk-import/users/count?status=${status}`)).count),
      ),
    );
    return { waiting: created + processing, failed };
  }

  /** External ids of staged users whom the core could not create. */
  async failedStaged(): Promise<Set<string>> {
    const failed = new Set<string>();
    let token = '';
    do {
      const query = `limit=${MAX_STAGED_PAGE}&status=FAILED${token}`;
      const { users, nextPaginationToken: next } = await this.#ok('GET', `/bulk-import/users?${query}`);
      for (const user of objectsIn(users)) failed.add(String(user.externalUserId));
      token = typeof next === 'string' ? `&paginationToken=${encodeURIComponent(next)}` : '';
    } while (token !== '');
    return failed;
  }

  /** Removes staged users: those whom the core could not create, or all. */
  async clearStage(which: 'failed' | 'all'): Promise<void> {
    for (;;) {
      const query = `limit=${MAX_STAGED_PAGE}${which === 'failed' ? '&status=FAILED' : ''}`;
      const { users } = await this.#ok('GET', `/bulk-import/users?${query}`);
      const ids = objectsIn(users).map(({ id }) => String(id));
      if (ids.length === 0) return;
      await this.#ok('POST', '/bulk-import/users/remove', { ids });
    }
  }

  /** Returns all login methods of the users who meet these conditions. */
  async #methodsBy(accountInfo: Record<string, string>): Promise<CoreLoginMethod[]> {
    const query = new URLSearchParams({ ...accountInfo, doUnionOfAccountInfo: 'false' });
    const { status, users } = await this.#ok('GET', `/users/by-accountinfo?${query}`);
    if (status !== 'OK' || !Array.isArray(users)) throw unexpected('GET /users/by-accountinfo', status);
    return objectsIn(users).flatMap((user) => coreUser(user).loginMethods);
  }

  async #texts(path: string, member: string): Promise<string[]> {
    const { [member]: texts } = await this.#ok('GET', path);
    return Array.isArray(texts) ? texts.map(String) : [];
  }

  async #isWell(): Promise<boolean> {
    const { status } = await this.#call('GET', '/hello');
    return status === 200;
  }

  async #ok(method: string, path: string, body?: object, signal?: AbortSignal): Promise<JsonObject> {
    const answer = await this.#call(method, path, body && inAscii(JSON.stringify(body)), signal);
    return members(answer, `${method} ${path.split('?', 1)[0]}`);
  }

  /**
   * Sends a call in a version that the core accepts. A core that was restarted with another
   * `supertokens_min_cdi_version` or `supertokens_max_cdi_version` may refuse the version. It is then asked for its
   * versions again, and the call is repeated once.
   */
  async #call(...call: Call): Promise<TextAnswer> {
    this.#version ??= this.#ask();
    const asked = this.#version;
    const version = await asked;
    const answer = await this.#send(version, ...call);
    if (answer.status !== 400 || !VERSION_REFUSED.test(answer.text)) return answer;
    // If several calls were refused at the same time, only the first one asks for the versions.
    if (this.#version === asked) this.#version = undefined;
    this.#version ??= this.#ask(version);
    return this.#send(await this.#version, ...call);
  }

  /**
   * Asks the core for its versions, and returns the newest one that the calls can use.
   * @param refused a version that the core has just refused. The core may list it nevertheless
   */
  #ask(refused?: string): Promise<string> {
    const version = this.versions().then((versions) => {
      const newest = CDI_VERSIONS.find((one) => one !== refused && versions.includes(one));
      if (newest !== undefined) return newest;
      throw new AppError(
        'CORE_UNAVAILABLE',
        `The SuperTokens core behind this service accepts no CDI version from ${CDI_VERSIONS.at(-1)} to ${CDI_VERSIONS[0]}`,
      );
    });
    version.catch(() => {
      if (this.#version === version) this.#version = undefined;
    });
    return version;
  }

  async #send(version: string | undefined, ...[method, path, body, signal]: Call) {
    signal?.throwIfAborted();
    const answer = await this.#core.send({
      method,
      path,
      headers: [
        ...(version === undefined ? [] : ['cdi-version', version]),
        ...(body === undefined ? [] : ['content-type', JSON_TYPE]),
      ],
      body: body === undefined ? undefined : Buffer.from(body),
      withKey: true,
      signal,
    });
    return { status: answer.status, text: answer.body.toString('utf8') };
  }
}

/** Escapes all characters beyond ASCII, so that a password does not depend on the charset that the core assumes. */
const inAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Call = [method: string, path: string, body?: string, signal?: AbortSignal];

interface TextAnswer {
  status: number;
  text: string;
}

/** Returns the members of an answer. Any status but 200 is an error. */
function members({ status, text }: TextAnswer, call: string): JsonObject {
  const answer = status === 200 ? parseJsonObject(text) : undefined;
  if (answer === undefined) throw unexpected(call, status);
  return answer;
}

function coreUser(user: JsonObject): CoreUser {
  return {
    id: String(user.id),
    loginMethods: objectsIn(user.loginMethods).map(
      ({ recipeId, recipeUserId, email, verified, thirdParty, timeJoined }) => ({
        recipeId: String(recipeId),
        recipeUserId: String(recipeUserId),
        email: typeof email === 'string' ? email : undefined,
        verified: verified === true,
        thirdParty: isJsonObject(thirdParty)
          ? { id: String(thirdParty.id), userId: String(thirdParty.userId) }
          : undefined,
        timeJoinedMs: Number(timeJoined),
      }),
    ),
  };
}

/** The message does not quote the body, which may have an e-mail address. */
const unexpected = (call: string, status: unknown) =>
  new AppError(
    'CORE_UNAVAILABLE',
    `The SuperTokens core behind this service answered ${call} with ${String(status)}`,
  );
