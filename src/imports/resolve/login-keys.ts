import { identityKey, type ThirdPartyIdentity } from '../../users/user.ts';
import type { ChunkKeys } from '../import-store.ts';
import { externalIdsOf, type ParsedUser } from '../input/parsed-user.ts';
import { Fingerprints } from './fingerprints.ts';

/** What these users may meet others by. */
export function keysOf(parsedUsers: readonly ParsedUser[]): ChunkKeys {
  const emails = new Set<string>();
  const identities = new Map<string, ThirdPartyIdentity>();
  const externalIds = new Set<string>();
  for (const parsedUser of parsedUsers) {
    for (const method of parsedUser.methods) {
      if (method.recipeId === 'emailpassword') emails.add(method.email);
      else identities.set(identityKey(method.identity), method.identity);
    }
    for (const id of externalIdsOf(parsedUser)) externalIds.add(id);
  }
  return { emails, identities, externalIds };
}

/** Texts of one kind never stand for what those of another do. */
export const KEY_KINDS = { email: 0, identity: 1, externalId: 2 } as const;

export type KeyKind = (typeof KEY_KINDS)[keyof typeof KEY_KINDS];

export function fingerprintsOf({ emails, identities, externalIds }: ChunkKeys): Fingerprints {
  const fingerprints = new Fingerprints();
  for (const email of emails) fingerprints.add(KEY_KINDS.email, email);
  for (const identity of identities.keys()) fingerprints.add(KEY_KINDS.identity, identity);
  for (const id of externalIds) fingerprints.add(KEY_KINDS.externalId, id);
  return fingerprints;
}
