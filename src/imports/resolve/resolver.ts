import type { KeptHash } from '../../hashing/verifier.ts';
import type { Credential } from '../../passwords/no-hash.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import { profileAfter } from '../../users/user.ts';
import { type MatchBy, type OnConflict, POLICIES, type Policy } from '../import-request.ts';
import type {
  LineError,
  ParsedDisabling,
  ParsedFactors,
  ParsedLine,
  ParsedLoginMethod,
  ParsedPasswordLogin,
  ParsedUser,
} from '../input/parsed-user.ts';
import type { HashCounts } from './imported-hashes.ts';
import type { Outcome } from './outcome.ts';
import * as failures from './outcome.ts';
import {
  ChunkIds,
  emailKey,
  externalIdsOf,
  type KnownIndex,
  type Login,
  loginKey,
  type Move,
  methodId,
  movable,
  type Person,
} from './person.ts';

/**
 * Returns whether a stored fingerprint belongs to a hash. `HashFingerprints` compares the hash. Single calls find the
 * comparison for their own hash by the address of the login.
 */
interface KnownFingerprints {
  matchesFingerprint(hash: KeptHash, fingerprint: string, email: string): boolean;
}

export interface ResolveOptions {
  onConflict: OnConflict;
  /** Whether the stored user of a line is found by a login, or by the external id. */
  matchBy: MatchBy;
  /** Recognises imported hashes that this service has replaced. */
  fingerprints?: KnownFingerprints | undefined;
  /** Whether this is a dry run. Users whom it would create are reported without an id. */
  dryRun: boolean;
  /** Undefined if lines cannot have factors. */
  vault?: FactorVault;
  /**
   * Only given for single calls. Returns whether the hash of a login need not be set again, because no rollback can
   * take it away. A single call may also set the hash of a user who has only this login, even if the address was set in
   * this service.
   */
  isSettled?(login: Login): boolean;
  /** With `matchBy=externalId`: whether an equal external id is enough to show that a line is about a stored user. */
  trustExternalIds?: boolean | undefined;
  /** Milliseconds since the epoch: the join time of users whose line states none. */
  now: number;
}

/** Decisions of the resolver about lines. */
export interface Decisions {
  ids: ChunkIds;
  /** Outcomes by line index. A blank line has none. */
  outcomes: (Outcome | undefined)[];
  created: Person[];
  /** Stored users who change. */
  changed: Person[];
  /** Keys of logins that stored users have given up or taken over. */
  movedKeys: ReadonlySet<string>;
  /**
   * Changed hashes, also of logins that an earlier line of this chunk created. `algorithm` is undefined if a login has
   * no hash any more.
   */
  hashChanges: { recipeUserId: string; algorithm: string | undefined }[];
  /** Number of logins written, by algorithm, or under `thirdparty`, or by the reason for having no hash. */
  algorithms: Record<string, number>;
  hashes: HashCounts;
}

/** Change of a user, or new user, which can be carried out once its e-mail addresses and identities are free. */
interface Plan extends Move {
  method: ParsedLoginMethod;
  carryOut(): Outcome;
}

const isPlan = (plan: Outcome | Plan | undefined): plan is Plan => plan !== undefined && 'wants' in plan;

/** Login method of a line, and the user's login with which it was matched. */
interface Pair {
  login: Login;
  method: ParsedLoginMethod;
}

/** `added`: login methods of a line that the user does not have yet. */
interface Pairing {
  pairs: Pair[];
  added: ParsedLoginMethod[];
}

/**
 * Existing user whom a line is about, and the login method by which the user was found. `method` is undefined if the
 * user was found by the external id.
 */
interface Met {
  person: Person;
  method: ParsedLoginMethod | undefined;
}

const NONE: readonly string[] = [];

/**
 * Decides the lines of imports: streams, single calls, staged users and dry runs. This class has all rules about which
 * user a line is about, and what the line may change.
 *
 * With `matchBy=externalId`, a line that needs the address of another user is deferred, because a later line may change
 * that user's address. `settle` decides all deferred lines together.
 */
export class Resolver {
  readonly #known: KnownIndex;
  readonly #options: ResolveOptions;
  readonly #policy: Policy;
  readonly #isByLogin: boolean;
  readonly #ids = ChunkIds.create();
  #outcomes: (Outcome | undefined)[] = [];
  #created: Person[] = [];
  readonly #changed = new Set<Person>();
  readonly #movedKeys = new Set<string>();
  readonly #hashChanges: Decisions['hashChanges'] = [];
  readonly #counts = { algorithms: {}, hashes: {} };
  #lineIndex = 0;

