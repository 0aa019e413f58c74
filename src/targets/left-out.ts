import type { LeftOut, TargetUser } from './target.ts';

/** Returns the kinds of data that the user has, of those that a system has no place for. */
export function leftOutOf(user: TargetUser, kinds: readonly LeftOut[]): LeftOut[] {
  const { factors } = user;
  const open = factors !== undefined && 'open' in factors ? factors.open : undefined;
  const has: Partial<Record<LeftOut, boolean>> = {
    'TOTP devices': (open?.totpDevices.length ?? 0) > 0,
    roles: (open?.userRoles.length ?? 0) > 0,
    'phone numbers': (open?.phoneNumbers.length ?? 0) > 0,
    metadata: user.metadata !== undefined,
    'external ids': user.externalId !== undefined,
    'logins at providers': user.identities.length > 0,
    'times of joining': user.timeJoinedMs !== undefined,
  };
  return kinds.filter((kind) => has[kind] === true);
}

/** Returns external id and metadata as members of a JSON object, or undefined if there are none. Metadata is JSON text. */
export function keptData({ externalId, metadata }: TargetUser): string | undefined {
  const members = [
    ...(externalId === undefined ? [] : [`"externalUserId":${JSON.stringify(externalId)}`]),
    ...(metadata === undefined ? [] : [`"userMetadata":${metadata}`]),
  ];
  return members.length === 0 ? undefined : `{${members.join(',')}}`;
}
