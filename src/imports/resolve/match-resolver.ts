import type { KeptHash } from '../../hashing/verifier.ts';
import type { Credential } from '../../passwords/no-hash.ts';
import { identityKey, profileAfter } from '../../users/user.ts';
import type { LineError } from '../input/line-error.ts';
import type {
  ParsedDisabling,
  ParsedFactors,
  ParsedLine,
  ParsedLoginMethod,
  ParsedPasswordLogin,
  ParsedThirdPartyLogin,
  ParsedUser,
} from '../input/parsed-user.ts';
import { ChunkIds, methodId } from './chunk-ids.ts';
import type { LoginIds, UserState } from './existing-logins.ts';
import { countLogin } from './hash-counts.ts';
import type { KnownUsers, Owner, Person, PersonPassword, PersonThirdParty } from './known-users.ts';
import {
  alreadyExists,
  CHANGE_IN_CORE,
  EMAIL_CHANGED_SINCE,
  failed,
  IN_CORE,
  LOGIN_METHODS_CHANGED_SINCE,
  OTHER_PERSON,
  PASSWORD_CHANGED_SINCE,
  SIGNED_IN_SINCE,
  STATE_CHANGED_SINCE,
  UNCHANGED,
  USER_UNKNOWN,
} from './line-failures.ts';
import type { ResolveOptions } from './line-resolver.ts';
import { type Move, movable } from './movable.ts';
import type { Outcome } from './outcome.ts';
import { sealedFactors } from './sealed-factors.ts';
import { storedCredential } from './stored-credential.ts';
import {
  type AddedRows,
  emptyWriteSet,
  type NewAlias,
  type NewPasswordLogin,
  type WriteSet,
} from './write-set.ts';

/** Change of a user, or new user. Waits until its e-mail addresses and identities are free. */
interface Plan extends Move {
  method: ParsedLoginMethod;
  carryOut(): Outcome;
}

const isPlan = (plan: Outcome | Plan | undefined): plan is Plan => plan !== undefined && 'wants' in plan;

/** Login method of a line, and the stored login that the line means. */
type Pair =
  | { login: PersonPassword; method: ParsedPasswordLogin }
  | { login: PersonThirdParty; method: ParsedThirdPartyLogin };

/** `added`: login methods of a line that the user does not have yet. */
interface Pairing {
  pairs: Pair[];
  added: ParsedLoginMethod[];
}

/** Login method that this chunk creates, with data of its rows that `Person` does not have. */
interface NewLogin {
  recipeUserId: string;
  timeJoinedMs: number;
  externalId: string | undefined;
}

interface NewPerson {
  person: Person;
  factors: ParsedFactors | undefined;
  logins: NewLogin[];
}

interface Dirty {
  /** Ids of the logins that lines of the chunk name. */
  logins: Set<string>;
  added: NewLogin[];
  /** E-mail addresses of the user's logins before this chunk, by login id. */
  storedEmails: ReadonlyMap<string, string>;
  hasNewProfile: boolean;
  storedState: UserState;
  factors?: ParsedFactors;
}

/**
 * Decides the lines of an import that matches users by external id. A line that needs the address of another
 * user is deferred, because a later line may change that user's address. `settle` decides all deferred lines
 * together.
 */
export class MatchResolver {
  readonly #known: KnownUsers;
  readonly #options: ResolveOptions;
  readonly #writeSet: WriteSet = emptyWriteSet(ChunkIds.create());
  readonly #created = new Map<Person, NewPerson>();
  readonly #dirty = new Map<Person, Dirty>();
  /** Hashes that lines of this chunk set, or reasons for having none, by id of the login. */
  readonly #credentials = new Map<string, Credential>();
  /** E-mail addresses that the lines of this chunk took from users or gave to users. */
  readonly changedEmails = new Set<string>();
  #lineIndex = 0;

  constructor(known: KnownUsers, options: ResolveOptions) {
    this.#known = known;
    this.#options = options;
  }