  constructor(known: KnownIndex, options: ResolveOptions) {
    this.#known = known;
    this.#options = options;
    this.#policy = POLICIES[options.onConflict];
    this.#isByLogin = options.matchBy === 'login';
  }

  addAll(lines: readonly ParsedLine[]): this {
    for (const line of lines) this.add(line);
    return this;
  }

  add(line: ParsedLine): void {
    const plan = this.#planOf(line);
    if (!isPlan(plan)) this.#outcomes.push(plan);
    else if (this.#areFree(plan.wants)) this.#outcomes.push(plan.carryOut());
    else this.#outcomes.push({ status: 'DEFERRED' });
    this.#lineIndex += 1;
  }

  /** Decides the deferred lines. They are decided together, because their users may exchange e-mail addresses. */
  settle(lines: readonly ParsedLine[]): this {
    const planned = lines.map((line, index) => {
      this.#lineIndex = index;
      return this.#planOf(line);
    });
    const moving = movable(planned.filter(isPlan), (key) => !this.#known.logins.has(key));
    for (const plan of planned) {
      if (!isPlan(plan)) this.#outcomes.push(plan);
      else if (moving.has(plan)) this.#outcomes.push(plan.carryOut());
      else this.#outcomes.push({ status: 'FAILED', ...failures.alreadyExists(plan.method) });
    }
    return this;
  }

  /** Removes and returns the outcomes and new users since the last call. */
  take(): Pick<Decisions, 'outcomes' | 'created'> {
    const [outcomes, created] = [this.#outcomes, this.#created];
    this.#outcomes = [];
    this.#created = [];
    return { outcomes, created };
  }

  get decisions(): Decisions {
    return {
      ...{ ids: this.#ids, outcomes: this.#outcomes, created: this.#created },
      ...{ changed: [...this.#changed], movedKeys: this.#movedKeys },
      ...{ hashChanges: this.#hashChanges, ...this.#counts },
    };
  }

  #areFree(keys: readonly string[]): boolean {
    for (const key of keys) if (this.#known.logins.has(key)) return false;
    return true;
  }

  #planOf(line: ParsedLine): Outcome | Plan | undefined {
    if (line === undefined) return undefined;
    if ('code' in line) return { status: 'FAILED', ...line };
    if ('disables' in line) return this.#disable(line);
    const met = this.#isByLogin ? this.#findByLogin(line) : this.#findByExternalId(line);
    if (met === undefined) return this.#planNew(line);
    if (!('person' in met)) return { status: 'FAILED', ...met };
    return this.#planChange(line, met);
  }

  #findByLogin({ methods }: ParsedUser): Met | undefined {
    for (const method of methods) {
      const ids = this.#known.logins.get(loginKey(method));
      const person = ids && this.#known.persons.get(ids.userId);
      if (person !== undefined) return { person, method };
    }
    return undefined;
  }

  #findByExternalId(line: ParsedUser): Met | LineError | undefined {
    if (line.externalId === undefined) return failures.NO_EXTERNAL_ID;
    const owner = this.#known.owners.get(line.externalId);
    if (owner === undefined) return undefined;
    const person = owner.isPerson ? this.#known.persons.get(owner.userId) : undefined;
    if (person === undefined) return failures.NOT_A_PERSON;
    if (!person.isOfSource) return failures.FOREIGN_PERSON;
    if (!this.#isAbout(person, evidenceOf(line))) return failures.OTHER_PERSON;
    return { person, method: undefined };
  }

  #planNew(line: ParsedUser): Outcome | Plan {
    const { methods } = line;
    if (externalIdsOf(line).some((id) => this.#known.owners.has(id)))
      return { status: 'FAILED', ...failures.TAKEN_EXTERNAL_ID };
    const taken = methods.find((one) => this.#known.logins.has(loginKey(one)));
    const { existing } = this.#policy;
    if (taken !== undefined && existing === 'skip')
      return { status: 'SKIPPED', ...failures.alreadyExists(taken) };
    if (taken !== undefined && existing === 'fail')
      return { status: 'FAILED', ...failures.alreadyExists(taken), method: taken };
    const lineIndex = this.#lineIndex;
    const carryOut = () => this.#create(line, line.userId ?? this.#ids.id(lineIndex));
    return { method: taken ?? methods[0], wants: methods.map(loginKey), leaves: NONE, carryOut };
  }

  #planChange(line: ParsedUser, { person, method }: Met): Outcome | Plan {
    const { existing, keepsChanges } = this.#policy;
    if (existing === 'fail')
      return method === undefined
        ? { status: 'FAILED', ...failures.EXTERNAL_ID_EXISTS }
        : { status: 'FAILED', ...failures.alreadyExists(method), method };
    const { methods } = line;
    if (method !== undefined && methods.length > 1)
      if (methods.some((one) => this.#known.logins.get(loginKey(one))?.userId !== person.userId))
        return { status: 'FAILED', ...failures.DIVIDED_BY_LOGIN };
    const ids = idsOf(person);
    if (existing === 'skip')
      return {
        ...{ status: 'SKIPPED', ...ids },
        ...(method === undefined ? failures.EXTERNAL_ID_EXISTS : failures.alreadyExists(methods[0])),
      };
    const pairing = this.#pair(person, line);
    if ('code' in pairing) return { status: 'FAILED', ...pairing };
    if (this.#isByLogin && this.#mayBeSomebodyElse(line, pairing))
      return { status: 'FAILED', ...failures.EMAIL_SET_HERE };
    if (person.logins.some(({ inCore }) => inCore !== undefined))
      return this.#planInCore(person, pairing, line);
    const { pairs, added } = pairing;
    if (pairs.some(({ login, method }) => login.hasMoved && isPassword(method)))
      return { status: 'SKIPPED', ...ids, ...failures.MOVED };
    const problem =
      this.#reasonToKeep(pairs) ??
      (keepsChanges && added.length > 0 && mayLackOnPurpose(person)
        ? failures.LOGIN_METHODS_CHANGED_SINCE
        : undefined);
    if (problem !== undefined) return { status: 'SKIPPED', ...ids, ...problem };
    if (!this.#isByLogin && this.#isUnchanged(person, pairing, line))
      return { status: 'SKIPPED', ...ids, ...failures.UNCHANGED };
    const moves = pairs.filter(isMove);
    const taking = moves.length === 0 ? added : [...moves.map(({ method }) => method), ...added];
    const lineIndex = this.#lineIndex;
    return {
      method: taking.find((one) => this.#known.logins.has(loginKey(one))) ?? line.methods[0],
      wants: taking.map(loginKey),
      leaves: moves.map(({ login }) => login.key),
      carryOut: () => {
        this.#change(person, pairs, line);
        this.#addMethods(person, added, this.#ids.id(lineIndex));
        return { status: 'UPDATED', ...ids };
      },
    };
  }

  /**
   * Disables the user of a line, but never creates one. The line stands for a row that was left out of the import
   * because the former system has disabled its user.
   */
  #disable({ externalId, email, timeJoinedMs }: ParsedDisabling): Outcome {
    const { existing } = this.#policy;
    const owner = this.#known.owners.get(externalId);
    if (owner === undefined) return { status: 'SKIPPED', ...failures.USER_UNKNOWN };
    const person = owner.isPerson ? this.#known.persons.get(owner.userId) : undefined;
    if (person?.isOfSource !== true) return { status: 'FAILED', ...failures.FOREIGN_PERSON };
    const times = [timeJoinedMs].filter(isExactTime);
    if (!this.#isAbout(person, { emails: [email], keys: NONE, hashes: [], times }))
      return { status: 'FAILED', ...failures.OTHER_PERSON };
    const ids = idsOf(person);
    if (existing === 'fail') return { status: 'FAILED', ...failures.EXTERNAL_ID_EXISTS };
    if (existing === 'skip') return { status: 'SKIPPED', ...ids, ...failures.EXTERNAL_ID_EXISTS };
    if (person.state.disabled) return { status: 'SKIPPED', ...ids, ...failures.UNCHANGED };
    if (!this.#stateAfter(person, { disabled: true }))
      return { status: 'SKIPPED', ...ids, ...failures.STATE_CHANGED_SINCE };
    if (person.logins.some(({ inCore }) => inCore !== undefined))
      return { status: 'FAILED', ...failures.CHANGE_IN_CORE };
    this.#touch(person);
    person.state = { ...person.state, disabled: true };
    return { status: 'UPDATED', ...ids };
  }

  /**
   * Returns whether something besides the external id shows that a line is about the stored user. Addresses count only
   * if an import wrote them, because a user can change an address here to that of another person.
   */
  #isAbout({ logins }: Person, { emails, keys, hashes, times }: Evidence): boolean {
    if (this.#options.trustExternalIds === true) return true;
    return logins.some((login) => {
      const { identity, email, verifiedEmails, hasSignedIn, isChanged, isEmailChanged } = login;
      const isAddressImported =
        identity === undefined
          ? !isEmailChanged
          : !hasSignedIn && !isChanged && verifiedEmails.includes(email);
      return (
        (isAddressImported && emails.includes(email)) ||
        keys.includes(login.key) ||
        times.includes(login.timeJoinedMs) ||
        hashes.some((hash) => this.#hasCredential(login, { hash }))
      );
    });
  }

  /**
   * Plans the change of a user who is in the SuperTokens core. Only the hash of a login that waits for its first
   * sign-in can be replaced.
   */
  #planInCore(person: Person, pairing: Pairing, line: ParsedUser): Outcome | Plan {
    const { pairs } = pairing;
    const ids = idsOf(person);
    const isOtherEmail = pairs.some(({ login, method }) => login.email !== method.email);
    if (isOtherEmail || this.#stateAfter(person, line) !== person.state.disabled)
      return { status: 'FAILED', ...failures.CHANGE_IN_CORE };
    const changing = pairs.filter(
      ({ login, method }) =>
        isPassword(method) &&
        login.inCore === 'waiting' &&
        (this.#isByLogin || !this.#hasCredential(login, storedCredential(method))),
    );
    const [first] = changing;
    if (first === undefined) {
      const isSame = !this.#isByLogin && this.#isUnchanged(person, pairing, line);
      return { status: 'SKIPPED', ...ids, ...(isSame ? failures.UNCHANGED : failures.IN_CORE) };
    }
    const problem = this.#reasonToKeep(changing);
    if (problem !== undefined) return { status: 'SKIPPED', ...ids, ...problem };
    return {
      ...{ method: first.method, wants: NONE, leaves: NONE },
      carryOut: () => {
        this.#touch(person);
        for (const { login, method } of changing) {
          login.isNamed = true;
          if (isPassword(method)) this.#setCredential(login, storedCredential(method));
        }
        return { status: 'UPDATED', ...ids };
      },
    };
  }

  /**
   * Finds the user's login for each login method of a line, by identity or by address. If then one password login of
   * the user and one of the line remain, they are the same login with a new address. If the user has no other password
   * login, the remaining ones of the line are new.
   */
  #pair(person: Person, { externalId, methods }: ParsedUser): Pairing | LineError {
    const pairs: Pair[] = [];
    const added: ParsedLoginMethod[] = [];
    const unpaired: ParsedPasswordLogin[] = [];
    for (const method of methods) {
      const key = loginKey(method);
      const login = person.logins.find((one) => one.key === key);
      if (login !== undefined) pairs.push({ login, method });
      else if (isPassword(method)) unpaired.push(method);
      else added.push(method);
    }
    const [method] = unpaired;
    if (method !== undefined) {
      const isLeft = (login: Login) =>
        login.identity === undefined && !pairs.some((pair) => pair.login === login);
      const left = person.logins.filter(isLeft);
      const [login] = left;
      if (login === undefined) added.push(...unpaired);
      else if (unpaired.length + left.length > 2) return failures.DIVIDED_BY_ADDRESS;
      else pairs.push({ login, method });
    }
    if (added.some((one) => one.externalId !== undefined && this.#known.owners.has(one.externalId)))
      return failures.TAKEN_METHOD_ID;
    const isForeign = pairs.some(({ login: { recipeUserId }, method: one }) => {
      const isPrimary = one === methods[0];
      const id = isPrimary ? externalId : one.externalId;
      if (id === undefined) return false;
      const owner = this.#known.owners.get(id);
      // The external id of the primary method is that of the user.
      return owner?.recipeUserId !== recipeUserId && !(isPrimary && owner?.recipeUserId === person.userId);
    });
    return isForeign ? failures.FOREIGN_ID : { pairs, added };
  }

  /** Returns why a line must not change these logins, whose users have changed them, or undefined if it may. */
  #reasonToKeep(pairs: readonly Pair[]): LineError | undefined {
    if (!this.#policy.keepsChanges) return undefined;
    for (const { login, method } of pairs) {
      const isOtherEmail = login.email !== method.email;
      if (!isPassword(method)) {
        if (login.hasSignedIn && isOtherEmail) return failures.SIGNED_IN_SINCE;
        continue;
      }
      // A line without a hash does not change the password, so it does not matter who has set it.
      if (login.hashSetBy === 'user' && !('noHash' in method.credential))
        return failures.PASSWORD_CHANGED_SINCE;
      if (isOtherEmail && login.isChanged) return failures.EMAIL_CHANGED_SINCE;
    }
    return undefined;
  }

  #isUnchanged(person: Person, { pairs, added }: Pairing, line: ParsedUser): boolean {
    return (
      added.length === 0 &&
      this.#newFactors(person, line) === undefined &&
      profileAfter(person.profile, line.profile) === person.profile &&
      this.#stateAfter(person, line) === person.state.disabled &&
      pairs.every(
        ({ login, method }) =>
          login.email === method.email &&
          this.#verifiedAfter({ login, method }) === login.verifiedEmails &&
          (!isPassword(method) || this.#hasCredential(login, storedCredential(method))),
      )
    );
  }

  #hasCredential(login: Login, credential: Credential): boolean {
    return hasCredential(login, credential, this.#options.fingerprints);
  }

  /**
   * Returns whether the line may be about somebody else, because calls of this service set the addresses of all logins
   * in it. Any other login, or an external id that belongs to the user, shows that the line is about the user.
   */
  #mayBeSomebodyElse(line: ParsedUser, { pairs }: Pairing): boolean {
    const isCall = this.#options.isSettled !== undefined;
    return (
      externalIdsOf(line).length === 0 &&
      pairs.every(({ login }) => login.isEmailChanged && !(isCall && login.stored?.linked === false))
    );
  }

  /**
   * Returns whether the user is disabled after the line. A state set by a call of this service counts as a change
   * here.
   */
  #stateAfter({ state }: Person, { disabled = state.disabled }: Pick<ParsedUser, 'disabled'>): boolean {
    return state.isByCall && this.#policy.keepsChanges ? state.disabled : disabled;
  }

  /**
   * Returns the verified addresses after a line; the same array if nothing changes. An address that a sign-in at a
   * provider has verified stays verified. If users are found by a login, every verified address stays verified.
   */
  #verifiedAfter({ login: { verifiedEmails, hasSignedIn, identity }, method }: Pair): readonly string[] {
    const { email, verified } = method;
    if (verifiedEmails.includes(email) === verified) return verifiedEmails;
    if (verified) return [...verifiedEmails, email];
    if (this.#isByLogin || (identity !== undefined && hasSignedIn)) return verifiedEmails;
    return verifiedEmails.filter((one) => one !== email);
  }

  #touch(person: Person): void {
    if (person.stored !== undefined) this.#changed.add(person);
  }

  #change(person: Person, pairs: readonly Pair[], line: ParsedUser): void {
    this.#touch(person);
    const disabled = this.#stateAfter(person, line);
    if (disabled !== person.state.disabled) person.state = { ...person.state, disabled };
    person.newFactors = this.#newFactors(person, line) ?? person.newFactors;
    if (!this.#isByLogin) person.profile = profileAfter(person.profile, line.profile);
    for (const pair of pairs) {
      const { login, method } = pair;
      login.isNamed = true;
      login.verifiedEmails = this.#verifiedAfter(pair);
      if (isPassword(method)) {
        if (isMove(pair)) this.#moveEmail(person, login, method.email);
        this.#setCredential(login, storedCredential(method));
      } else countLogin(this.#counts);
      login.email = method.email;
    }
  }

  #moveEmail({ userId }: Person, login: Login, email: string): void {
    const { recipeUserId, key: from } = login;
    const { logins } = this.#known;
    // If two users exchange addresses, the other user may already have taken the old address.
    if (logins.get(from)?.recipeUserId === recipeUserId) logins.delete(from);
    login.key = emailKey(email);
    logins.set(login.key, { userId, recipeUserId });
    this.#movedKeys.add(from).add(login.key);
  }

  /**
   * Sets the hash of a login, or the reason why it has none. If users are found by a login, even an equal hash is set
   * again, so that a rollback of an earlier import does not remove it. A hash that this service made from the same
   * imported hash is kept.
   */
  #setCredential(login: Login, credential: Credential): void {
    const isKept = this.#hasCredential(login, credential);
    const isSetAgain =
      this.#isByLogin &&
      !('noHash' in credential && login.noHash === undefined) &&
      this.#options.isSettled?.(login) !== true;
    if (isKept && !isSetAgain) return;
    countLogin(this.#counts, credential);
    if (isKept && ('noHash' in credential || login.importedFingerprint !== undefined)) return;
    const hash = 'hash' in credential ? credential.hash : undefined;
    login.hash = hash;
    login.noHash = 'noHash' in credential ? credential.noHash : undefined;
    login.hashSetBy = 'import';
    login.importedFingerprint = undefined;
    login.hasNewCredential = true;
    this.#hashChanges.push({ recipeUserId: login.recipeUserId, algorithm: hash?.algorithm });
  }

  #create(line: ParsedUser, userId: string): Outcome {
    const { methods, externalId, profile, disabled = false, factors } = line;
    const { dryRun } = this.#options;
    const person: Person = {
      userId,
      externalId,
      isOfSource: true,
      isDryRun: dryRun,
      profile,
      state: { disabled, isByCall: false },
      logins: [],
      newFactors: dryRun ? undefined : this.#sealed(userId, factors),
      stored: undefined,
    };
    for (let index = 0; index < methods.length; index += 1) {
      const method = methods[index] as ParsedLoginMethod;
      const id = methodId(userId, index);
      this.#addMethod(person, method, id, index === 0 ? externalId : method.externalId);
      // Clients know the ids of a staged user, so no later line may make one of them an external id.
      if (line.userId !== undefined)
        this.#known.owners.set(id, { userId, recipeUserId: id, isPerson: false });
    }
    this.#known.persons.set(userId, person);
    this.#created.push(person);
    return { status: 'CREATED', userId: dryRun ? undefined : userId, externalUserId: externalId };
  }

  /** @param firstId id that no login has yet, from which the ids of the logins are derived */
  #addMethods(person: Person, methods: readonly ParsedLoginMethod[], firstId: string): void {
    for (const [index, method] of methods.entries()) {
      const isNew = person.stored === undefined;
      const id = isNew ? methodId(person.userId, person.logins.length) : methodId(firstId, index);
      this.#addMethod(person, method, id, method.externalId);
    }
  }

  #addMethod(
    { userId, logins }: Person,
    method: ParsedLoginMethod,
    recipeUserId: string,
    externalId: string | undefined,
  ): void {
    const credential = isPassword(method) ? storedCredential(method) : undefined;
    const key = loginKey(method);
    const { email } = method;
    logins.push({
      key,
      recipeUserId,
      identity: isPassword(method) ? undefined : method.identity,
      email,
      verifiedEmails: method.verified ? [email] : NONE,
      timeJoinedMs: method.timeJoinedMs ?? this.#options.now,
      hash: credential !== undefined && 'hash' in credential ? credential.hash : undefined,
      noHash: credential !== undefined && 'noHash' in credential ? credential.noHash : undefined,
      hashSetBy: credential === undefined ? undefined : 'import',
      importedFingerprint: undefined,
      hasSignedIn: false,
      isChanged: false,
      isEmailChanged: false,
      inCore: undefined,
      hasMoved: false,
      externalId,
      stored: undefined,
      isNamed: true,
      hasNewCredential: credential !== undefined,
    });
    this.#known.logins.set(key, { userId, recipeUserId });
    if (externalId !== undefined)
      this.#known.owners.set(externalId, { userId, recipeUserId, isPerson: recipeUserId === userId });
    countLogin(this.#counts, credential);
  }

  /**
   * Returns the new factors, or undefined if the line does not change them. If users are found by a login, equal
   * factors are set again, so that a rollback of an earlier import does not remove them.
   */
  #newFactors({ userId, newFactors, stored }: Person, { factors }: ParsedUser): Buffer | undefined {
    const sealed = this.#sealed(userId, factors);
    const before = newFactors ?? stored?.factors;
    const isSame = !this.#isByLogin && sealed !== undefined && before?.equals(sealed) === true;
    return isSame ? undefined : sealed;
  }

  /** Encrypts factors. Decrypting them requires the id of the same user. */
  #sealed(userId: string, factors: ParsedFactors | undefined): Buffer | undefined {
    if (factors === undefined) return undefined;
    if ('sealed' in factors) return factors.sealed;
    if (this.#options.vault === undefined) throw new Error('factors cannot be encrypted');
    return this.#options.vault.seal(userId, factors.open);
  }
}

const idsOf = ({ isDryRun, userId, externalId }: Person): Pick<Outcome, 'userId' | 'externalUserId'> => ({
  userId: isDryRun ? undefined : userId,
  externalUserId: externalId,
});

/**
 * Values of a line, besides its external id, that can show which person it is about. Undefined values agree with
 * nothing.
 */
interface Evidence {
  emails: readonly (string | undefined)[];
  /** Keys of third-party logins. */
  keys: readonly string[];
  hashes: readonly KeptHash[];
  times: readonly (number | undefined)[];
}

function evidenceOf({ methods }: ParsedUser): Evidence {
  const passwords = methods.filter(isPassword);
  return {
    emails: methods.filter((one) => isPassword(one) || one.verified).map(({ email }) => email),
    keys: methods.filter((one) => !isPassword(one)).map(loginKey),
    // A hash without a salt shows nothing, because two people with the same password have the same one.
    hashes: passwords.flatMap(({ credential }) =>
      'hash' in credential && credential.hash.strength !== 'broken' ? credential.hash : [],
    ),
    times: methods.map(({ timeJoinedMs }) => timeJoinedMs).filter(isExactTime),
  };
}

/**
 * Returns whether a time of joining can show that two users are the same. In many systems, a time at a full quarter of
 * an hour is only a date in some time zone, or means that there is no time (0).
 */
const isExactTime = (timeMs: number | undefined): boolean =>
  timeMs !== undefined && timeMs % (15 * 60 * 1000) !== 0;

const isPassword = (method: ParsedLoginMethod): method is ParsedPasswordLogin =>
  method.recipeId === 'emailpassword';

const isMove = ({ login, method }: Pair) => isPassword(method) && login.email !== method.email;

/** Returns what the database stores for a login, whose plain-text password must already be hashed. */
function storedCredential({ credential }: ParsedPasswordLogin): Credential {
  if ('plainText' in credential) throw new Error('a password was not hashed before it was to be stored');
  return credential;
}

/**
 * Returns whether a login has this credential already, or a hash with which this service replaced it. For a line
 * without a hash, any stored hash counts, because such a line never replaces a hash.
 */
export function hasCredential(
  { email, hash, noHash, importedFingerprint }: Login,
  credential: Credential,
  fingerprints: ResolveOptions['fingerprints'],
): boolean {
  if ('noHash' in credential) return noHash === undefined || noHash === credential.noHash;
  const other = credential.hash;
  if (importedFingerprint !== undefined)
    return fingerprints?.matchesFingerprint(other, importedFingerprint, email) === true;
  return (
    hash !== undefined &&
    hash.encoded === other.encoded &&
    hash.algorithm === other.algorithm &&
    hash.secretId === other.secretId
  );
}

/**
 * Returns whether a login method may have been removed here, so that an import must not bring it back. A
 * removal marks the remaining logins as changed. Changes of third-party logins may be by imports, so they
 * count only if the user has no password.
 */
function mayLackOnPurpose({ logins }: Person): boolean {
  const passwords = logins.filter(({ identity }) => identity === undefined);
  return (passwords.length > 0 ? passwords : logins).some(({ isChanged }) => isChanged);
}

/** Counts a login under its algorithm, its reason for having no hash, or `thirdparty`. */
function countLogin(
  { algorithms, hashes }: { algorithms: Record<string, number>; hashes: HashCounts },
  credential?: Credential,
): void {
  const hash = credential !== undefined && 'hash' in credential ? credential.hash : undefined;
  const algorithm =
    hash?.algorithm ??
    (credential !== undefined && 'noHash' in credential ? credential.noHash : 'thirdparty');
  algorithms[algorithm] = (algorithms[algorithm] ?? 0) + 1;
  if (hash === undefined) return;
  let classes = hashes[algorithm];
  if (classes === undefined) {
    classes = {};
    hashes[algorithm] = classes;
  }
  classes[hash.strength] = (classes[hash.strength] ?? 0) + 1;
}
