import { identityKey } from '../identity-key.ts';
import type { ThirdPartyIdentity } from '../users/user.ts';
import { type Candidate, externalIdsOf } from './candidate.ts';
import type { ChunkKeys } from './store.ts';

/** What these users may meet others by. */
export function keysOf(candidates: readonly Candidate[]): ChunkKeys {
  const emails = new Set<string>();
  const identities = new Map<string, ThirdPartyIdentity>();
  const externalIds = new Set<string>();
  for (const candidate of candidates) {
    for (const method of candidate.methods) {
      if (method.recipeId === 'emailpassword') emails.add(method.email);
      else identities.set(identityKey(method.identity), method.identity);
    }
    for (const id of externalIdsOf(candidate)) externalIds.add(id);
  }
  return { emails, identities, externalIds };
}

/** Keys alone. */
export type KeySets = { [Kind in keyof ChunkKeys]: Keyed };

interface Keyed {
  readonly size: number;
  keys(): Iterable<string>;
  has(key: string): boolean;
}

export function keysOverlap(a: KeySets, b: KeySets): boolean {
  return (
    overlap(a.emails, b.emails) ||
    overlap(a.identities, b.identities) ||
    overlap(a.externalIds, b.externalIds)
  );
}

function overlap(a: Keyed, b: Keyed): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  for (const key of small.keys()) if (large.has(key)) return true;
  return false;
}
