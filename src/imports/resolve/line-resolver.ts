import type { KeptHash } from '../../hashing/verifier.ts';
import type { HashFingerprints } from '../../passwords/hash-fingerprint.ts';
import type { Credential, NoHash } from '../../passwords/no-hash.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import { identityKey } from '../../users/user.ts';
import type { OnConflict } from '../import-request.ts';
import type { LineError } from '../input/line-error.ts';
import type {
  ParsedLine,
  ParsedLoginMethod,
  ParsedPasswordLogin,
  ParsedThirdPartyLogin,
  ParsedUser,
} from '../input/parsed-user.ts';
import { ChunkIds, methodId } from './chunk-ids.ts';
import type {
  ExistingPasswordLogin,
  ExistingThirdPartyLogin,
  LoginIds,
  LoginIndex,
  UserState,
} from './existing-logins.ts';
import { countLogin } from './hash-counts.ts';
import {
  alreadyExists,
  CHANGE_IN_CORE,
  EMAIL_SET_HERE,
  failed,
  IN_CORE,
  PASSWORD_CHANGED_SINCE,
  SIGNED_IN_SINCE,
} from './line-failures.ts';
import { externalIdsOf } from './login-keys.ts';
import type { Outcome } from './outcome.ts';
import { sealedFactors } from './sealed-factors.ts';
import { storedCredential } from './stored-credential.ts';
import {
  emptyWriteSet,
  type NewEmail,
  type NewPasswordLogin,
  type NewRows,
  type NewThirdPartyLogin,
  type WriteSet,
} from './write-set.ts';

const NONE: readonly string[] = [];

type ExistingLogin = ExistingPasswordLogin | ExistingThirdPartyLogin;

export interface ResolveOptions {
  onConflict: OnConflict;
  /**
   * Recognises imported hashes that this service has replaced. For `update-unchanged` and `overwrite` only.
   */
  fingerprints?: HashFingerprints;
  /** Users whom a dry run would create are reported without an id. */
  dryRun: boolean;
  vault: FactorVault;
  /** For an import that matches by external id. */
  trustExternalIds?: boolean | undefined;
  /** Milliseconds since the epoch: the join time of users whose line states none. */
  now: number;
}

/** Decides the outcome of import lines one by one, and collects the rows to write. */
export class LineResolver {
  readonly writeSet = emptyWriteSet(ChunkIds.create());
  readonly #existing: LoginIndex;
  readonly #options: ResolveOptions;
  #lineIndex = 0;

  constructor(existing: LoginIndex, options: ResolveOptions) {
    this.#existing = existing;
    this.#options = options;
  }

  addAll(lines: readonly ParsedLine[]): this {
    for (const line of lines) this.add(line);
    return this;
  }

  add(line: ParsedLine): void {
    this.writeSet.outcomes.push(this.#outcomeOf(line));
    this.#lineIndex += 1;
  }

  take(): NewRows & Pick<WriteSet, 'outcomes'> {
    const { outcomes, users, passwordLogins, thirdPartyLogins, aliases } = this.writeSet;
    Object.assign(this.writeSet, {
      outcomes: [],
      users: [],
      passwordLogins: [],
      thirdPartyLogins: [],
      aliases: [],
    });
    return { outcomes, users, passwordLogins, thirdPartyLogins, aliases };
  }

  #outcomeOf(line: ParsedLine): Outcome | undefined {
    if (line === undefined) return undefined;
    if ('methods' in line) return this.#decide(line);
    if ('code' in line) return { status: 'FAILED', ...line };
    throw new Error('only an import that matches by external id disables users');
  }

