import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import argon2 from 'argon2';
import bcrypt from 'bcrypt';
import { coreAddress } from './java-lower-case.ts';

interface DoubleMethod {
  tenantIds: string[];
  recipeUserId: string;
  recipeId: 'emailpassword' | 'thirdparty';
  email: string;
  verified: boolean;
  timeJoined: number;
  thirdParty?: { id: string; userId: string };
  /** Hash that was imported. */
  hash?: string;
  /** Password that was set. */
  password?: string;
}

interface DoubleUser {
  totpDevices?: Members[];
  userRoles?: Members[];
  app: string;
  id: string;
  metadata: unknown;
  methods: DoubleMethod[];
}

interface Staged {
  app: string;
  id: string;
  status: 'NEW' | 'FAILED';
  user: Members;
}

type Members = Record<string, unknown>;

/** A call that the double received. */
export interface CoreCall {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  /** The bytes as UTF-8. */
  body: string;
}

/** What the double does with a call in place of answering it. */
export type Fault = 'break' | 'break after work' | 500;

/** A call as a route of the double sees it. */
interface RoutedCall {
  app: string;
  tenant: string;
  version: string;
  query: URLSearchParams;
  members: Members;
  /** Members of the body that are texts, as the core reads them. */
  texts: Record<string, string>;
  /** Recipe of the SDK that calls. */
  rid: string | undefined;
}

/** An answer with a text in place of JSON. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** Versions of the interface (CDI) of core 12.1, in the order in which it lists them. */
export const CDI_VERSIONS_OF_CORE =
  '2.14 2.13 2.12 2.11 2.10 2.21 2.20 2.19 2.18 2.17 3.0 2.16 3.1 4.0 2.15 5.0 5.1 5.2 5.3 2.7 5.4 2.8 5.5 2.9 5.6'.split(
    ' ',
  );

/** Returns a negative number if `one` is the older version. */
function compareVersions(one: string, other: string): number {
  const [[major = 0, minor = 0] = [], [otherMajor = 0, otherMinor = 0] = []] = [one, other].map((version) =>
    version.split('.').map(Number),
  );
  return major - otherMajor || minor - otherMinor;
}

/**
 * A double of the calls of a SuperTokens core that this service makes or intercepts. Its answers are those of the
 * genuine core 12.1, and core-double.test.ts compares the two. Other calls get an answer that tells what arrived.
 */