  get changedPersons(): Person[] {
    return [...new Set([...this.#created.keys(), ...this.#dirty.keys()])];
  }

  addAll(lines: readonly ParsedLine[]): this {
    for (const line of lines) this.#add(line);
    return this;
  }

  #add(line: ParsedLine): void {
    const plan = this.#planOf(line);
    const outcome: Outcome | undefined = !isPlan(plan)
      ? plan
      : plan.wants.every((place) => this.#isFree(place))
        ? plan.carryOut()
        : { status: 'DEFERRED' };
    this.#writeSet.outcomes.push(outcome);
    this.#lineIndex += 1;
  }

  /** Users may exchange their e-mail addresses, so deferred lines are decided together. */
  settle(lines: readonly ParsedLine[]): this {
    const planned = lines.map((line, index) => {
      this.#lineIndex = index;
      return this.#planOf(line);
    });
    const moving = movable(planned.filter(isPlan), (place) => this.#isFree(place));
    for (const plan of planned) {
      if (!isPlan(plan)) this.#writeSet.outcomes.push(plan);
      else if (moving.has(plan)) this.#writeSet.outcomes.push(plan.carryOut());
      else this.#writeSet.outcomes.push({ status: 'FAILED', ...alreadyExists(plan.method) });
    }
    return this;
  }

  finish(): WriteSet {
    const writeSet = this.#writeSet;
    for (const created of this.#created.values()) this.#addRows(created);
    for (const [person, dirty] of this.#dirty) if (!this.#created.has(person)) this.#addChange(person, dirty);
    return writeSet;
  }

  #planOf(line: ParsedLine): Outcome | Plan | undefined {
    if (line === undefined) return undefined;
    if ('code' in line) return { status: 'FAILED', ...line };
    if ('disables' in line) return this.#disable(line);
    if (line.externalId === undefined) return { status: 'FAILED', ...NO_EXTERNAL_ID };
    const owner = this.#known.owners.get(line.externalId);
    return owner === undefined ? this.#planNew(line) : this.#planChange(line, owner);
  }

  #planNew(line: ParsedUser): Outcome | Plan {
    const { methods } = line;
    if (methods.some(({ externalId }) => externalId !== undefined && this.#known.owners.has(externalId)))
      return failed('EXTERNAL_ID_ALREADY_EXISTS', 'An external id of this line belongs to another user');
    const method = methods.find((one) => !this.#isFree(placeOf(one))) ?? methods[0];
    const isTaken = !this.#isFree(placeOf(method));
    const { onConflict } = this.#options;
    if (isTaken && onConflict === 'skip') return { status: 'SKIPPED', ...alreadyExists(method) };
    if (isTaken && onConflict === 'fail') return { status: 'FAILED', ...alreadyExists(method), method };
    const lineIndex = this.#lineIndex;
    const carryOut = () => this.#create(line, this.#writeSet.ids.id(lineIndex));
    return { method, wants: methods.map(placeOf), leaves: [], carryOut };
  }

  #planChange(line: ParsedUser, owner: Owner): Outcome | Plan {
    const { onConflict } = this.#options;
    const person = owner.isPerson ? this.#known.persons.get(owner.userId) : undefined;
    if (person === undefined)
      return failed('EXTERNAL_ID_ALREADY_EXISTS', 'The external id of this line is an id of another user');
    if (!person.isOfSource) return { status: 'FAILED', ...FOREIGN_PERSON };
    if (!this.#isAbout(person, evidenceOf(line))) return { status: 'FAILED', ...OTHER_PERSON };
    const ids = { ...(!person.isDryRun && { userId: person.userId }), externalUserId: line.externalId };
    if (onConflict === 'fail') return { status: 'FAILED', ...EXTERNAL_ID_EXISTS };
    if (onConflict === 'skip') return { status: 'SKIPPED', ...ids, ...EXTERNAL_ID_EXISTS };
    const pairing = this.#pair(person, line);
    if ('code' in pairing) return { status: 'FAILED', ...pairing };
    if (isInCore(person)) return this.#planInCore(person, pairing, line);
    const { pairs, added } = pairing;
    const problem =
      onConflict === 'overwrite'
        ? undefined
        : (pairs.map(reasonToKeep).find((reason) => reason !== undefined) ??
          (added.length > 0 && mayLackOnPurpose(person) ? LOGIN_METHODS_CHANGED_SINCE : undefined));
    if (problem !== undefined) return { status: 'SKIPPED', ...ids, ...problem };
    const isSame =
      added.length === 0 &&
      profileAfter(person.profile, line.profile) === person.profile &&
      pairs.every((pair) => this.#isSame(pair)) &&
      line.factors === undefined &&
      this.#stateAfter(person, line) === person.state.disabled;
    if (isSame) return { status: 'SKIPPED', ...ids, ...UNCHANGED };
    const moves = pairs.filter(isMove);
    const taking = [...moves.map(({ method }) => method), ...added];
    const lineIndex = this.#lineIndex;
    return {
      method: taking.find((one) => !this.#isFree(placeOf(one))) ?? line.methods[0],
      wants: taking.map(placeOf),
      leaves: moves.map(({ login }) => emailPlace(login.email)),
      carryOut: () => {
        this.#change(person, pairs, line);
        this.#addMethods(person, added, this.#writeSet.ids.id(lineIndex));
        return { status: 'UPDATED', ...ids };
      },
    };
  }

  /** Never creates a user: a row that was left out, because the former system has disabled its user. */
  #disable(line: ParsedDisabling): Outcome {
    const { onConflict } = this.#options;
    const { externalId: externalUserId, email, timeJoinedMs } = line;
    const owner = this.#known.owners.get(externalUserId);
    const person = owner?.isPerson ? this.#known.persons.get(owner.userId) : undefined;
    if (owner === undefined) return { status: 'SKIPPED', ...USER_UNKNOWN };
    if (person?.isOfSource !== true) return { status: 'FAILED', ...FOREIGN_PERSON };
    const times = [timeJoinedMs].filter(isExactTime);
    const evidence = { emails: [email], identities: [], hashes: [], times };
    if (!this.#isAbout(person, evidence)) return { status: 'FAILED', ...OTHER_PERSON };
    const ids = { ...(!person.isDryRun && { userId: person.userId }), externalUserId };
    if (onConflict === 'fail') return { status: 'FAILED', ...EXTERNAL_ID_EXISTS };
    if (onConflict === 'skip') return { status: 'SKIPPED', ...ids, ...EXTERNAL_ID_EXISTS };
    if (person.state.disabled) return { status: 'SKIPPED', ...ids, ...UNCHANGED };
    if (!this.#stateAfter(person, { disabled: true }))
      return { status: 'SKIPPED', ...ids, ...STATE_CHANGED_SINCE };
    if (isInCore(person)) return { status: 'FAILED', ...CHANGE_IN_CORE };
    this.#dirtyOf(person);
    person.state = { ...person.state, disabled: true };
    return { status: 'UPDATED', ...ids };
  }

  /**
   * Returns whether something besides the external id shows that a line is about the stored user. Addresses
   * count only as an import wrote them: a user can change an address here to that of another person.
   */
  #isAbout(person: Person, { emails, identities, hashes, times }: Evidence): boolean {
    if (this.#options.trustExternalIds === true) return true;
    const { passwords, thirdParties } = person;
    return (
      passwords.some((login) => !login.isEmailChanged && emails.includes(login.email)) ||
      thirdParties.some(
        (login) =>
          identities.includes(identityKey(login.identity)) ||
          (isAsImported(login) && login.verifiedEmails.includes(login.email) && emails.includes(login.email)),
      ) ||
      passwords.some((login) => hashes.some((hash) => this.#hasCredential(login, { hash }))) ||
      [...passwords, ...thirdParties].some(({ timeJoinedMs }) => times.includes(timeJoinedMs))
    );
  }

  /** In the SuperTokens core, only the hash of a login that waits for its first sign-in can be replaced. */
  #planInCore(person: Person, { pairs, added }: Pairing, line: ParsedUser): Outcome | Plan {
    const ids = { userId: person.userId, externalUserId: line.externalId };
    const isOtherEmail = pairs.some(({ login, method }) => login.email !== method.email);
    if (isOtherEmail || this.#stateAfter(person, line) !== person.state.disabled)
      return { status: 'FAILED', ...CHANGE_IN_CORE };
    const waiting = pairs.filter(isPassword).filter(({ login }) => login.inCore === 'waiting');
    const changing = waiting.filter(
      ({ login, method }) => !this.#hasCredential(login, storedCredential(method)),
    );
    const [first] = changing;
    if (first === undefined) {
      const isSame =
        added.length === 0 &&
        pairs.every((pair) => this.#isSame(pair)) &&
        profileAfter(person.profile, line.profile) === person.profile;
      return { status: 'SKIPPED', ...ids, ...(isSame ? UNCHANGED : IN_CORE) };
    }
    const isKept = this.#options.onConflict !== 'overwrite';
    const problem = isKept ? changing.map(reasonToKeep).find((reason) => reason !== undefined) : undefined;
    if (problem !== undefined) return { status: 'SKIPPED', ...ids, ...problem };
    return {
      ...{ method: first.method, wants: [], leaves: [] },
      carryOut: () => {
        const dirty = this.#dirtyOf(person);
        for (const { login, method } of changing) {
          dirty.logins.add(login.recipeUserId);
          this.#setCredential(login, storedCredential(method));
        }
        return { status: 'UPDATED', ...ids };
      },
    };
  }

  /**
   * Finds the stored login for each login method of a line: by identity, or by address. If exactly one
   * password login remains on both sides, it is the same login with a new address. If no stored password
   * login remains, the others of the line are new.
   */
  #pair(person: Person, { methods }: ParsedUser): Pairing | LineError {
    const pairs: Pair[] = [];
    const added: ParsedLoginMethod[] = [];
    const unpaired: ParsedPasswordLogin[] = [];
    const left = new Set(person.passwords);
    for (const method of methods) {
      if (method.recipeId === 'thirdparty') {
        const key = identityKey(method.identity);
        const login = person.thirdParties.find(({ identity }) => identityKey(identity) === key);
        if (login !== undefined) pairs.push({ login, method });
        else added.push(method);
        continue;
      }
      const login = person.passwords.find(({ email }) => email === method.email);
      if (login === undefined) unpaired.push(method);
      else {
        left.delete(login);
        pairs.push({ login, method });
      }
    }
    const [method, ...more] = unpaired;
    const [login, ...others] = left;
    if (login === undefined) added.push(...unpaired);
    else if (method !== undefined) {
      if (more.length + others.length > 0) return DIVIDED;
      pairs.push({ login, method });
    }
    if (added.some(({ externalId }) => externalId !== undefined && this.#known.owners.has(externalId)))
      return TAKEN_ID;
    const isForeign = pairs.some(({ login, method }) => {
      if (method.externalId === undefined) return false;
      return this.#known.owners.get(method.externalId)?.recipeUserId !== login.recipeUserId;
    });
    return isForeign ? FOREIGN_ID : { pairs, added };
  }

  #isFree(place: string): boolean {
    const key = place.slice(1);
    return place.startsWith('e') ? !this.#known.emails.has(key) : !this.#known.identities.has(key);
  }

  #isSame(pair: Pair): boolean {
    if (pair.login.email !== pair.method.email) return false;
    const verified = verifiedAfter(pair);
    if (verified !== pair.login.verifiedEmails) return false;
    return !isPassword(pair) || this.#hasCredential(pair.login, storedCredential(pair.method));
  }

  /**
   * True also for this service's replacement of the hash. A line without a hash never replaces a stored hash.
   */
  #hasCredential({ hash, noHash, importedFingerprint }: PersonPassword, credential: Credential): boolean {
    if ('noHash' in credential) return noHash === undefined || noHash === credential.noHash;
    const other = credential.hash;
    if (importedFingerprint !== undefined)
      return this.#options.fingerprints?.matchesFingerprint(other, importedFingerprint) === true;
    return (
      hash !== undefined &&
      hash.encoded === other.encoded &&
      hash.algorithm === other.algorithm &&
      hash.secretId === other.secretId
    );
  }

  /** With `update-unchanged`, a state that a call of this service has set is kept. */
  #stateAfter({ state }: Person, { disabled = state.disabled }: Pick<ParsedUser, 'disabled'>): boolean {
    return state.isByCall && this.#options.onConflict !== 'overwrite' ? state.disabled : disabled;
  }

  #change(person: Person, pairs: readonly Pair[], line: ParsedUser): void {
    const dirty = this.#dirtyOf(person);
    person.state = { ...person.state, disabled: this.#stateAfter(person, line) };
    if (line.factors !== undefined) dirty.factors = line.factors;
    const profile = profileAfter(person.profile, line.profile);
    dirty.hasNewProfile ||= profile !== person.profile;
    person.profile = profile;
    for (const pair of pairs) {
      const { login, method } = pair;
      const { recipeUserId } = login;
      dirty.logins.add(recipeUserId);
      login.verifiedEmails = verifiedAfter(pair);
      if (isPassword(pair)) {
        if (isMove(pair)) this.#moveEmail(login.email, method.email, { userId: person.userId, recipeUserId });
        this.#setCredential(pair.login, storedCredential(pair.method));
      } else countLogin(this.#writeSet);
      login.email = method.email;
    }
  }

  /** @param firstId id that no login has yet, from which the ids of the logins are derived */
  #addMethods(person: Person, methods: readonly ParsedLoginMethod[], firstId: string): void {
    if (methods.length === 0) return;
    const created = this.#created.get(person);
    const logins = created?.logins ?? this.#dirtyOf(person).added;
    for (const [index, method] of methods.entries()) {
      const recipeUserId =
        created === undefined ? methodId(firstId, index) : methodId(person.userId, logins.length);
      logins.push(this.#addMethod(person, method, recipeUserId, method.externalId));
    }
  }

  #dirtyOf(person: Person): Dirty {
    let dirty = this.#dirty.get(person);
    if (dirty === undefined) {
      const emails = new Map(person.passwords.map(({ recipeUserId, email }) => [recipeUserId, email]));
      dirty = {
        ...{ logins: new Set(), added: [], storedEmails: emails, hasNewProfile: false },
        storedState: person.state,
      };
      this.#dirty.set(person, dirty);
    }
    return dirty;
  }

  #moveEmail(from: string, to: string, ids: LoginIds): void {
    const { emails } = this.#known;
    // If two users exchange addresses, the other user may already have taken the old address.
    if (emails.get(from)?.recipeUserId === ids.recipeUserId) emails.delete(from);
    emails.set(to, ids);
    this.changedEmails.add(from).add(to);
  }

  #setCredential(login: PersonPassword, credential: Credential): void {
    if (this.#hasCredential(login, credential)) return;
    login.hash = 'hash' in credential ? credential.hash : undefined;
    login.noHash = 'noHash' in credential ? credential.noHash : undefined;
    login.hashSetBy = 'import';
    delete login.importedFingerprint;
    this.#credentials.set(login.recipeUserId, credential);
    countLogin(this.#writeSet, credential);
    this.#writeSet.hashChanges.push({ recipeUserId: login.recipeUserId, algorithm: login.hash?.algorithm });
  }

  #create(line: ParsedUser, userId: string): Outcome {
    const { methods, externalId, profile, disabled = false, factors } = line;
    const { dryRun: isDryRun } = this.#options;
    const person: Person = {
      ...{ userId, isOfSource: true, isDryRun, profile, passwords: [], thirdParties: [] },
      state: { disabled, isByCall: false },
    };
    const logins = methods.map((method, index) =>
      this.#addMethod(person, method, methodId(userId, index), index === 0 ? externalId : method.externalId),
    );
    this.#known.persons.set(userId, person);
    this.#created.set(person, { person, factors, logins });
    return { status: 'CREATED', userId: isDryRun ? undefined : userId, externalUserId: externalId };
  }

  #addMethod(
    person: Person,
    method: ParsedLoginMethod,
    recipeUserId: string,
    externalId: string | undefined,
  ): NewLogin {
    const { owners, emails, identities } = this.#known;
    const { userId } = person;
    const ids = { userId, recipeUserId };
    const { email, timeJoinedMs = this.#options.now } = method;
    const common = {
      ...{ recipeUserId, email, timeJoinedMs, version: '' },
      verifiedEmails: method.verified ? [email] : [],
    };
    if (method.recipeId === 'emailpassword') {
      const credential = storedCredential(method);
      const [hash, noHash] =
        'hash' in credential ? [credential.hash, undefined] : [undefined, credential.noHash];
      person.passwords.push({
        ...common,
        hash,
        noHash,
        hashSetBy: 'import',
        isChangedHere: false,
        isEmailChanged: false,
      });
      this.#credentials.set(recipeUserId, credential);
      emails.set(email, ids);
      this.changedEmails.add(email);
      countLogin(this.#writeSet, credential);
    } else {
      const { identity } = method;
      person.thirdParties.push({ ...common, identity, hasSignedIn: false, isChanged: false });
      identities.set(identityKey(identity), ids);
      countLogin(this.#writeSet);
    }
    if (externalId !== undefined) owners.set(externalId, { ...ids, isPerson: recipeUserId === userId });
    return { recipeUserId, timeJoinedMs, externalId };
  }

  #rowsOf(person: Person, logins: readonly NewLogin[]): AddedRows {
    const { userId } = person;
    const own = new Map(logins.map((login) => [login.recipeUserId, login]));
    const isOwn = ({ recipeUserId }: { recipeUserId: string }) => own.has(recipeUserId);
    const common = ({ recipeUserId, email, verifiedEmails }: PersonPassword | PersonThirdParty) => ({
      ...{ userId, recipeUserId, email, verifiedEmails, hasMore: true },
      disabled: person.state.disabled,
      timeJoinedMs: own.get(recipeUserId)?.timeJoinedMs ?? this.#options.now,
    });
    return {
      passwordLogins: person.passwords.filter(isOwn).map((login) => ({
        ...{ ...common(login), ...this.#newCredential(login), hashSetBy: 'import' as const },
      })),
      thirdPartyLogins: person.thirdParties.filter(isOwn).map((login) => ({
        ...{ ...common(login), identity: login.identity, hasSignedIn: false },
      })),
      aliases: logins.flatMap(({ recipeUserId, externalId }): NewAlias[] => [
        ...(recipeUserId === userId
          ? []
          : [{ alias: recipeUserId, kind: 'recipe_user' as const, userId, recipeUserId }]),
        ...(externalId === undefined
          ? []
          : [{ alias: externalId, kind: 'external' as const, userId, recipeUserId }]),
      ]),
    };
  }

  #addRows({ person, logins, factors }: NewPerson): void {
    const { userId, profile } = person;
    const { users, passwordLogins, thirdPartyLogins, aliases } = this.#writeSet;
    const rows = this.#rowsOf(person, logins);
    passwordLogins.push(...rows.passwordLogins);
    thirdPartyLogins.push(...rows.thirdPartyLogins);
    aliases.push(...rows.aliases);
    users.push({
      userId,
      timeJoinedMs: Math.min(...logins.map((one) => one.timeJoinedMs)),
      profile,
      factors: this.#sealed(userId, this.#dirty.get(person)?.factors ?? factors),
    });
  }

  #newCredential({ recipeUserId }: PersonPassword): Pick<NewPasswordLogin, 'hash' | 'noHash'> {
    const credential = this.#credentials.get(recipeUserId);
    if (credential === undefined) throw new Error('a new login has no credential');
    return 'hash' in credential ? credential : { hash: undefined, ...credential };
  }

  #sealed(userId: string, factors: ParsedFactors | undefined): Buffer | undefined {
    return this.#options.dryRun ? undefined : sealedFactors(this.#options.vault, userId, factors);
  }

  #addChange(
    person: Person,
    { logins, added, storedEmails, hasNewProfile, storedState, factors }: Dirty,
  ): void {
    const { userId, state } = person;
    const isStateOnly = logins.size === 0 && added.length === 0;
    if (state.disabled !== storedState.disabled)
      this.#writeSet.newStates.set(userId, { disabled: state.disabled, before: storedState });
    const sealed = this.#sealed(userId, factors);
    if (sealed !== undefined) this.#writeSet.newFactors.set(userId, sealed);
    this.#writeSet.changes.push({
      userId: person.userId,
      profile: hasNewProfile ? person.profile : undefined,
      isStateOnly,
      passwords: person.passwords
        .filter(({ recipeUserId }) => isStateOnly || logins.has(recipeUserId))
        .map(({ recipeUserId, email, verifiedEmails, version, inCore }) => ({
          ...{ recipeUserId, email, verifiedEmails, version, inCore },
          storedEmail: storedEmails.get(recipeUserId) ?? email,
          credential: this.#credentials.get(recipeUserId),
        })),
      thirdParties: person.thirdParties
        .filter(({ recipeUserId }) => isStateOnly || logins.has(recipeUserId))
        .map(({ recipeUserId, identity, email, verifiedEmails, version, inCore }) => ({
          ...{ recipeUserId, identity, email, verifiedEmails, version, inCore },
        })),
      ...(added.length > 0 && { added: this.#rowsOf(person, added) }),
    });
  }
}

const NO_EXTERNAL_ID: LineError = {
  code: 'FIELD_INVALID',
  message: 'externalUserId is required: users are matched by it (matchBy=externalId)',
};

const EXTERNAL_ID_EXISTS: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'A user with this external id exists already',
};

const FOREIGN_PERSON: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'The external id of this line belongs to a user of another source',
};

const FOREIGN_ID: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'The user exists already, and not with the external ids of this line',
};

const TAKEN_ID: LineError = {
  code: 'EXTERNAL_ID_ALREADY_EXISTS',
  message: 'An external id of this line belongs to another user, or to another login method',
};

const DIVIDED: LineError = {
  code: 'LOGIN_METHODS_DIVIDED',
  message:
    'Several passwords of this line, or of the user with its external id, have other addresses: it is unclear which replace which',
};

/** Values of a line, besides its external id, that show who its person is. Undefined values agree with nothing. */
interface Evidence {
  emails: readonly (string | undefined)[];
  /** Third-party logins, by `identityKey`. */
  identities: readonly string[];
  hashes: readonly KeptHash[];
  times: readonly (number | undefined)[];
}

function evidenceOf({ methods }: ParsedUser): Evidence {
  const passwords = methods.filter((method) => method.recipeId === 'emailpassword');
  const thirdParties = methods.filter((method) => method.recipeId === 'thirdparty');
  return {
    emails: [...passwords, ...thirdParties.filter(({ verified }) => verified)].map(({ email }) => email),
    identities: thirdParties.map(({ identity }) => identityKey(identity)),
    // Without a salt, two people with the same password have the same hash.
    hashes: passwords.flatMap(({ credential }) =>
      'hash' in credential && credential.hash.strength !== 'broken' ? credential.hash : [],
    ),
    times: methods.map(({ timeJoinedMs }) => timeJoinedMs).filter(isExactTime),
  };
}

/** In many systems, a time at a full quarter of an hour is only a date, in some time zone, or no time (0). */
const isExactTime = (timeMs: number | undefined): boolean =>
  timeMs !== undefined && timeMs % (15 * 60 * 1000) !== 0;

const isAsImported = ({ hasSignedIn, isChanged }: PersonThirdParty) => !hasSignedIn && !isChanged;

const emailPlace = (email: string) => `e${email}`;
const placeOf = (method: ParsedLoginMethod) =>
  method.recipeId === 'emailpassword' ? emailPlace(method.email) : `i${identityKey(method.identity)}`;

type PasswordPair = Extract<Pair, { method: ParsedPasswordLogin }>;

const isPassword = (pair: Pair): pair is PasswordPair => pair.method.recipeId === 'emailpassword';
const isInCore = ({ passwords, thirdParties }: Person) =>
  [...passwords, ...thirdParties].some(({ inCore }) => inCore !== undefined);
const isMove = (pair: Pair) => isPassword(pair) && pair.login.email !== pair.method.email;

/** Returns why a line must not change a stored login with `update-unchanged`, or undefined if it may. */
function reasonToKeep(pair: Pair): LineError | undefined {
  if (!isPassword(pair))
    return pair.login.hasSignedIn && pair.login.email !== pair.method.email ? SIGNED_IN_SINCE : undefined;
  // A line without a hash does not change the password, so it does not matter who has set it.
  if (pair.login.hashSetBy === 'user' && !('noHash' in pair.method.credential)) return PASSWORD_CHANGED_SINCE;
  return isMove(pair) && pair.login.isChangedHere ? EMAIL_CHANGED_SINCE : undefined;
}

/**
 * Returns whether a login method may have been removed here, so that an import must not bring it back. A
 * removal marks the remaining logins as changed. Changes of third-party logins may be by imports, so they
 * count only if the user has no password.
 */
const mayLackOnPurpose = ({ passwords, thirdParties }: Person): boolean =>
  passwords.length > 0
    ? passwords.some(({ isChangedHere }) => isChangedHere)
    : thirdParties.some(({ isChanged }) => isChanged);

/**
 * Returns the same array if nothing changes. An address that a sign-in at a provider has verified stays
 * verified.
 */
function verifiedAfter({ login, method }: Pair): readonly string[] {
  const { email, verified } = method;
  const { verifiedEmails } = login;
  const isVerified = verifiedEmails.includes(email);
  if (isVerified === verified) return verifiedEmails;
  if (verified) return [...verifiedEmails, email];
  if ('hasSignedIn' in login && login.hasSignedIn) return verifiedEmails;
  return verifiedEmails.filter((one) => one !== email);
}