  #decide(parsedUser: ParsedUser): Outcome {
    const { methods } = parsedUser;
    const met = this.#find(methods[0]) ?? (methods.length > 1 ? this.#findAny(methods) : undefined);
    if (met === undefined) return this.#create(parsedUser);
    const { onConflict } = this.#options;
    if (onConflict === 'fail') return this.#refuse(parsedUser);
    if (methods.some((method) => this.#find(method)?.userId !== met.userId)) {
      return failed(
        'LOGIN_METHODS_DIVIDED',
        'Some login methods of this line belong to a user that exists already, others to another one or to nobody',
      );
    }
    if (onConflict === 'skip')
      return { status: 'SKIPPED', ...this.#idsOf(met), ...alreadyExists(methods[0]) };
    if (this.#findForeignId(parsedUser) !== undefined) {
      return failed(
        'EXTERNAL_ID_ALREADY_EXISTS',
        'The user exists already, and not with the external ids of this line',
      );
    }
    if (this.#mayBeSomebodyElse(parsedUser)) return { status: 'FAILED', ...EMAIL_SET_HERE };
    if (methods.some((method) => this.#find(method)?.inCore !== undefined))
      return this.#decideInCore(parsedUser, met);
    for (const method of methods) {
      const problem = this.#guard(method);
      if (problem !== undefined) return { status: 'SKIPPED', ...this.#idsOf(met), ...problem };
    }
    for (const method of methods) this.#update(method);
    this.#updateState(parsedUser, met);
    this.#updateFactors(parsedUser, met);
    return { status: 'UPDATED', ...this.#idsOf(met) };
  }

  /** In the SuperTokens core, only the hash of a login that waits for its first sign-in can be replaced. */
  #decideInCore({ methods, disabled }: ParsedUser, met: ExistingLogin): Outcome {
    const isOtherState =
      disabled !== undefined && disabled !== met.state?.disabled && !this.#keepsState(met.state);
    const isOtherEmail = methods.some(
      (method) =>
        method.recipeId === 'thirdparty' &&
        this.#existing.thirdParties.get(identityKey(method.identity))?.email !== method.email,
    );
    if (isOtherState || isOtherEmail) return { status: 'FAILED', ...CHANGE_IN_CORE };
    const waiting = methods.filter(
      (method): method is ParsedPasswordLogin =>
        method.recipeId === 'emailpassword' && this.#find(method)?.inCore === 'waiting',
    );
    const problem =
      waiting.length === 0 ? IN_CORE : waiting.map((method) => this.#guard(method)).find((one) => one);
    if (problem !== undefined) return { status: 'SKIPPED', ...this.#idsOf(met), ...problem };
    for (const method of waiting) this.#updateCredential(method);
    return { status: 'UPDATED', ...this.#idsOf(met) };
  }

  #findAny(methods: ParsedUser['methods']): ExistingLogin | undefined {
    for (const method of methods) {
      const login = this.#find(method);
      if (login !== undefined) return login;
    }
    return undefined;
  }

  #find(method: ParsedLoginMethod): ExistingLogin | undefined {
    return method.recipeId === 'emailpassword'
      ? this.#existing.passwords.get(method.email)
      : this.#existing.thirdParties.get(identityKey(method.identity));
  }

  #create(parsedUser: ParsedUser): Outcome {
    const { writeSet } = this;
    const { dryRun, vault, now } = this.#options;
    const { methods, externalId, profile, disabled = false } = parsedUser;
    if (externalIdsOf(parsedUser).some((id) => this.#existing.externalIds.has(id))) {
      return failed(
        'EXTERNAL_ID_ALREADY_EXISTS',
        'An external id of this line belongs to a user that exists already',
      );
    }
    const userId = parsedUser.userId ?? writeSet.ids.id(this.#lineIndex);
    const hasMore = methods.length > 1 || externalId !== undefined;
    let timeJoinedMs = methods[0].timeJoinedMs ?? now;
    for (let index = 0; index < methods.length; index += 1) {
      const method = methods[index] as ParsedLoginMethod;
      const recipeUserId = methodId(userId, index);
      const joined = method.timeJoinedMs ?? now;
      if (joined < timeJoinedMs) timeJoinedMs = joined;
      this.#addLogin(method, { userId, recipeUserId, timeJoinedMs: joined, hasMore, disabled });
      if (index > 0)
        writeSet.aliases.push({ alias: recipeUserId, kind: 'recipe_user', userId, recipeUserId });
      this.#addExternalId(index === 0 ? externalId : method.externalId, { userId, recipeUserId });
      // The id of this user may not become an external id in a later line.
      if (parsedUser.userId !== undefined)
        this.#existing.externalIds.set(recipeUserId, { userId, recipeUserId });
    }
    const factors = dryRun ? undefined : sealedFactors(vault, userId, parsedUser.factors);
    writeSet.users.push({ userId, timeJoinedMs, profile, factors });
    return { status: 'CREATED', userId: dryRun ? undefined : userId, externalUserId: externalId };
  }

  #addLogin(
    method: ParsedLoginMethod,
    {
      userId,
      recipeUserId,
      timeJoinedMs,
      hasMore,
      disabled,
    }: LoginIds & { timeJoinedMs: number; hasMore: boolean; disabled: boolean },
  ): void {
    const { email } = method;
    const isDryRun = this.#options.dryRun;
    const verifiedEmails = method.verified ? [email] : NONE;
    if (method.recipeId === 'emailpassword') {
      const credential = storedCredential(method);
      const login: NewPasswordLogin = {
        userId,
        recipeUserId,
        email,
        timeJoinedMs,
        hasMore,
        verifiedEmails,
        disabled,
        hash: 'hash' in credential ? credential.hash : undefined,
        noHash: 'noHash' in credential ? credential.noHash : undefined,
        hashSetBy: 'import',
        isDryRun,
      };
      this.writeSet.passwordLogins.push(login);
      this.#existing.passwords.set(email, login);
      countLogin(this.writeSet, credential);
      return;
    }
    const login: NewThirdPartyLogin = {
      userId,
      recipeUserId,
      email,
      timeJoinedMs,
      hasMore,
      verifiedEmails,
      disabled,
      identity: method.identity,
      hasSignedIn: false,
      isDryRun,
    };
    this.writeSet.thirdPartyLogins.push(login);
    this.#existing.thirdParties.set(identityKey(method.identity), login);
    countLogin(this.writeSet);
  }

  #addExternalId(alias: string | undefined, ids: LoginIds): void {
    if (alias === undefined) return;
    this.writeSet.aliases.push({ alias, kind: 'external', ...ids });
    this.#existing.externalIds.set(alias, ids);
    if (ids.recipeUserId === ids.userId) this.#existing.externalIdOfUser.set(ids.userId, alias);
  }

  #refuse(parsedUser: ParsedUser): Outcome {
    const method = parsedUser.methods.find((one) => this.#find(one) !== undefined) ?? parsedUser.methods[0];
    return { status: 'FAILED', ...alreadyExists(method), method };
  }

  /** Returns an external id of the line that is not the login's own. The first one may also be the user's. */
  #findForeignId(parsedUser: ParsedUser): string | undefined {
    return parsedUser.methods
      .map((method, index) => {
        const externalId = index === 0 ? parsedUser.externalId : method.externalId;
        if (externalId === undefined) return undefined;
        const ownerId = this.#existing.externalIds.get(externalId)?.recipeUserId;
        const login = this.#find(method);
        const isOwn = ownerId === login?.recipeUserId || (index === 0 && ownerId === login?.userId);
        return isOwn ? undefined : externalId;
      })
      .find((id) => id !== undefined);
  }

  /** Any other login, or an external id, which is the user's here, shows that the line means the user. */
  #mayBeSomebodyElse(parsedUser: ParsedUser): boolean {
    return (
      externalIdsOf(parsedUser).length === 0 &&
      parsedUser.methods.every(
        (method) =>
          method.recipeId === 'emailpassword' && this.#existing.passwords.get(method.email)?.isEmailChanged,
      )
    );
  }

  #guard(method: ParsedLoginMethod): LineError | undefined {
    if (this.#options.onConflict === 'overwrite') return undefined;
    if (method.recipeId === 'emailpassword') {
      // A line without a hash does not change the password, so a password that the user has set cannot be
      // lost.
      if ('noHash' in method.credential) return undefined;
      const isOfUser = this.#existing.passwords.get(method.email)?.hashSetBy === 'user';
      return isOfUser ? PASSWORD_CHANGED_SINCE : undefined;
    }
    const login = this.#existing.thirdParties.get(identityKey(method.identity));
    const isKept = login?.hasSignedIn !== false && login?.email !== method.email;
    return isKept ? SIGNED_IN_SINCE : undefined;
  }

  #update(method: ParsedLoginMethod): void {
    if (method.recipeId === 'emailpassword') this.#updateCredential(method);
    else this.#updateEmail(method);
  }

  #updateCredential(method: ParsedPasswordLogin): void {
    const login = this.#existing.passwords.get(method.email);
    if (login === undefined) return;
    const credential = storedCredential(method);
    if ('hash' in credential) this.#updateHash(login, method.email, credential);
    else this.#updateNoHash(login, method.email, credential);
  }

  #updateHash(login: ExistingPasswordLogin, email: string, credential: { hash: KeptHash }): void {
    countLogin(this.writeSet, credential);
    const { hash } = credential;
    const { importedFingerprint } = login;
    // This service has replaced the hash of the line by a better hash of the same password, which is kept.
    if (importedFingerprint && this.#options.fingerprints?.matchesFingerprint(hash, importedFingerprint))
      return;
    this.#replaceCredential(login, email, credential);
  }

  /** A line without a hash never replaces a stored hash, only a stored reason for its absence. */
  #updateNoHash(login: ExistingPasswordLogin, email: string, credential: { noHash: NoHash }): void {
    if (login.noHash === undefined) return;
    countLogin(this.writeSet, credential);
    if (login.noHash !== credential.noHash) this.#replaceCredential(login, email, credential);
  }