export class CoreDouble {
  readonly #server: Server;
  readonly users: DoubleUser[] = [];
  readonly #staged: Staged[] = [];
  readonly calls: CoreCall[] = [];
  /** Decides on a fault for a call. */
  fault: (call: CoreCall) => Fault | undefined = () => undefined;
  /** Licensed features. */
  features: string[] = [];
  /** Roles that exist. */
  roles: string[] = [];
  apiKey: string | undefined;
  /** Apps and their tenants. */
  readonly apps = new Map([['public', new Set(['public'])]]);
  /** Versions of the interface (CDI) that the core speaks, in any order. */
  versions = CDI_VERSIONS_OF_CORE;
  /** The core's settings `supertokens_min_cdi_version` and `supertokens_max_cdi_version`. */
  minVersion: string | undefined;
  maxVersion: string | undefined;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#receive(request).then(async (call) => {
        this.calls.push(call);
        const fault = this.fault(call);
        if (fault === 'break') return request.socket.destroy();
        const { status, type, body } =
          fault === 500 ? { status: 500, type: HTML, body: 'Internal Error' } : await this.#answer(call);
        if (fault === 'break after work') return request.socket.destroy();
        return response.writeHead(status, { 'content-type': type }).end(`${body}\n`);
      });
    });
  }

  static async start(): Promise<CoreDouble> {
    const double = new CoreDouble();
    await new Promise<void>((resolve) => double.#server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Finds the password login of an address. */
  login(email: string, app = 'public', tenant = 'public'): DoubleMethod | undefined {
    return this.usersOf(app)
      .flatMap(({ methods }) => methods)
      .find(
        (one) => one.recipeId === 'emailpassword' && one.email === email && one.tenantIds.includes(tenant),
      );
  }

  usersOf(app: string): DoubleUser[] {
    return this.users.filter((user) => user.app === app);
  }

  /** Does what the core does every five minutes: it creates the users of its stage. */
  emptyStage(): void {
    for (const staged of this.#staged.filter(({ status }) => status === 'NEW')) {
      if (this.#create(staged.user, staged.app) === undefined)
        this.#staged.splice(this.#staged.indexOf(staged), 1);
      else staged.status = 'FAILED';
    }
  }

  get stagedCount(): number {
    return this.#staged.filter(({ status }) => status === 'NEW').length;
  }

  async #receive(request: IncomingMessage): Promise<CoreCall> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    return {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      bytes,
      body: bytes.toString('utf8'),
    };
  }

  async #answer(call: CoreCall): Promise<{ status: number; type: string; body: string }> {
    try {
      const answer = await this.#route(call);
      if (!Array.isArray(answer)) return json(answer);
      throw new Refusal(400, JSON.stringify({ errors: answer }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, type: HTML, body: error.message };
    }
  }

  /** Makes the checks of the core in the order of the core. */
  async #route(call: CoreCall): Promise<object> {
    const { pathname, searchParams: query } = new URL(call.path, this.url);
    const { path, app, tenant } = routed(pathname);
    const route = ROUTES[`${call.method} ${path}`];
    if (!OPEN_PATHS.includes(path) && this.apps.has(app)) this.#checkKey(call);
    const version = this.#versionOf(call, app);
    if (compareVersions(version, '3.0') < 0 && tenant !== 'public') throw new Refusal(404, 'Not found');
    if (path === '/hello') {
      this.#findTenant(app, 'public');
      throw new Refusal(200, 'Hello');
    }
    if (path !== '/apiversion' && !this.versions.includes(version))
      throw new Refusal(400, `cdi-version ${version} not supported`);
    const { rid } = call.headers as { rid?: string };
    // The recipes of an SDK share this path.
    if (path === '/recipe/user' && rid === 'thirdparty') throw new Refusal(405, 'Method not supported');
    if (route === undefined)
      return {
        double: 'of a core',
        method: call.method,
        path: call.path,
        headers: call.headers,
        body: call.body,
      };
    const members = call.method === 'GET' ? {} : parsed(decoded(call.bytes, call.headers['content-type']));
    const texts: Record<string, string> = {};
    const needed = typeof route.needs === 'function' ? route.needs(version) : (route.needs ?? []);
    for (const need of needed) {
      const name = need.replace('?', '');
      if (call.method === 'GET') {
        if (!query.has(name) && name === need)
          throw new Refusal(400, `Field name '${name}' is missing in GET request`);
      } else if (name in members || name === need) texts[name] = textOf(members[name], name);
    }
    const routedCall = { app, tenant, version, query, members, texts, rid };
    const early = route.check?.(routedCall);
    if (early !== undefined) return early;
    this.#findTenant(app, route.isOfApp ? 'public' : tenant);
    if (route.isOfApp && tenant !== 'public' && compareVersions(version, '5.0') >= 0)
      throw new Refusal(403, 'Only public tenantId can call this app specific API');
    return route.answer(this, routedCall);
  }

  #checkKey({ headers }: CoreCall): void {
    if (this.apiKey !== undefined && headers['api-key'] !== this.apiKey)
      throw new Refusal(401, 'Invalid API key');
  }

  /** An app that is unknown has no settings. */
  #versionOf({ headers }: CoreCall, app: string): string {
    const { minVersion, maxVersion } = this.apps.has(app) ? this : {};
    const newest = maxVersion ?? (this.versions.toSorted(compareVersions).at(-1) as string);
    const version = headers['cdi-version'];
    if (version === undefined) return newest;
    if (typeof version !== 'string' || !/^[0-9]+(\.[0-9]+)*$/.test(version))
      throw new Refusal(400, 'cdi-version header is invalid');
    if (compareVersions(version, newest) > 0) throw new Refusal(400, `cdi-version ${version} not supported`);
    if (minVersion !== undefined && compareVersions(version, minVersion) < 0)
      throw new Refusal(
        400,
        `cdi-version ${version} is lower than the minimum allowed version ${minVersion}`,
      );
    return version;
  }

  #findTenant(app: string, tenant: string): void {
    if (this.apps.get(app)?.has(tenant)) return;
    throw new Refusal(
      400,
      'AppId or tenantId not found => Tenant with the following connectionURIDomain, appId and tenantId ' +
        `combination not found: (, ${app}, ${tenant})`,
    );
  }

  /** Returns what is wrong with a user, whoever else is there. `ids` are those before it in the same call. */
  #problemsOf(input: Members, ids = new Set<unknown>()): string[] | undefined {
    const methods = input.loginMethods as Members[] | undefined;
    const { externalUserId: id } = input;
    if (!Array.isArray(methods)) return ['loginMethods is required.'];
    if (methods.length > 1 && !this.features.includes('account_linking'))
      return ['Account linking must be enabled to import multiple loginMethods.'];
    const { totpDevices = [], userRoles = [] } = input as { totpDevices?: Members[]; userRoles?: Members[] };
    if (totpDevices.length > 0 && !this.features.includes('mfa'))
      return ['MFA must be enabled to import totp devices.'];
    const unknown = userRoles.find(({ role }) => !this.roles.includes(String(role)));
    if (unknown !== undefined) return [`Role ${String(unknown.role)} does not exist.`];
    for (const { recipeId, email, timeJoinedInMSSinceEpoch: time } of methods) {
      if (typeof email !== 'string' || email.trim() === '')
        return [
          `email should be of type string for ${recipeId === 'thirdparty' ? 'a' : 'an'} ${recipeId} recipe.`,
        ];
      if (typeof time === 'number' && time < 0) return ['timeJoined cannot be < 0 for a loginMethod.'];
      if (typeof time === 'number' && time > Date.now())
        return ['timeJoined cannot be in future for a loginMethod.'];
    }
    if (id !== undefined && ids.has(id))
      return [`externalUserId ${id} is not unique. It is already used by another user.`];
    ids.add(id);
    return undefined;
  }

  /** Creates a user. Returns the reasons if it does not. */
  #create(input: Members, app: string): string[] | undefined {
    const problems = this.#problemsOf(input);
    if (problems !== undefined) return problems;
    const { totpDevices = [], userRoles = [] } = input as { totpDevices?: Members[]; userRoles?: Members[] };
    const methods = input.loginMethods as Members[];
    for (const { email, recipeId, thirdPartyId, thirdPartyUserId } of methods) {
      const address = coreAddress(String(email));
      if (address.includes('\0')) return ['translated'];
      if (recipeId === 'emailpassword' && this.login(address, app) !== undefined)
        return [`E003: A user with email ${address} already exists in emailpassword loginMethod.`];
      if (recipeId === 'thirdparty' && this.#identity(app, thirdPartyId, thirdPartyUserId) !== undefined)
        return [
          `E005: A user with thirdPartyId ${thirdPartyId} and thirdPartyUserId ${thirdPartyUserId} already exists in thirdparty loginMethod.`,
        ];
    }
    const id = typeof input.externalUserId === 'string' ? input.externalUserId.trim() : crypto.randomUUID();
    if (this.usersOf(app).some((user) => user.id === id))
      return [`E031: A user with externalId ${id} already exists`];
    this.users.push({
      app,
      id,
      metadata: input.userMetadata,
      ...(totpDevices.length > 0 && { totpDevices }),
      ...(userRoles.length > 0 && { userRoles }),
      methods: methods.map((method, index) => ({
        tenantIds: (method.tenantIds as string[] | undefined) ?? ['public'],
        recipeUserId: index === 0 ? id : `${id}-${index}`,
        recipeId: method.recipeId as DoubleMethod['recipeId'],
        email: addressOf(String(method.email)),
        verified: method.isVerified === true,
        timeJoined: Number(method.timeJoinedInMSSinceEpoch ?? Date.now()),
        ...(typeof method.thirdPartyId === 'string' && {
          thirdParty: { id: method.thirdPartyId, userId: String(method.thirdPartyUserId) },
        }),
        ...(typeof method.passwordHash === 'string' && { hash: method.passwordHash }),
      })),
    });
    return undefined;
  }

  #identity(app: string, id: unknown, userId: unknown, tenant = 'public'): DoubleMethod | undefined {
    return this.usersOf(app)
      .flatMap(({ methods }) => methods)
      .find(
        ({ thirdParty, tenantIds }) =>
          thirdParty !== undefined &&
          thirdParty.id === id &&
          thirdParty.userId === userId &&
          tenantIds.includes(tenant),
      );
  }

  importUser(user: Members, app = 'public', version = '5.6'): object {
    const errors = this.#create(user, app);
    if (errors !== undefined) return errors;
    return { status: 'OK', user: wholeUserJson(this.users.at(-1) as DoubleUser, version) };
  }

  stage({ app, members }: RoutedCall): object {
    const users = members.users as Members[];
    const ids = new Set<unknown>();
    const refused = users.flatMap((user, index) => {
      const errors = this.#problemsOf(user, ids);
      return errors === undefined ? [] : [{ index, errors }];
    });
    if (refused.length > 0)
      throw new Refusal(
        400,
        JSON.stringify({
          error: 'Data has missing or invalid fields. Please check the users field for more details.',
          users: refused,
        }),
      );
    for (const user of users) this.#staged.push({ app, id: crypto.randomUUID(), status: 'NEW', user });
    return {
      status: 'OK',
      users: users.map(({ externalUserId, loginMethods }) => ({
        userId: externalUserId ?? crypto.randomUUID(),
        loginMethods: (loginMethods as Members[]).map((method) => ({
          recipeId: method.recipeId,
          userId: crypto.randomUUID(),
          tenants: method.tenantIds ?? ['public'],
          email: addressOf(String(method.email)),
          ...(method.recipeId === 'thirdparty' && {
            thirdpartyId: method.thirdPartyId,
            thirdpartyUserId: method.thirdPartyUserId,
          }),
        })),
      })),
    };
  }

  #stageOf(app: string, status: string | null): Staged[] {
    return this.#staged.filter((one) => one.app === app && (status === null || one.status === status));
  }

  countStaged(status: string | null, app = 'public'): object {
    return { status: 'OK', count: this.#stageOf(app, status).length };
  }

  listStaged({ app, query }: RoutedCall): object {
    const found = this.#stageOf(app, query.get('status')).slice(0, Number(query.get('limit') ?? 100));
    return {
      status: 'OK',
      users: found.map(({ id, user, status }) => ({ ...user, id, status })),
    };
  }

  removeStaged({ app, members }: RoutedCall): object {
    const ids = members.ids as string[];
    const deletedIds = ids.filter((id) => this.#stageOf(app, null).some((one) => one.id === id));
    for (const id of deletedIds)
      this.#staged.splice(
        this.#staged.findIndex((one) => one.id === id),
        1,
      );
    return { deletedIds, invalidIds: ids.filter((id) => !deletedIds.includes(id)) };
  }

  async signIn({ app, tenant, version, texts }: RoutedCall): Promise<object> {
    const { email = '', password = '' } = texts;
    const login = this.login(addressOf(email), app, tenant);
    const isRight =
      login !== undefined &&
      (login.password === undefined
        ? await matches(login.hash ?? '', password)
        : login.password === password);
    return isRight ? this.#signedIn(login, version) : { status: 'WRONG_CREDENTIALS_ERROR' };
  }

  signUp({ app, tenant, version, texts }: RoutedCall): object {
    const { email = '', password = '' } = texts;
    const address = addressOf(email);
    if (this.login(address, app, tenant) !== undefined) return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
    const method = this.#add(app, tenant, { recipeId: 'emailpassword', email: address, verified: false });
    method.password = password;
    return this.#signedIn(method, version);
  }

  /** Sign-in or sign-up with a third party. The address of a known user follows the third party. */
  signInUp({ app, tenant, version, texts, members }: RoutedCall): object {
    const { thirdPartyId = '', thirdPartyUserId = '' } = texts;
    const { id, isVerified } = members.email as Members;
    const email = addressOf(textOf(id, 'id'));
    const verified = isVerified === true && compareVersions(version, '4.0') >= 0;
    const known = this.#identity(app, thirdPartyId, thirdPartyUserId, tenant);
    const thirdParty = { id: thirdPartyId, userId: thirdPartyUserId };
    const method = known ?? this.#add(app, tenant, { recipeId: 'thirdparty', email, verified, thirdParty });
    if (method.email !== email) Object.assign(method, { email, verified });
    method.verified ||= verified;
    return { ...this.#signedIn(method, version), createdNewUser: known === undefined };
  }

  #add(
    app: string,
    tenant: string,
    method: Pick<DoubleMethod, 'recipeId' | 'email' | 'verified' | 'thirdParty'>,
  ): DoubleMethod {
    const id = crypto.randomUUID();
    const added = { ...method, tenantIds: [tenant], recipeUserId: id, timeJoined: Date.now() };
    this.users.push({ app, id, metadata: undefined, methods: [added] });
    return added;
  }

  #signedIn(method: DoubleMethod, version: string): object {
    const user = this.users.find(({ methods }) => methods.includes(method)) as DoubleUser;
    return {
      status: 'OK',
      user: userJson(user, version),
      ...(compareVersions(version, '4.0') >= 0 && { recipeUserId: method.recipeUserId }),
    };
  }

  update(id: string, change: { email?: string; password?: string }, app = 'public'): object {
    const { password } = change;
    const email = change.email === undefined ? undefined : addressOf(change.email);
    const login = this.usersOf(app)
      .flatMap(({ methods }) => methods)
      .find((one) => one.recipeUserId === id && one.recipeId === 'emailpassword');
    if (login === undefined) return { status: 'UNKNOWN_USER_ID_ERROR' };
    const isTaken = email !== undefined && login.tenantIds.some((one) => this.login(email, app, one));
    if (isTaken && login.email !== email) return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
    // An address is verified, not a login.
    if (email !== undefined && email !== login.email) Object.assign(login, { email, verified: false });
    if (password !== undefined) login.password = password;
    return { status: 'OK' };
  }

  /** Resets a password as SDKs older than CDI 4 do. The double has the id of the user as its token. */
  resetPassword({ app, version, texts }: RoutedCall): object {
    const { token, newPassword } = texts;
    const login = this.usersOf(app)
      .find(({ id }) => id === token)
      ?.methods.find(({ recipeId }) => recipeId === 'emailpassword');
    if (login === undefined) return { status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' };
    login.password = newPassword ?? '';
    return { status: 'OK', ...(compareVersions(version, '2.12') >= 0 && { userId: token }) };
  }

  find({ app, version, query }: RoutedCall): object {
    const id = query.get('userId');
    const user = this.usersOf(app).find(
      (one) => one.id === id || one.methods.some(({ recipeUserId }) => recipeUserId === id),
    );
    return user === undefined
      ? { status: 'UNKNOWN_USER_ID_ERROR' }
      : { status: 'OK', user: wholeUserJson(user, version) };
  }

  findByAccountInfo({ app, tenant, version, query }: RoutedCall): object {
    const email = query.get('email');
    const [id, userId] = [query.get('thirdPartyId'), query.get('thirdPartyUserId')];
    const tests: ((method: DoubleMethod) => boolean)[] = [];
    if (email !== null) tests.push((method) => method.email === addressOf(email));
    if (id !== null) tests.push(({ thirdParty }) => thirdParty?.id === id && thirdParty.userId === userId);
    const isUnion = query.get('doUnionOfAccountInfo') === 'true';
    const found = this.usersOf(app).filter(({ methods }) => {
      const fits = tests.map((test) =>
        methods.some((method) => method.tenantIds.includes(tenant) && test(method)),
      );
      return isUnion ? fits.includes(true) : fits.length > 0 && !fits.includes(false);
    });
    return { status: 'OK', users: found.map((user) => wholeUserJson(user, version)) };
  }

  countUsers({ app, tenant, version, query }: RoutedCall): object {
    const isExact =
      compareVersions(version, '5.6') < 0 || query.get('allowApproximate')?.toLowerCase() !== 'true';
    const count = this.usersOf(app).filter(({ methods }) =>
      methods.some(({ tenantIds }) => tenantIds.includes(tenant)),
    ).length;
    return { status: 'OK', count, ...(!isExact && { approximate: false, asOf: Date.now() }) };
  }

  /** Removes a user, or one of several login methods. */
  remove(id: string, isWhole = true, app = 'public'): object {
    const user = this.usersOf(app).find(
      (one) => one.id === id || one.methods.some(({ recipeUserId }) => recipeUserId === id),
    );
    if (user === undefined) return { status: 'OK' };
    if (!isWhole && user.methods.length > 1)
      user.methods = user.methods.filter(({ recipeUserId }) => recipeUserId !== id);
    else this.users.splice(this.users.indexOf(user), 1);
    return { status: 'OK' };
  }
}

