import { isJsonObject, type JsonObject } from '../lib/json/json-object.ts';

/**
 * Data of a user that this service does not interpret. Each part is the text of a JSON value, exactly as it
 * was sent. Undefined if the user has none, or if an import does not say.
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

/** Returns the parts of a profile in the JSON of a user. Parts that are no objects are left out. */
export const profileObjects = (user: JsonObject): object[] =>
  Object.values(PROFILE_PARTS).flatMap(({ member }) => {
    const part = user[member];
    return isJsonObject(part) ? [part] : [];
  });

/** Returns the profile after an import, which is `stored` itself if the import changes nothing. */
export function profileAfter(stored: UserProfile, given: UserProfile): UserProfile {
  const isSame = PARTS.every((part) => given[part] === undefined || given[part] === stored[part]);
  if (isSame) return stored;
  return Object.fromEntries(PARTS.map((part) => [part, given[part] ?? stored[part]]));
}

export const isSameProfile = (one: UserProfile, other: UserProfile): boolean =>
  PARTS.every((part) => one[part] === other[part]);

/** Returns members of the JSON of a user, each with a comma after it: `"userMetadata":{…},`. */
export function profileMembers(profile: UserProfile): string {
  let members = '';
  for (const part of PARTS)
    if (profile[part] !== undefined) members += `"${PROFILE_PARTS[part].member}":${profile[part]},`;
  return members;
}
