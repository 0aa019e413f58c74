import { identityKey } from '../identity-key.ts';
import {
  type Candidate,
  type CandidateMethod,
  externalIdsOf,
  type PasswordCandidate,
  type ThirdPartyCandidate,
} from './candidate.ts';
import { ChunkIds, methodId } from './chunk-ids.ts';
import type { KnownPassword, KnownThirdParty, LoginIds, Notebook } from './known.ts';
import type { Problem } from './line-codes.ts';
import type { Outcome } from './outcome.ts';
import type { NewEmail, NewPasswordLogin, NewThirdPartyLogin, Plan } from './plan.ts';
import type { ChunkLine, PlanOptions } from './plan-chunk.ts';

const NONE: readonly string[] = [];

type KnownLogin = KnownPassword | KnownThirdParty;

/** Decides lines one after the other. */
export class Planner {
  readonly plan: Plan = {
    ids: ChunkIds.create(),
    outcomes: [],
    users: [],
    passwordLogins: [],
    thirdPartyLogins: [],
    aliases: [],
    newHashes: new Map(),
    newEmails: new Map(),
    hashChanges: [],
    algorithms: {},
  };
  readonly #known: Notebook;
  readonly #options: PlanOptions;
  #place = 0;

  constructor(known: Notebook, options: PlanOptions) {
    this.#known = known;
    this.#options = options;
  }

  add(line: ChunkLine): void {
    this.plan.outcomes.push(
      line === undefined ? undefined : 'code' in line ? { status: 'FAILED', ...line } : this.#decide(line),
    );
    this.#place += 1;
  }

  /** The outcomes and rows since the last call: they are the caller's now. */
  take(): Pick<Plan, 'outcomes' | 'users' | 'passwordLogins' | 'thirdPartyLogins' | 'aliases'> {
    const { outcomes, users, passwordLogins, thirdPartyLogins, aliases } = this.plan;
    Object.assign(this.plan, {
      outcomes: [],
      users: [],
      passwordLogins: [],
      thirdPartyLogins: [],
      aliases: [],
    });
    return { outcomes, users, passwordLogins, thirdPartyLogins, aliases };
  }

  #decide(candidate: Candidate): Outcome {
    const { methods } = candidate;
    const met = this.#find(methods[0]) ?? (methods.length > 1 ? this.#findAny(methods) : undefined);
    if (met === undefined) return this.#create(candidate);
    const { onConflict } = this.#options;
    if (onConflict === 'fail') return this.#refuse(candidate);
    if (methods.some((method) => this.#find(method)?.userId !== met.userId)) {
      return failed(
        'LOGIN_METHODS_DIVIDED',
        'Some login methods of this line belong to a user that exists already, others to another one or to nobody',
      );
    }
    if (onConflict === 'skip') return { status: 'SKIPPED', ...this.#idsOf(met), ...existing(methods[0]) };
    if (this.#findForeignId(candidate) !== undefined) {
      return failed(
        'EXTERNAL_ID_ALREADY_EXISTS',
        'The user exists already, and not with the external ids of this line',
      );
    }
    for (const method of methods) {
      const problem = this.#guard(method);
      if (problem !== undefined) return { status: 'SKIPPED', ...this.#idsOf(met), ...problem };
    }
    for (const method of methods) this.#update(method);
    return { status: 'UPDATED', ...this.#idsOf(met) };
  }

  #findAny(methods: Candidate['methods']): KnownLogin | undefined {
    for (const method of methods) {
      const login = this.#find(method);
      if (login !== undefined) return login;
    }
    return undefined;
  }

  #find(method: CandidateMethod): KnownLogin | undefined {
    return method.recipeId === 'emailpassword'
      ? this.#known.passwords.get(method.email)
      : this.#known.thirdParties.get(identityKey(method.identity));
  }

  /** For a candidate of whom nothing is known but, perhaps, its external ids. */
  #create(candidate: Candidate): Outcome {
    const { plan } = this;
    const { dryRun, now } = this.#options;
    const { methods, externalId, metadata } = candidate;
    if (externalIdsOf(candidate).some((id) => this.#known.externalIds.has(id))) {
      return failed(
        'EXTERNAL_ID_ALREADY_EXISTS',
        'An external id of this line belongs to a user that exists already',
      );
    }
    const userId = candidate.userId ?? plan.ids.id(this.#place);
    const linked = methods.length > 1 || externalId !== undefined;
    let timeJoinedMs = methods[0].timeJoinedMs ?? now;
    for (let index = 0; index < methods.length; index += 1) {
      const method = methods[index] as CandidateMethod;
      const recipeUserId = methodId(userId, index);
      const joined = method.timeJoinedMs ?? now;
      if (joined < timeJoinedMs) timeJoinedMs = joined;
      this.#addLogin(method, { userId, recipeUserId, timeJoinedMs: joined, linked });
      if (index > 0) plan.aliases.push({ alias: recipeUserId, kind: 'recipe_user', userId, recipeUserId });
      this.#addExternalId(index === 0 ? externalId : method.externalId, { userId, recipeUserId });
      // Nobody after it may have it for an external id.
      if (candidate.userId !== undefined) this.#known.externalIds.set(recipeUserId, { userId, recipeUserId });
    }
    plan.users.push({ userId, timeJoinedMs, metadata });
    return { status: 'CREATED', userId: dryRun ? undefined : userId, externalUserId: externalId };
  }

  #addLogin(
    method: CandidateMethod,
    { userId, recipeUserId, timeJoinedMs, linked }: LoginIds & { timeJoinedMs: number; linked: boolean },
  ): void {
    const { email } = method;
    const isImagined = this.#options.dryRun;
    const verifiedEmails = method.verified ? [email] : NONE;
    if (method.recipeId === 'emailpassword') {
      const hash = hashOf(method);
      const login: NewPasswordLogin = {
        userId,
        recipeUserId,
        email,
        timeJoinedMs,
        linked,
        verifiedEmails,
        hash,
        hashSetBy: 'import',
        isImagined,
      };
      this.plan.passwordLogins.push(login);
      this.#known.passwords.set(email, login);
      this.#count(hash.algorithm);
      return;
    }
    const login: NewThirdPartyLogin = {
      userId,
      recipeUserId,
      email,
      timeJoinedMs,
      linked,
      verifiedEmails,
      identity: method.identity,
      hasSignedIn: false,
      isImagined,
    };
    this.plan.thirdPartyLogins.push(login);
    this.#known.thirdParties.set(identityKey(method.identity), login);
    this.#count('thirdparty');
  }

  #addExternalId(alias: string | undefined, ids: LoginIds): void {
    if (alias === undefined) return;
    this.plan.aliases.push({ alias, kind: 'external', ...ids });
    this.#known.externalIds.set(alias, ids);
    if (ids.recipeUserId === ids.userId) this.#known.externalIdOfUser.set(ids.userId, alias);
  }