const matches = (hash: string, password: string): Promise<boolean> =>
  hash.startsWith('$argon2')
    ? argon2.verify(hash, password)
    : bcrypt.compare(password, hash.replace(/^\$2y/, '$2b'));

const HTML = 'text/html;charset=UTF-8';
const json = (body: object) => ({
  status: 200,
  type: 'application/json;charset=UTF-8',
  body: JSON.stringify(body),
});

/** Paths that the core answers without an API key. */
const OPEN_PATHS = [
  '/hello',
  '/.well-known/jwks.json',
  '/.well-known/sp-metadata',
  '/recipe/saml/legacy/token',
  '/recipe/saml/legacy/userinfo',
];

/**
 * Decodes a body as the core's Tomcat does. Without a charset, it is ISO 8859-1. Tomcat 11, which core 12 has, uses
 * the last charset of a well-formed type, that of earlier cores the first one.
 */
function decoded(body: Buffer, type = ''): string {
  const charset = /^[^\s/;]+\/[^\s/;]+\s*(?:;|$)/.test(type)
    ? [...type.matchAll(/;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]*))/gi)]
        .map((found) => found[1] ?? found[2])
        .at(-1)
    : undefined;
  const name = {
    undefined: 'latin1',
    'utf-8': 'utf8',
    utf8: 'utf8',
    'iso-8859-1': 'latin1',
    'us-ascii': 'ascii',
  }[String(charset).toLowerCase()] as 'utf8' | 'latin1' | 'ascii' | undefined;
  if (name === undefined) throw new Refusal(500, `java.io.UnsupportedEncodingException: ${charset}`);
  if (name === 'utf8' ? !isUtf8(body) : name === 'ascii' && body.some((byte) => byte > 0x7f))
    throw new Refusal(500, 'java.nio.charset.MalformedInputException: Input length = 1');
  return body.toString(name);
}

