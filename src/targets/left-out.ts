import { profileMembers } from '../users/user-profile.ts';
import type { LeftOut, TargetUser } from './target.ts';

/** Returns the kinds of the user's data that the target system has no place for. */
export function leftOutOf(user: TargetUser, kinds: readonly LeftOut[]): LeftOut[] {
  const { totpDevices, userRoles, phoneNumbers } = openFactors(user);
  const has: Partial<Record<LeftOut, boolean>> = {
    'TOTP devices': totpDevices.length > 0,
    roles: userRoles.length > 0,
    'phone numbers': phoneNumbers.length > 0,
    metadata: user.profile.metadata !== undefined,
    'external ids': user.externalId !== undefined,
    'logins at providers': user.identities.length > 0,
    'times of joining': user.timeJoinedMs !== undefined,
  };
  return kinds.filter((kind) => has[kind] === true);
}

/** Returns the user's second factors, roles and phone numbers, or empty lists if they are encrypted. */
export const openFactors = ({ factors }: TargetUser) =>
  factors !== undefined && 'open' in factors
    ? factors.open
    : { totpDevices: [], userRoles: [], phoneNumbers: [] };

/** Returns JSON of a user, with the external id and the profile in a member of this name. */
export function withKeptData(object: object, name: string, { externalId, profile }: TargetUser): string {
  const id = externalId === undefined ? '' : `"externalUserId":${JSON.stringify(externalId)},`;
  // The profile is JSON text already, and must stay as it is.
  const members = `${id}${profileMembers(profile)}`.slice(0, -1);
  const json = JSON.stringify(object);
  return members === '' ? json : `${json.slice(0, -1)},"${name}":{${members}}}`;
}
