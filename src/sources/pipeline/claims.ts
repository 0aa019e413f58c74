import { DiskMap } from '../../lib/disk-map/disk-map.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';
import { normalizeEmail } from '../../users/email.ts';
import type { SourceUser } from '../source-user.ts';
import type { UserDecisions } from '../user-decisions.ts';
import { thirdPartyLogins } from './third-party-logins.ts';
import type { EmailProblem, IdProblem } from './verdict.ts';

/** Strengths of a claim to an e-mail address, ascending: made from a user name, unconfirmed, confirmed. */
const NAME = 0;
const STATED = 1;
const CONFIRMED = 2;

/** UserPlace of a user in an export. */
export interface UserPlace {
  /** Number of the user in the order in which all are noted, from 0. */
  order: number;
  /** Name in messages, such as `row 4 of users.csv`. */
  row: string;
}

interface Claim extends UserPlace {
  strength: number;
  /** Milliseconds since the epoch, if the time of joining may decide. */
  joinedMs?: number | undefined;
  /** The user is left out as disabled: the claim beats weaker ones, and does not compete with equal ones. */
  isOut: boolean;
}

/** An address with more rows is nobody's, whatever the operator chooses. */
const MAX_CLAIMS = 64;

export interface ClaimProblem {
  result: 'conflict' | 'error';
  reason: EmailProblem | IdProblem;
  message: string;
}

export interface ClaimOptions extends Pick<UserDecisions, 'disabled' | 'sharedAddress' | 'withoutPassword'> {
  tempDirectory: string;
  nowMs: number;
  /** The operator's ids of sign-in providers, by their names in the file. */
  providers: Readonly<Record<string, string>>;
  /** Counts addresses as confirmed if the export does not say. */
  verifiedByDefault: boolean;
}

/**
 * Finds users of an export who have the same e-mail address or the same id. All users are noted before the first
 * one is judged, because in many systems anyone can register the address of somebody else. One confirmed address
 * beats unconfirmed ones, and these beat user names that look like addresses. Otherwise nobody gets the address, unless
 * the operator says that the newest or oldest user has it. Nobody gets an id that comes twice.
 */
export class Claims {
  readonly #options: ClaimOptions;
  /** The first row with each address and id. Only needed until all rows are noted. */
  readonly #firstClaims: DiskMap;
  readonly #firstIds: DiskMap;
  /** Rows with an address or id that others have as well. Few exports have many. */
  readonly #shared: DiskMap;
  readonly #repeated: DiskMap;
  #hasShared = false;
  #hasRepeated = false;

  constructor(options: ClaimOptions) {
    this.#options = options;
    const { tempDirectory: directory } = options;
    this.#firstClaims = new DiskMap({ directory, maxValues: 1 });
    this.#firstIds = new DiskMap({ directory, maxValues: 1 });
    this.#shared = new DiskMap({ directory, maxValues: MAX_CLAIMS });
    this.#repeated = new DiskMap({ directory, maxValues: 2 });
  }