/** @throws {Refusal} for U+0000, which PostgreSQL does not store */
function addressOf(raw: string): string {
  const address = coreAddress(raw);
  if (!address.includes('\0')) return address;
  throw new Refusal(
    500,
    'io.supertokens.pluginInterface.exceptions.StorageQueryException: org.postgresql.util.PSQLException: ' +
      'ERROR: invalid byte sequence for encoding "UTF8": 0x00\n  Where: unnamed portal parameter $3',
  );
}

function parsed(body: string): Members {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  } catch {}
  throw new Refusal(400, 'Invalid Json Input');
}

/** Returns a member as the core reads it: a list of one text is that text, and a number is none. */
function textOf(member: unknown, name: string): string {
  let value = member;
  while (Array.isArray(value) && value.length === 1) [value] = value;
  if (typeof value === 'string') return value;
  throw new Refusal(400, `Field name '${name}' is invalid in JSON input`);
}

/** Splits a path as the core does, which takes an app without a name for the public one. */
function routed(pathname: string): { path: string; app: string; tenant: string } {
  const whole = pathname.toLowerCase();
  for (const path of PATHS)
    if (whole === path || whole === `${path}/`) return { path, app: 'public', tenant: 'public' };
  for (const path of PATHS) {
    const prefixed = new RegExp(
      `^(?:/appid-([a-z0-9-]*))?(?:/(?!recipe/|config/|users/|hello/)([a-z0-9-]+))?${path}/?$`,
    ).exec(whole);
    if (prefixed !== null) return { path, app: prefixed[1] || 'public', tenant: prefixed[2] || 'public' };
  }
  return { path: whole, app: 'public', tenant: 'public' };
}

