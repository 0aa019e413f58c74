import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import argon2 from 'argon2';
import bcrypt from 'bcrypt';

interface DoubleMethod {
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
  id: string;
  metadata: unknown;
  methods: DoubleMethod[];
}

interface Staged {
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
  body: string;
}

/** What the double does with a call in place of answering it. */
export type Fault = 'break' | 'break after work' | 500;

/**
 * A double of the calls of a SuperTokens core that this service makes. Its answers were recorded on the genuine core
 * 11.2.3, and core-double.test.ts compares the two. Other calls get an answer that tells what arrived.
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
  login(email: string): DoubleMethod | undefined {
    return this.users
      .flatMap(({ methods }) => methods)
      .find((one) => one.recipeId === 'emailpassword' && one.email === email);
  }

  /** Does what the core does every five minutes: it creates the users of its stage. */
  emptyStage(): void {
    for (const staged of this.#staged.filter(({ status }) => status === 'NEW')) {
      if (this.#create(staged.user) === undefined) this.#staged.splice(this.#staged.indexOf(staged), 1);
      else staged.status = 'FAILED';
    }
  }

  get stagedCount(): number {
    return this.#staged.filter(({ status }) => status === 'NEW').length;
  }

  async #receive(request: IncomingMessage): Promise<CoreCall> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isUtf8 = /charset=utf-8/i.test(request.headers['content-type'] ?? '');
    return {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(isUtf8 ? 'utf8' : 'latin1'),
    };
  }

  async #answer(call: CoreCall): Promise<{ status: number; type: string; body: string }> {
    const { pathname, searchParams } = new URL(call.path, this.url);
    // Names of the public app and the public tenant. The core takes an app without a name, too.
    const path = pathname.toLowerCase().replace(/^(\/appid-(public)?)?(\/public)?(?=\/)/, '');
    const route = ROUTES[`${call.method} ${path}`];
    if (pathname === '/hello') return { status: 200, type: HTML, body: 'Hello' };
    if (this.apiKey !== undefined && call.headers['api-key'] !== this.apiKey)
      return { status: 401, type: HTML, body: 'Invalid API key' };
    if (route === undefined)
      return json({
        double: 'of a core',
        method: call.method,
        path: call.path,
        headers: call.headers,
        body: call.body,
      });
    let members: Members = {};
    if (call.method !== 'GET') {
      try {
        members = JSON.parse(call.body);
      } catch {
        return { status: 400, type: HTML, body: 'Invalid Json Input' };
      }
    }
    const missing = route.needs?.find((name) => typeof members[name] !== 'string');
    if (missing !== undefined)
      return { status: 400, type: HTML, body: `Field name '${missing}' is invalid in JSON input` };
    const answer = await route.answer(this, members, searchParams);
    if (Array.isArray(answer)) return { status: 400, type: HTML, body: JSON.stringify({ errors: answer }) };
    if ('error' in answer) return { status: 400, type: HTML, body: JSON.stringify(answer) };
    return json(answer);
  }

  /** Returns what is wrong with a user, whoever else is there. */
  #problemsOf(input: Members): string[] | undefined {
    const methods = input.loginMethods as Members[] | undefined;
    if (!Array.isArray(methods)) return ['loginMethods is required.'];
    if (methods.length > 1 && !this.features.includes('account_linking'))
      return ['Account linking must be enabled to import multiple loginMethods.'];
    const { totpDevices = [], userRoles = [] } = input as { totpDevices?: Members[]; userRoles?: Members[] };
    if (totpDevices.length > 0 && !this.features.includes('mfa'))
      return ['MFA must be enabled to import totp devices.'];
    const unknown = userRoles.find(({ role }) => !this.roles.includes(String(role)));
    if (unknown !== undefined) return [`Role ${String(unknown.role)} does not exist.`];
    return undefined;
  }

  /** Creates a user. Returns the reasons if it does not. */
  #create(input: Members): string[] | undefined {
    const problems = this.#problemsOf(input);
    if (problems !== undefined) return problems;
    const { totpDevices = [], userRoles = [] } = input as { totpDevices?: Members[]; userRoles?: Members[] };
    const methods = input.loginMethods as Members[];
    const others = this.users.flatMap((user) => user.methods);
    for (const { email, recipeId, thirdPartyId, thirdPartyUserId } of methods) {
      if (recipeId === 'emailpassword' && this.login(String(email)) !== undefined)
        return [`E003: A user with email ${email} already exists in emailpassword loginMethod.`];
      const isTaken = others.some(
        ({ thirdParty }) => thirdParty?.id === thirdPartyId && thirdParty?.userId === thirdPartyUserId,
      );
      if (recipeId === 'thirdparty' && isTaken) return ['translated'];
    }
    const id = String(input.externalUserId);
    if (this.users.some((user) => user.id === id))
      return ['java.sql.BatchUpdateException: ERROR: duplicate key value violates unique constraint'];
    this.users.push({
      id,
      metadata: input.userMetadata,
      ...(totpDevices.length > 0 && { totpDevices }),
      ...(userRoles.length > 0 && { userRoles }),
      methods: methods.map((method, index) => ({
        recipeUserId: index === 0 ? id : `${id}-${index}`,
        recipeId: method.recipeId as DoubleMethod['recipeId'],
        email: String(method.email),
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

  importUser(input: Members): object {
    const errors = this.#create(input);
    if (errors !== undefined) return errors;
    return { status: 'OK', user: userJson(this.users.at(-1) as DoubleUser) };
  }

  stage(users: Members[]): object {
    const refused = users.flatMap((user, index) => {
      const errors = this.#problemsOf(user);
      return errors === undefined ? [] : [{ index, errors }];
    });
    if (refused.length > 0)
      return {
        error: 'Data has missing or invalid fields. Please check the users field for more details.',
        users: refused,
      };
    for (const user of users) this.#staged.push({ id: crypto.randomUUID(), status: 'NEW', user });
    return { status: 'OK' };
  }

  countStaged(status: string | null): object {
    return { status: 'OK', count: this.#staged.filter((one) => one.status === status).length };
  }

  listStaged(status: string | null, limit: number): object {
    const found = this.#staged.filter((one) => status === null || one.status === status).slice(0, limit);
    return {
      status: 'OK',
      users: found.map(({ id, user, status: state }) => ({ id, ...user, status: state })),
    };
  }

  removeStaged(ids: string[]): object {
    const deletedIds = ids.filter((id) => this.#staged.some((one) => one.id === id));
    for (const id of deletedIds)
      this.#staged.splice(
        this.#staged.findIndex((one) => one.id === id),
        1,
      );
    return { deletedIds, invalidIds: ids.filter((id) => !deletedIds.includes(id)) };
  }

  async signIn(email: string, password: string): Promise<object> {
    const login = this.login(email);
    const isRight =
      login !== undefined &&
      (login.password === undefined
        ? await matches(login.hash ?? '', password)
        : login.password === password);
    if (!isRight) return { status: 'WRONG_CREDENTIALS_ERROR' };
    const user = this.users.find(({ methods }) => methods.includes(login)) as DoubleUser;
    return { status: 'OK', user: userJson(user), recipeUserId: login.recipeUserId };
  }

  signUp(email: string, password: string): object {
    if (this.login(email) !== undefined) return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
    const id = crypto.randomUUID();
    const method = { recipeUserId: id, recipeId: 'emailpassword', email, verified: false } as const;
    const user = { id, metadata: undefined, methods: [{ ...method, timeJoined: Date.now(), password }] };
    this.users.push(user);
    return { status: 'OK', user: userJson(user), recipeUserId: id };
  }

  update(recipeUserId: string, { email, password }: Members): object {
    const login = this.users
      .flatMap(({ methods }) => methods)
      .find((one) => one.recipeUserId === recipeUserId && one.recipeId === 'emailpassword');
    if (login === undefined) return { status: 'UNKNOWN_USER_ID_ERROR' };
    if (typeof email === 'string') login.email = email;
    if (typeof password === 'string') login.password = password;
    return { status: 'OK' };
  }

  /** Resets a password as SDKs older than CDI 4 do. The double has the id of the user as its token. */
  resetPassword(token: string, newPassword: string): object {
    const login = this.users
      .find(({ id }) => id === token)
      ?.methods.find(({ recipeId }) => recipeId === 'emailpassword');
    if (login === undefined) return { status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' };
    login.password = newPassword;
    return { status: 'OK', userId: token };
  }

  find(id: string | null): object {
    const user = this.users.find(
      (one) => one.id === id || one.methods.some(({ recipeUserId }) => recipeUserId === id),
    );
    return user === undefined ? { status: 'UNKNOWN_USER_ID_ERROR' } : { status: 'OK', user: userJson(user) };
  }

  findByEmail(email: string | null): object {
    const found = this.users.filter(({ methods }) => methods.some((one) => one.email === email));
    return { status: 'OK', users: found.map(userJson) };
  }

  remove(id: unknown): object {
    const at = this.users.findIndex((user) => user.id === id);
    if (at >= 0) this.users.splice(at, 1);
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

const ROUTES: Record<
  string,
  {
    needs?: string[];
    /** An array is a list of errors. */
    answer(double: CoreDouble, members: Members, query: URLSearchParams): object | Promise<object>;
  }
> = {
  'GET /apiversion': { answer: () => ({ versions: ['2.7', '3.0', '4.0', '5.0', '5.1', '5.2', '5.3'] }) },
  'GET /ee/featureflag': {
    answer: ({ features }) => ({ features, usageStats: { maus: [] }, status: 'OK' }),
  },
  'GET /recipe/roles': { answer: ({ roles }) => ({ status: 'OK', roles }) },
  'GET /users/count': { answer: ({ users }) => ({ status: 'OK', count: users.length }) },
  'POST /bulk-import/import': { answer: (double, user) => double.importUser(user) },
  'POST /bulk-import/users': { answer: (double, { users }) => double.stage(users as Members[]) },
  'GET /bulk-import/users': {
    answer: (double, _, query) => double.listStaged(query.get('status'), Number(query.get('limit'))),
  },
  'GET /bulk-import/users/count': { answer: (double, _, query) => double.countStaged(query.get('status')) },
  'POST /bulk-import/users/remove': { answer: (double, { ids }) => double.removeStaged(ids as string[]) },
  'POST /recipe/signin': {
    needs: ['email', 'password'],
    answer: (double, { email, password }) => double.signIn(String(email), String(password)),
  },
  'POST /recipe/signup': {
    needs: ['email', 'password'],
    answer: (double, { email, password }) => double.signUp(String(email), String(password)),
  },
  'PUT /recipe/user': {
    needs: ['recipeUserId'],
    answer: (double, { recipeUserId, ...change }) => double.update(String(recipeUserId), change),
  },
  'POST /recipe/user/password/reset': {
    needs: ['method', 'token', 'newPassword'],
    answer: (double, { token, newPassword }) => double.resetPassword(String(token), String(newPassword)),
  },
  'GET /user/id': { answer: (double, _, query) => double.find(query.get('userId')) },
  'GET /users/by-accountinfo': { answer: (double, _, query) => double.findByEmail(query.get('email')) },
  'POST /user/remove': { needs: ['userId'], answer: (double, { userId }) => double.remove(userId) },
};

const userJson = ({ id, methods }: DoubleUser) => ({
  id,
  isPrimaryUser: methods.length > 1,
  tenantIds: ['public'],
  timeJoined: Math.min(...methods.map(({ timeJoined }) => timeJoined)),
  emails: [...new Set(methods.map(({ email }) => email))],
  phoneNumbers: [],
  thirdParty: methods.flatMap(({ thirdParty }) => thirdParty ?? []),
  webauthn: { credentialIds: [] },
  loginMethods: methods.map(({ recipeUserId, verified, timeJoined, recipeId, email, thirdParty }) => ({
    tenantIds: ['public'],
    recipeUserId,
    verified,
    timeJoined,
    recipeId,
    email,
    ...(thirdParty && { thirdParty }),
  })),
});
