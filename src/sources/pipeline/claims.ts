import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import { normalizeEmail } from '../../users/email.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { shownProvider } from '../fields/shown-name.ts';
import type { SourceIdentity, SourceUser, UserDecisions } from '../source-user.ts';
import { countName, type Tally } from './tally.ts';

/** Strengths of a claim to an e-mail address, ascending: made from a user name, unconfirmed, confirmed. */
const NAME = 0;
const STATED = 1;
const CONFIRMED = 2;

export interface ClaimOptions extends Pick<UserDecisions, 'disabled' | 'withoutPassword'> {
  nowMs: number;
  /** Sign-in providers that the operator mapped: `thirdPartyId` by the provider's name in the file. */
  providers: Readonly<Record<string, string>>;
  /** Counts addresses as confirmed if the export does not say. */
  verifiedByDefault: boolean;
}

/** Ids and addresses that a user of an export claims. If several users claim the same, settlement.ts decides. */
export interface Claims {
  /** External ids of the user and of the login methods, as the service reads them. */
  ids: ReadonlySet<string>;
  /** Addresses with which the user would sign in with a password, and the strength of the claim to each. */
  addresses: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch. A time in the future is a mistake, or a trick, and does not count. */
  joinedMs: number | undefined;
  /** The user is left out as disabled. The claim still beats weaker claims, but does not compete with equal ones. */
  isOut: boolean;
  /** Address of a row without an id. Other rows without an id may be about the same person if they have it, too. */
  person: string | undefined;
  /** The user must not sign in here, whether imported as disabled or left out. */
  isDisabled: boolean;
}

export const NO_CLAIMS: Claims = {
  ids: new Set(),
  addresses: new Map(),
  joinedMs: undefined,
  isOut: false,
  person: undefined,
  isDisabled: false,
};

/** @param user may have only the values that could be read of a bad record */
export function claimsOf(user: SourceUser | undefined, options: ClaimOptions): Claims {
  if (user === undefined) return NO_CLAIMS;
  const { timeJoinedMs } = user;
  const ids = externalIdsOf(user);
  return {
    ids,
    addresses: addressesOf(user, options),
    joinedMs: timeJoinedMs !== undefined && timeJoinedMs <= options.nowMs ? timeJoinedMs : undefined,
    isOut: user.state === 'DISABLED' && options.disabled === 'skip',
    person: ids.size > 0 || user.email === undefined ? undefined : normalizeEmail(user.email),
    isDisabled: user.state === 'DISABLED' && options.disabled !== 'include',
  };
}

function externalIdsOf(user: SourceUser): ReadonlySet<string> {
  const ids = new Set<string>();
  const add = (id: unknown) => {
    const stripped = typeof id === 'string' ? stripControlAndSpace(id) : '';
    if (stripped !== '') ids.add(stripped);
  };
  add(user.externalUserId);
  for (const method of user.loginMethods ?? []) if (isJsonObject(method)) add(method.externalUserId);
  return ids;
}

function addressesOf(user: SourceUser, options: ClaimOptions): ReadonlyMap<string, number> {
  const addresses = new Map<string, number>();
  if (!mayBeImported(user)) return addresses;
  for (const { email, isVerified } of user.loginMethods?.filter(isPasswordLogin) ?? ownLogin(user, options)) {
    const address = typeof email === 'string' ? normalizeEmail(email) : undefined;
    if (address === undefined) continue;
    const isConfirmed = (isVerified ?? options.verifiedByDefault) === true;
    const strength = user.emailFromName !== undefined ? NAME : isConfirmed ? CONFIRMED : STATED;
    addresses.set(address, Math.max(strength, addresses.get(address) ?? NAME));
  }
  return addresses;
}

/** Deleted users, guests and accounts of machines are never imported, so they have no claim to an address. */
const mayBeImported = ({ state }: SourceUser) =>
  state === undefined || state === 'DISABLED' || typeof state === 'object';

const isPasswordLogin = (method: unknown): method is JsonObject =>
  isJsonObject(method) && method.recipeId === 'emailpassword';

function ownLogin(user: SourceUser, options: ClaimOptions): readonly JsonObject[] {
  const hasNoOther = user.hasHiddenPassword === true || !hasOtherLogin(user, options);
  const isKept = options.withoutPassword !== 'skip' && hasNoOther;
  const getsPassword = user.password !== undefined || isKept;
  return getsPassword ? [{ email: user.email, isVerified: user.isVerified }] : [];
}

function hasOtherLogin(user: SourceUser, { providers }: ClaimOptions): boolean {
  const email = user.email === undefined ? undefined : normalizeEmail(user.email);
  const { logins, unmapped } = thirdPartyLogins(user, email, providers);
  return logins.length > 0 || unmapped?.isSso === true;
}

export interface ThirdPartyLogin {
  thirdPartyId: string;
  thirdPartyUserId: string;
  email: string;
  isVerified: boolean;
}

export interface ThirdPartyLogins {
  logins: ThirdPartyLogin[];
  /** An identity at a provider without a `thirdPartyId`. An identity at an enterprise provider is preferred. */
  unmapped?: SourceIdentity;
  /** An identity at a known provider was dropped because it has no e-mail address. */
  lacksEmail: boolean;
}

const NONE: ThirdPartyLogins = { logins: [], lacksEmail: false };

/**
 * Returns the identities of a user as login methods, without duplicates.
 * @param providers providers that the operator mapped: `thirdPartyId` by the provider's name in the file
 * @param tally counts identities by provider
 */
export function thirdPartyLogins(
  user: SourceUser,
  userEmail: string | undefined,
  providers: Readonly<Record<string, string>>,
  tally?: Pick<Tally, 'unmappedProviders' | 'mappedProviders'>,
): ThirdPartyLogins {
  const { identities } = user;
  if (identities === undefined || identities.length === 0) return NONE;
  const found = new Map<string, ThirdPartyLogin>();
  const result: ThirdPartyLogins = { logins: [], lacksEmail: false };
  for (const identity of identities) {
    const thirdPartyId = thirdPartyIdOf(identity, providers);
    if (thirdPartyId === undefined) {
      if (tally !== undefined) countName(tally.unmappedProviders, shownProvider(identity.provider));
      if (result.unmapped === undefined || identity.isSso) result.unmapped = identity;
      continue;
    }
    noteProvider(tally?.mappedProviders, thirdPartyId, identity.provider);
    const email = emailOf(identity, userEmail);
    if (email === undefined) {
      result.lacksEmail = true;
      continue;
    }
    const key = `${thirdPartyId}\0${identity.userId}`;
    if (found.has(key)) continue;
    const isVerified = identity.isVerified ?? (email === userEmail && user.isVerified === true);
    found.set(key, { thirdPartyId, thirdPartyUserId: identity.userId, email, isVerified });
  }
  result.logins = [...found.values()];
  return result;
}

/** Notes a name of a provider under its id. The names are few: only known and mapped providers have an id. */
function noteProvider(names: Tally['mappedProviders'] | undefined, id: string, name: string): void {
  const known = names?.get(id) ?? new Set();
  names?.set(id, known.add(name));
}

function thirdPartyIdOf(
  { provider, isSso }: SourceIdentity,
  providers: Readonly<Record<string, string>>,
): string | undefined {
  if (Object.hasOwn(providers, provider)) return providers[provider];
  return isSso ? undefined : knownThirdPartyId(provider);
}

function emailOf({ email }: SourceIdentity, userEmail: string | undefined): string | undefined {
  return (email === undefined ? undefined : normalizeEmail(email)) ?? userEmail;
}