const ROUTES: Record<
  string,
  {
    /** An app's call. In tenants other than the public one, it is refused from CDI 5 on. */
    isOfApp?: true;
    /** Texts in the body, or members of the query. A question mark follows those that may be missing. */
    needs?: string[] | ((version: string) => string[]);
    /** Further checks of the body, before those of app and tenant. May answer. */
    check?(call: RoutedCall): object | undefined;
    /** An array is a list of errors. */
    answer(double: CoreDouble, call: RoutedCall): object | Promise<object>;
  }
> = {
  'GET /apiversion': {
    isOfApp: true,
    answer: ({ versions, maxVersion }) => ({
      versions: versions.filter(
        (version) => maxVersion === undefined || compareVersions(version, maxVersion) <= 0,
      ),
    }),
  },
  'GET /ee/featureflag': {
    isOfApp: true,
    answer: ({ features }) => ({ features, usageStats: { maus: Array(31).fill(0) }, status: 'OK' }),
  },
  'GET /recipe/roles': { isOfApp: true, answer: ({ roles }) => ({ status: 'OK', roles }) },
  'GET /users/count': { answer: (double, call) => double.countUsers(call) },
  'POST /bulk-import/import': {
    isOfApp: true,
    answer: (double, { members, app, version }) => double.importUser(members, app, version),
  },
  'POST /bulk-import/users': {
    isOfApp: true,
    check: ({ members }) => (listOf(members.users, 'users').length > 0 ? undefined : { status: 'OK' }),
    answer: (double, call) => double.stage(call),
  },
  'GET /bulk-import/users': { isOfApp: true, answer: (double, call) => double.listStaged(call) },
  'GET /bulk-import/users/count': {
    isOfApp: true,
    answer: (double, { query, app }) => double.countStaged(query.get('status'), app),
  },
  'POST /bulk-import/users/remove': {
    isOfApp: true,
    check: ({ members }) =>
      listOf(members.ids, 'ids').length > 0 ? undefined : { deletedIds: [], invalidIds: [] },
    answer: (double, call) => double.removeStaged(call),
  },
  'POST /recipe/signin': {
    needs: ['email', 'password'],
    answer: (double, call) => double.signIn(call),
  },
  'POST /recipe/signup': {
    needs: ['email', 'password'],
    check: ({ texts }) => refuseEmpty(texts.password),
    answer: (double, call) => double.signUp(call),
  },
  'POST /recipe/signinup': {
    needs: ['thirdPartyId', 'thirdPartyUserId'],
    check: ({ members: { email }, version }) => {
      if (typeof email !== 'object' || email === null || Array.isArray(email))
        throw new Refusal(400, "Field name 'email' is invalid in JSON input");
      const { id, isVerified } = email as Members;
      textOf(id, 'id');
      if (compareVersions(version, '4.0') >= 0 && typeof isVerified !== 'boolean')
        throw new Refusal(400, "Field name 'isVerified' is invalid in JSON input");
      return undefined;
    },
    answer: (double, call) => double.signInUp(call),
  },
  'PUT /recipe/user': {
    isOfApp: true,
    needs: (version) => [
      compareVersions(version, '4.0') < 0 ? 'userId' : 'recipeUserId',
      'email?',
      'password?',
    ],
    check: ({ texts: { email, password }, rid }) => {
      if (email === undefined && password === undefined && rid !== 'passwordless')
        throw new Refusal(400, 'You have to provide either email or password.');
      return undefined;
    },
    // The double has no users of the recipe passwordless.
    answer: (double, { app, rid, texts: { recipeUserId, userId, ...change } }) =>
      rid === 'passwordless'
        ? { status: 'UNKNOWN_USER_ID_ERROR' }
        : double.update(recipeUserId ?? userId ?? '', change, app),
  },
  'POST /recipe/user/password/reset': {
    needs: ['method', 'token', 'newPassword'],
    check: ({ texts }) => refuseEmpty(texts.newPassword),
    answer: (double, call) => double.resetPassword(call),
  },
  'GET /user/id': { isOfApp: true, needs: ['userId'], answer: (double, call) => double.find(call) },
  'GET /users/by-accountinfo': {
    needs: ['doUnionOfAccountInfo'],
    answer: (double, call) => double.findByAccountInfo(call),
  },
  'POST /user/remove': {
    isOfApp: true,
    needs: ['userId'],
    answer: (double, { app, members, texts }) =>
      double.remove(texts.userId ?? '', members.removeAllLinkedAccounts !== false, app),
  },
};

