import type { KeptHash } from '../hashing/verifier.ts';
import type { JsonObject } from '../lib/json/json-object.ts';

/** `unset`: only a reset gives a password. `waiting`: the legacy system verifies it at the first sign-in. */
export const NO_HASH_REASONS = ['unset', 'waiting'] as const;

export type NoHash = (typeof NO_HASH_REASONS)[number];

export type Credential = { hash: KeptHash } | { noHash: NoHash };

/** Exactly one of these members of a request must be given. */
const CREDENTIAL_MEMBERS = ['passwordHash', 'plainTextPassword', 'password', 'legacySignIn'] as const;

/** Reads `"password":"unset"` or `"legacySignIn":true`, either of which takes the place of a hash. */
export function readNoHash(members: JsonObject): NoHash | { problem: string } | undefined {
  const { password, legacySignIn } = members;
  if (password === undefined && legacySignIn === undefined) return undefined;
  const given = CREDENTIAL_MEMBERS.filter((name) => members[name] !== undefined);
  if (given.length > 1) {
    return { problem: `Only one of ${given.slice(0, -1).join(', ')} and ${given.at(-1)} can be given` };
  }
  // The message does not repeat the value, which may be a password sent by mistake.
  if (password !== undefined)
    return password === 'unset' ? 'unset' : { problem: 'password can only be "unset"' };
  return legacySignIn === true ? 'waiting' : { problem: 'legacySignIn can only be true' };
}
