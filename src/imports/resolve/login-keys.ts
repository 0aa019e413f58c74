import { identityKey, type ThirdPartyIdentity } from '../../users/user.ts';
import type { ParsedDisabling, ParsedUser } from '../input/parsed-user.ts';
import { methodId } from './chunk-ids.ts';
import { type FingerprintSeed, Fingerprints } from './fingerprints.ts';

/** Keys that no two users can share: e-mail with a password, third-party identity and external id. */
export interface LoginKeys {
  emails: ReadonlySet<string>;
  identities: ReadonlyMap<string, ThirdPartyIdentity>;
  externalIds: ReadonlySet<string>;
}

export function keysOf(
  parsedUsers: readonly ParsedUser[],
  disablings: readonly ParsedDisabling[] = [],
): LoginKeys {
  const emails = new Set<string>();
  const identities = new Map<string, ThirdPartyIdentity>();
  const externalIds = new Set(disablings.map(({ externalId }) => externalId));
  for (const parsedUser of parsedUsers) {
    for (const method of parsedUser.methods) {
      if (method.recipeId === 'emailpassword') emails.add(method.email);
      else identities.set(identityKey(method.identity), method.identity);
    }
    for (const id of externalIdsOf(parsedUser)) externalIds.add(id);
  }
  return { emails, identities, externalIds };
}

const NONE: readonly string[] = [];

/** Includes the ids of a staged user that clients know: another user may have taken one as an external id. */
export function externalIdsOf({ userId, externalId, methods }: ParsedUser): readonly string[] {
  // Fast path: nearly all users have one login and no external ids.
  if (externalId === undefined && methods.length === 1 && userId === undefined) return NONE;
  const ids = externalId === undefined ? [] : [externalId];
  for (const method of methods) if (method.externalId !== undefined) ids.push(method.externalId);
  if (userId !== undefined) ids.push(...methods.map((_method, index) => methodId(userId, index)));
  return ids;
}

/** Namespaces of keys. The same text as an e-mail and as an external id is two different keys. */
export const KEY_KINDS = { email: 0, identity: 1, externalId: 2 } as const;

export type KeyKind = (typeof KEY_KINDS)[keyof typeof KEY_KINDS];

export function fingerprintsOf(keys: LoginKeys, seed: FingerprintSeed): Fingerprints {
  const { emails, identities, externalIds } = keys;
  const fingerprints = new Fingerprints(seed);
  for (const email of emails) fingerprints.add(KEY_KINDS.email, email);
  for (const identity of identities.keys()) fingerprints.add(KEY_KINDS.identity, identity);
  for (const id of externalIds) fingerprints.add(KEY_KINDS.externalId, id);
  return fingerprints;
}