  /** @param user perhaps only the readable part of a bad record */
  note(user: SourceUser | undefined, place: UserPlace): void {
    const text = JSON.stringify(place);
    for (const id of externalIdsOf(user)) {
      const [first] = this.#firstIds.find(id);
      if (first === undefined) this.#firstIds.add(id, text);
      else {
        this.#hasRepeated = true;
        if (this.#repeated.find(id).length === 0) this.#repeated.add(id, first);
        this.#repeated.add(id, text);
      }
    }
    if (user === undefined) return;
    const joinedMs = this.#options.sharedAddress === undefined ? undefined : this.#joinedAt(user);
    const isOut = user.state === 'DISABLED' && this.#options.disabled === 'skip';
    for (const [email, strength] of this.#addressesOf(user))
      this.#noteClaim(email, { strength, joinedMs, isOut, ...place });
  }

  /** Call when all rows are noted. */
  settle(): void {
    this.#firstClaims.close();
    this.#firstIds.close();
  }

  close(): void {
    for (const map of [this.#firstClaims, this.#firstIds, this.#shared, this.#repeated]) map.close();
  }

  /** Returns why the user must not get the id, or undefined. */
  problemOfId(user: SourceUser, order: number): ClaimProblem | undefined {
    if (!this.#hasRepeated) return undefined;
    for (const id of externalIdsOf(user)) {
      const places = this.#repeated.find(id).map((text) => JSON.parse(text) as UserPlace);
      const other = places.find((one) => one.order !== order);
      if (other !== undefined)
        return { result: 'error', reason: 'EXTERNAL_ID_REPEATED', message: `the same id as ${other.row}` };
    }
    return undefined;
  }

  /** Returns why the user must not get one of the addresses, or undefined. */
  problemOfAddress(user: SourceUser, order: number): ClaimProblem | undefined {
    if (!this.#hasShared) return undefined;
    for (const [email, strength] of this.#addressesOf(user)) {
      const problem = this.#problemOf(email, strength, order);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #problemOf(email: string, strength: number, order: number): ClaimProblem | undefined {
    const claims = this.#claimsTo(email);
    const best = Math.max(...claims.map((one) => one.strength));
    const strongest = claims.filter((one) => one.strength === best);
    const [stronger] = strength < best ? strongest : [];
    const same = 'the same e-mail address as';
    if (stronger !== undefined) return beaten(`${same} ${stronger.row}, which has a better claim to it`);
    const rivals = strongest.filter((one) => !one.isOut || one.order === order);
    const rival = rivals.find((one) => one.order !== order);
    if (rival === undefined) return undefined;
    const chosen = claims.length < MAX_CLAIMS ? this.#chosenOf(rivals) : undefined;
    if (chosen?.order === order) return undefined;
    if (chosen !== undefined)
      return beaten(`${same} ${chosen.row}, the ${this.#options.sharedAddress} of these users`);
    return {
      result: 'error',
      reason: 'ADDRESS_SHARED',
      message: `${same} ${rival.row}, and nothing shows whose it is`,
    };
  }

  #noteClaim(email: string, claim: Claim): void {
    const [first] = this.#firstClaims.find(email);
    if (first === undefined) {
      this.#firstClaims.add(email, JSON.stringify(claim));
      return;
    }
    this.#hasShared = true;
    const claims = this.#claimsTo(email);
    if (claims.length === 0) {
      this.#shared.add(email, first);
      claims.push(JSON.parse(first));
    }
    // Two rows suffice to show that the address is shared. With a choice, the newest or oldest is needed as well.
    const alike = claims.filter((one) => one.strength === claim.strength && one.isOut === claim.isOut);
    if (alike.length < 2 || this.#chosenOf([...alike, claim]) === claim)
      this.#shared.add(email, JSON.stringify(claim));
  }

  /** A time in the future is a mistake, or a trick. */
  #joinedAt({ timeJoinedMs }: SourceUser): number | undefined {
    return timeJoinedMs !== undefined && timeJoinedMs <= this.#options.nowMs ? timeJoinedMs : undefined;
  }

  #claimsTo(email: string): Claim[] {
    return this.#shared.find(email).map((text) => JSON.parse(text) as Claim);
  }

  /** The newest or oldest claim, by the time of joining if all have one, else by the order of the export. */
  #chosenOf(claims: readonly Claim[]): Claim | undefined {
    const { sharedAddress } = this.#options;
    if (sharedAddress === undefined) return undefined;
    const hasTimes = claims.every(({ joinedMs }) => joinedMs !== undefined);
    const ascending = claims.toSorted(
      (a, b) => (hasTimes ? Number(a.joinedMs) - Number(b.joinedMs) : 0) || a.order - b.order,
    );
    return ascending.at(sharedAddress === 'oldest' ? 0 : -1);
  }

  /** The addresses with which the user would sign in with a password, and the strength of the claim to each. */
  #addressesOf(user: SourceUser): ReadonlyMap<string, number> {
    const addresses = new Map<string, number>();
    if (!mayBeImported(user)) return addresses;
    for (const { email, isVerified } of user.loginMethods?.filter(isPasswordLogin) ?? this.#ownLogin(user)) {
      const address = typeof email === 'string' ? normalizeEmail(email) : undefined;
      if (address === undefined) continue;
      const isConfirmed = (isVerified ?? this.#options.verifiedByDefault) === true;
      const strength = user.emailFromName !== undefined ? NAME : isConfirmed ? CONFIRMED : STATED;
      addresses.set(address, Math.max(strength, addresses.get(address) ?? NAME));
    }
    return addresses;
  }

  #ownLogin(user: SourceUser): readonly JsonObject[] {
    const isKept = this.#options.withoutPassword !== 'skip' && !this.#hasOtherLogin(user);
    const getsPassword = user.password !== undefined || isKept;
    return getsPassword ? [{ email: user.email, isVerified: user.isVerified }] : [];
  }

  #hasOtherLogin(user: SourceUser): boolean {
    const email = user.email === undefined ? undefined : normalizeEmail(user.email);
    const { logins, unmapped } = thirdPartyLogins(user, email, this.#options.providers, new Map());
    return logins.length > 0 || unmapped?.isSso === true;
  }
}

const isPasswordLogin = (method: unknown): method is JsonObject =>
  isJsonObject(method) && method.recipeId === 'emailpassword';

const beaten = (message: string): ClaimProblem => ({
  result: 'conflict',
  reason: 'DUPLICATE_EMAIL',
  message,
});

/** Deleted users and machines have no claim. */
const mayBeImported = ({ state }: SourceUser) =>
  state === undefined || state === 'DISABLED' || typeof state === 'object';

/** Returns the external ids of the user and of the login methods, as the service reads them. */
function externalIdsOf(user: SourceUser | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = (id: unknown) => {
    const stripped = typeof id === 'string' ? stripControlAndSpace(id) : '';
    if (stripped !== '') ids.add(stripped);
  };
  add(user?.externalUserId);
  for (const method of user?.loginMethods ?? []) if (isJsonObject(method)) add(method.externalUserId);
  return ids;
}
