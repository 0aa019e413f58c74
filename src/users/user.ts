import { isJsonObject, type JsonObject } from '../lib/json/json-object.ts';

/** A user of this service. Ids are lower-case UUIDs; times are milliseconds since the epoch. */
export interface User {
  id: string;
  /** Id of the user in a former system. If it is set, callers see it instead of `id`. */
  externalId?: string;
  /** The earliest time at which a login method joined. */
  timeJoinedMs: number;
  isDisabled?: true;
  /** Login methods in the order in which they were added; at least one. */
  loginMethods: LoginMethod[];
}

export type LoginMethod = PasswordMethod | ThirdPartyMethod;

interface MethodBase {
  /** Id of the login method. It equals the user's id if the user has only one method. */
  recipeUserId: string;
  externalId?: string;
  email: string;
  verified: boolean;
  timeJoinedMs: number;
}

export interface PasswordMethod extends MethodBase {
  recipeId: 'emailpassword';
}

export interface ThirdPartyMethod extends MethodBase {
  recipeId: 'thirdparty';
  thirdParty: ThirdPartyIdentity;
}

/** Account at a provider, such as `{ id: 'google', userId: '1087…' }`. Both ids are compared exactly. */
export interface ThirdPartyIdentity {
  id: string;
  userId: string;
}

export type RecipeId = LoginMethod['recipeId'];

/** Returns a text that is unique for each identity. The length distinguishes `a`+`bc` from `ab`+`c`. */
export function identityKey(identity: ThirdPartyIdentity): string {
  return `${identity.id.length}:${identity.id}${identity.userId}`;
}

/**
 * Data of a user that this service does not interpret. Each part is the text of a JSON value, with every digit of its
 * numbers. A part is undefined if the user has none, or if an import does not contain it.
 */
export interface UserProfile {
  /** The user's metadata as the text of a JSON object. */
  readonly metadata?: string | undefined;
}

/** Name of each part of a profile in the JSON of a user, and in the table of users. */
export const PROFILE_PARTS: Readonly<Record<keyof UserProfile, { member: string; column: string }>> = {
  metadata: { member: 'userMetadata', column: 'metadata' },
};

export const NO_PROFILE: UserProfile = {};

const PARTS = Object.keys(PROFILE_PARTS) as (keyof UserProfile)[];
const MEMBERS = Object.values(PROFILE_PARTS).map(({ member }) => member);

/** Returns the parts of a profile in the JSON of a user. Parts that are no objects are left out. */
export const profileObjects = (user: JsonObject): object[] =>
  MEMBERS.map((member) => user[member]).filter(isJsonObject);

/** Returns the profile after an import, which is `stored` itself if the import changes nothing. */
export function profileAfter(stored: UserProfile, given: UserProfile): UserProfile {
  const isSame = PARTS.every((part) => given[part] === undefined || given[part] === stored[part]);
  if (isSame) return stored;
  return Object.fromEntries(PARTS.map((part) => [part, given[part] ?? stored[part]]));
}

/** Returns members of the JSON of a user, each with a comma after it: `"userMetadata":{…},`. */
export function profileMembers(profile: UserProfile): string {
  let members = '';
  for (const part of PARTS)
    if (profile[part] !== undefined) members += `"${PROFILE_PARTS[part].member}":${profile[part]},`;
  return members;
}

/** Data of a former system that are kept for the next system. This service does not enforce them. */
export interface UserFactors {
  totpDevices: readonly TotpDevice[];
  userRoles: readonly UserRole[];
  /** Phone numbers, written as in the former system. */
  phoneNumbers: readonly string[];
}

/** Generator of one-time passwords (RFC 6238). */
export interface TotpDevice {
  deviceName?: string;
  /** Secret of the TOTP device in base32, without padding. */
  secretKey: string;
  /** Seconds for which each one-time password is valid. */
  period: number;
  /** Number of periods before and after the current one whose one-time passwords are accepted, too. */
  skew: number;
  digits: number;
  algorithm: TotpAlgorithm;
}

export const TOTP_ALGORITHMS = ['SHA1', 'SHA256', 'SHA512'] as const;

export type TotpAlgorithm = (typeof TOTP_ALGORITHMS)[number];

export interface UserRole {
  role: string;
}

/** Values of a TOTP device that does not state them. Period and skew are those of SuperTokens core. */
export const TOTP_DEFAULTS = { period: 30, skew: 1, digits: 6, algorithm: 'SHA1' } as const;

/** In the stored form of factors, a bit for each kind shows whether the user has factors of this kind. */
export const FACTOR_KINDS = { totpDevices: 1, userRoles: 2, phoneNumbers: 4 } as const;

export const hasFactors = ({ totpDevices, userRoles, phoneNumbers }: UserFactors): boolean =>
  totpDevices.length + userRoles.length + phoneNumbers.length > 0;

/** Maximum numbers of characters (code points) in the texts of a user, however they are sent. */
export const MAX_CHARACTERS = {
  /** Length of an address as sent. A stricter limit is checked after normalisation. */
  email: 1024,
  /** Limits the work of hashing, and is far above the length of any password in use. */
  password: 65_536,
  passwordHash: 65_536,
  hashingAlgorithm: 65_536,
  hashingSecretId: 64,
  /** Length of the id of a third-party provider, or of a user of that provider. */
  identity: 256,
  externalId: 128,
} as const;

/**
 * Returns whether a text has more characters than the limit. The characters are only counted if the number of UTF-16
 * code units does not decide.
 */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false;
  return text.length > 2 * maxCharacters || [...text].length > maxCharacters;
}
