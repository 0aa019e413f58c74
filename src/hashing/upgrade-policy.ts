import { isLongPassword } from './process/hashing-work.ts';
import type { ParsedHash } from './verifier.ts';
import { WRAPPED } from './wrapped.ts';

/**
 * Policies for replacing a stored hash when its user signs in. `weak` replaces hashes of strength legacy or
 * broken, and wrapped ones. `outdated` replaces every hash that differs from a new hash in algorithm or
 * parameters.
 */
export const UPGRADE_POLICIES = ['off', 'weak', 'outdated'] as const;

export type UpgradePolicy = (typeof UPGRADE_POLICIES)[number];

/**
 * Returns whether a stored hash must be replaced by a new hash of this password, which was just verified.
 * A hash is kept if another password matches it, or would match the new hash: the owner may type that other
 * password. A new hash would then lock out the owner, in favour of the person who just signed in.
 * @param example a hash as this service makes them now
 */
export function isUpgradeDue(
  policy: UpgradePolicy,
  { hash, password, example }: { hash: ParsedHash; password: Uint8Array; example: ParsedHash },
): boolean {
  // HMAC and C strings do not distinguish a password from the same password with a NUL at its end. The old
  // hash may match both, but its replacement would match only one of them.
  if (password.includes(0) || isLongPassword(password)) return false;
  return IS_OLD[policy](hash, example) && hash.isOnlyPassword(password) && example.isOnlyPassword(password);
}

const IS_OLD: Readonly<Record<UpgradePolicy, (hash: ParsedHash, example: ParsedHash) => boolean>> = {
  off: () => false,
  weak: (hash) => hash.strength !== 'strong' || hash.algorithm === WRAPPED,
  outdated: (hash, example) => hash.algorithm !== example.algorithm || hash.decoy() !== example.decoy(),
};
