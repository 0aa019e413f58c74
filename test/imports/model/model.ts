import type { OnConflict } from '../../../src/imports/import-request.ts';

/**
 * Reference model of a streamed import, as simple as possible: users in a list, lines applied one by one. It
 * follows the HTTP protocol, not the source.
 */
export interface Person {
  externalId?: string | undefined;
  metadata?: object | undefined;
  /** The first login is the primary one. */
  logins: readonly [Login, ...Login[]];
}

export interface Login {
  /** `p:<email>` or `t:<provider> <subject>`, which identifies the login. */
  key: string;
  email: string;
  /** Hash of a password login, or the password to hash. */
  secret?: { hash: string } | { password: string } | undefined;
  isVerified?: boolean | undefined;
  timeJoinedMs?: number | undefined;
  /** External id of a login that is not the primary one. */
  externalId?: string | undefined;
}

export interface ModelUser {
  externalId: string | undefined;
  metadata: object | undefined;
  logins: ModelLogin[];
}

export interface ModelLogin {
  key: string;
  email: string;
  secret: Login['secret'];
  setBy: 'import' | 'user';
  verified: Set<string>;
  hasSignedIn: boolean;
  /** Undefined if it is unknown. */
  timeJoinedMs: number | undefined;
  externalId: string | undefined;
  /** Number of times imports have replaced the hash. */
  replacements: number;
}

export interface Verdict {
  status: 'CREATED' | 'UPDATED' | 'SKIPPED' | 'FAILED';
  code?: string;
  user?: ModelUser;
  externalUserId?: string;
}

export class ModelUsers {
  users: ModelUser[] = [];
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  userOf(key: string): ModelUser | undefined {
    return this.users.find(({ logins }) => logins.some((login) => login.key === key));
  }

  login(key: string): ModelLogin | undefined {
    return this.userOf(key)?.logins.find((login) => login.key === key);
  }

  /** Applies one line of an import. */
  import(person: Person, onConflict: OnConflict): Verdict {
    const keys = person.logins.map(({ key }) => key);
    const existing = keys.filter((key) => this.userOf(key) !== undefined);
    const [first] = existing;
    const user = first === undefined ? undefined : this.userOf(first);
    if (first === undefined || user === undefined) {
      if (externalIdsOf(person).some((id) => this.#isTaken(id))) return FOREIGN_ID;
      const created = this.add(person);
      return { status: 'CREATED', user: created, ...named(created) };
    }
    if (onConflict === 'fail') return { status: 'FAILED', code: takenCode(first) };
    if (keys.some((key) => this.userOf(key) !== user)) {
      return { status: 'FAILED', code: 'LOGIN_METHODS_DIVIDED' };
    }
    const about = { user, ...named(user) };
    if (onConflict === 'skip') return { status: 'SKIPPED', code: takenCode(first), ...about };
    if (!this.#hasItsIds(user, person)) return FOREIGN_ID;
    if (onConflict === 'update-unchanged') {
      for (const login of person.logins) {
        const code = changedSince(login, this.login(login.key));
        if (code !== undefined) return { status: 'SKIPPED', code, ...about };
      }
    }
    for (const login of person.logins) this.#update(login);
    return { status: 'UPDATED', ...about };
  }

  add({ externalId, metadata, logins }: Person, state: Partial<ModelLogin> = {}): ModelUser {
    const user: ModelUser = {
      externalId,
      metadata,
      logins: logins.map((login) => ({
        key: login.key,
        email: login.email,
        secret: login.secret,
        setBy: 'import',
        verified: new Set(login.isVerified ? [login.email] : []),
        hasSignedIn: false,
        timeJoinedMs: login.timeJoinedMs ?? this.#now,
        externalId: login.externalId,
        replacements: 0,
        ...state,
      })),
    };
    this.users.push(user);
    return user;
  }

  remove(user: ModelUser): void {
    this.users = this.users.filter((one) => one !== user);
  }

  #isTaken(externalId: string): boolean {
    return this.users.some(
      (user) =>
        user.externalId === externalId || user.logins.some((login) => login.externalId === externalId),
    );
  }

  #hasItsIds(user: ModelUser, { externalId, logins }: Person): boolean {
    const [primary, ...others] = logins;
    const idOf = (key: string) =>
      user.logins[0]?.key === key ? user.externalId : this.login(key)?.externalId;
    return (
      (externalId === undefined || externalId === user.externalId || externalId === idOf(primary.key)) &&
      others.every((login) => login.externalId === undefined || login.externalId === idOf(login.key))
    );
  }

  #update({ key, secret, email, isVerified }: Login): void {
    const login = this.login(key);
    if (login === undefined) return;
    if (isVerified) login.verified.add(email);
    if (secret === undefined) login.email = email;
    else {
      login.secret = secret;
      login.setBy = 'import';
      login.replacements += 1;
    }
  }
}

const FOREIGN_ID: Verdict = { status: 'FAILED', code: 'EXTERNAL_ID_ALREADY_EXISTS' };

const takenCode = (key: string) =>
  key.startsWith('p:') ? 'EMAIL_ALREADY_EXISTS' : 'THIRD_PARTY_USER_ALREADY_EXISTS';

function changedSince(login: Login, stored: ModelLogin | undefined): string | undefined {
  if (stored === undefined) return undefined;
  if (login.secret !== undefined) return stored.setBy === 'user' ? 'PASSWORD_CHANGED_SINCE' : undefined;
  return stored.hasSignedIn && stored.email !== login.email ? 'SIGNED_IN_SINCE' : undefined;
}

const named = ({ externalId }: ModelUser) => (externalId === undefined ? {} : { externalUserId: externalId });

const externalIdsOf = ({ externalId, logins }: Person) =>
  [externalId, ...logins.map((login) => login.externalId)].filter((id) => id !== undefined);