  #replaceCredential(login: ExistingPasswordLogin, email: string, credential: Credential): void {
    const { userId, recipeUserId, inCore } = login;
    const hash = 'hash' in credential ? credential.hash : undefined;
    if (isNewPassword(login)) login.hash = hash;
    else this.writeSet.newCredentials.set(email, { userId, recipeUserId, credential, inCore });
    login.noHash = 'noHash' in credential ? credential.noHash : undefined;
    login.hashSetBy = 'import';
    delete login.importedFingerprint;
    this.writeSet.hashChanges.push({ recipeUserId, algorithm: hash?.algorithm });
  }

  #updateEmail({ identity, email, verified }: ParsedThirdPartyLogin): void {
    const key = identityKey(identity);
    const login = this.#existing.thirdParties.get(key);
    if (login === undefined) return;
    const { userId, recipeUserId } = login;
    const row = isNew(login) ? login : this.#newEmail(key, { userId, recipeUserId, identity });
    row.email = email;
    if (verified && !row.verifiedEmails.includes(email)) row.verifiedEmails = [...row.verifiedEmails, email];
    login.email = email;
    countLogin(this.writeSet);
  }

  /** With `update-unchanged`, a state that a call of this service has set is kept. */
  #updateState({ disabled }: ParsedUser, { userId, state }: ExistingLogin): void {
    if (disabled === undefined) return;
    const { newStates, passwordLogins, thirdPartyLogins } = this.writeSet;
    if (state === undefined) {
      for (const login of [...passwordLogins, ...thirdPartyLogins])
        if (login.userId === userId) login.disabled = disabled;
      return;
    }
    const before = newStates.get(userId)?.before ?? state;
    if (this.#keepsState(before)) return;
    if (before.disabled === disabled) newStates.delete(userId);
    else newStates.set(userId, { disabled, before });
  }

  #keepsState(state: UserState | undefined): boolean {
    return state?.isByCall === true && this.#options.onConflict === 'update-unchanged';
  }

  #updateFactors({ factors }: ParsedUser, { userId, state }: ExistingLogin): void {
    const { dryRun, vault } = this.#options;
    const sealed = dryRun ? undefined : sealedFactors(vault, userId, factors);
    if (sealed === undefined) return;
    if (state !== undefined) this.writeSet.newFactors.set(userId, sealed);
    else for (const user of this.writeSet.users) if (user.userId === userId) user.factors = sealed;
  }

  #newEmail(key: string, of: Omit<NewEmail, 'email' | 'verifiedEmails'>): NewEmail {
    let change = this.writeSet.newEmails.get(key);
    if (change === undefined) {
      change = { ...of, email: '', verifiedEmails: NONE };
      this.writeSet.newEmails.set(key, change);
    }
    return change;
  }

  #idsOf(login: ExistingLogin): Pick<Outcome, 'userId' | 'externalUserId'> {
    const externalUserId = this.#existing.externalIdOfUser.get(login.userId);
    return {
      ...(!login.isDryRun && { userId: login.userId }),
      ...(externalUserId !== undefined && { externalUserId }),
    };
  }
}

// Stored logins have no member `hash` or `identity`; logins that this chunk creates do.
const isNewPassword = (login: ExistingPasswordLogin): login is NewPasswordLogin => 'hash' in login;
const isNew = (login: ExistingThirdPartyLogin): login is NewThirdPartyLogin => 'identity' in login;