  #refuse(candidate: Candidate): Outcome {
    const method = candidate.methods.find((one) => this.#find(one) !== undefined) ?? candidate.methods[0];
    return { status: 'FAILED', ...existing(method), method };
  }

  /** An external id of this candidate that is neither of its login nor, where it stands first, of its user. */
  #findForeignId(candidate: Candidate): string | undefined {
    return candidate.methods
      .map((method, index) => {
        const externalId = index === 0 ? candidate.externalId : method.externalId;
        if (externalId === undefined) return undefined;
        const ownerId = this.#known.externalIds.get(externalId)?.recipeUserId;
        const login = this.#find(method);
        const isOwn = ownerId === login?.recipeUserId || (index === 0 && ownerId === login?.userId);
        return isOwn ? undefined : externalId;
      })
      .find((id) => id !== undefined);
  }

  /** Why a login that is there must be left as it is. */
  #guard(method: CandidateMethod): Problem | undefined {
    if (this.#options.onConflict === 'overwrite') return undefined;
    if (method.recipeId === 'emailpassword') {
      return this.#known.passwords.get(method.email)?.hashSetBy === 'import'
        ? undefined
        : {
            code: 'PASSWORD_CHANGED_SINCE',
            message:
              'The password was set by its user, not by an import: it is kept (onConflict=update-unchanged)',
          };
    }
    const login = this.#known.thirdParties.get(identityKey(method.identity));
    return login?.hasSignedIn === false || login?.email === method.email
      ? undefined
      : {
          code: 'SIGNED_IN_SINCE',
          message:
            'The user has signed in, which brought the e-mail that is kept (onConflict=update-unchanged)',
        };
  }

  #update(method: CandidateMethod): void {
    if (method.recipeId === 'emailpassword') this.#updateHash(method);
    else this.#updateEmail(method);
  }

  #updateHash(method: PasswordCandidate): void {
    const login = this.#known.passwords.get(method.email);
    if (login === undefined) return;
    const hash = hashOf(method);
    const { userId, recipeUserId } = login;
    if (hasHash(login)) login.hash = hash;
    else this.plan.newHashes.set(method.email, { userId, recipeUserId, hash });
    login.hashSetBy = 'import';
    this.plan.hashChanges.push({ recipeUserId, algorithm: hash.algorithm });
    this.#count(hash.algorithm);
  }

  #updateEmail({ identity, email, verified }: ThirdPartyCandidate): void {
    const key = identityKey(identity);
    const login = this.#known.thirdParties.get(key);
    if (login === undefined) return;
    const { userId, recipeUserId } = login;
    const row = isNew(login) ? login : this.#newEmail(key, { userId, recipeUserId, identity });
    row.email = email;
    if (verified && !row.verifiedEmails.includes(email)) row.verifiedEmails = [...row.verifiedEmails, email];
    login.email = email;
    this.#count('thirdparty');
  }

  #newEmail(key: string, of: Omit<NewEmail, 'email' | 'verifiedEmails'>): NewEmail {
    let change = this.plan.newEmails.get(key);
    if (change === undefined) {
      change = { ...of, email: '', verifiedEmails: NONE };
      this.plan.newEmails.set(key, change);
    }
    return change;
  }

  #idsOf(login: KnownLogin): Pick<Outcome, 'userId' | 'externalUserId'> {
    const externalUserId = this.#known.externalIdOfUser.get(login.userId);
    return {
      ...(!login.isImagined && { userId: login.userId }),
      ...(externalUserId !== undefined && { externalUserId }),
    };
  }

  #count(algorithm: string): void {
    this.plan.algorithms[algorithm] = (this.plan.algorithms[algorithm] ?? 0) + 1;
  }
}

/** Is it one that this chunk will create? */
const hasHash = (login: KnownPassword): login is NewPasswordLogin => 'hash' in login;
const isNew = (login: KnownThirdParty): login is NewThirdPartyLogin => 'identity' in login;

function hashOf({ credential }: PasswordCandidate) {
  if ('plainText' in credential) throw new Error('a password was not hashed before it was to be stored');
  return credential.hash;
}

const failed = (code: Problem['code'], message: string): Outcome => ({ status: 'FAILED', code, message });

function existing(method: CandidateMethod): Problem {
  return method.recipeId === 'emailpassword'
    ? { code: 'EMAIL_ALREADY_EXISTS', message: 'A user with this e-mail exists already' }
    : {
        code: 'THIRD_PARTY_USER_ALREADY_EXISTS',
        message: 'A user with this third-party identity exists already',
      };
}