/** The longest comes first: `/bulk-import/users/count` is not the call `/users/count` of a tenant. */
const PATHS = [...new Set(Object.keys(ROUTES).map((route) => route.split(' ')[1] ?? '')), ...OPEN_PATHS].sort(
  (a, b) => b.length - a.length,
);

function listOf(member: unknown, name: string): unknown[] {
  if (Array.isArray(member)) return member;
  throw new Refusal(400, `Field name '${name}' is invalid in JSON input`);
}

function refuseEmpty(password: string | undefined): undefined {
  if (password === '') throw new Refusal(400, 'Password cannot be an empty string');
}

/** Returns the user as calls do that know one login method only before CDI 4. */
function userJson(user: DoubleUser, version: string): object {
  if (compareVersions(version, '4.0') >= 0) return wholeUserJson(user, version);
  const [{ recipeUserId, timeJoined, tenantIds, email, thirdParty }] = user.methods as [DoubleMethod];
  return {
    id: recipeUserId,
    timeJoined,
    ...(compareVersions(version, '3.0') >= 0 && { tenantIds }),
    email,
    ...(thirdParty && { thirdParty }),
  };
}

/** WebAuthn is known from CDI 5.3 on. */
function wholeUserJson({ id, methods }: DoubleUser, version: string): object {
  return {
    id,
    isPrimaryUser: methods.length > 1,
    tenantIds: [...new Set(methods.flatMap(({ tenantIds }) => tenantIds))],
    timeJoined: Math.min(...methods.map(({ timeJoined }) => timeJoined)),
    emails: [...new Set(methods.map(({ email }) => email))],
    phoneNumbers: [],
    thirdParty: methods.flatMap(({ thirdParty }) => thirdParty ?? []),
    ...(compareVersions(version, '5.3') >= 0 && { webauthn: { credentialIds: [] } }),
    loginMethods: methods.map(
      ({ tenantIds, recipeUserId, verified, timeJoined, recipeId, email, thirdParty }) => ({
        tenantIds,
        recipeUserId,
        verified,
        timeJoined,
        recipeId,
        email,
        ...(thirdParty && { thirdParty }),
      }),
    ),
  };
}
