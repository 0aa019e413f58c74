import type { ParsedHash } from './verifier.ts';
import { WRAPPED } from './verifiers/wrapped.ts';

/**
 * Which hashes are replaced by one of this service's own when their user signs in. `weak`: those of the classes legacy and broken, and
 * wrapped ones. `outdated`: all that are not made as this service makes them now.
 */
export const UPGRADE_POLICIES = ['off', 'weak', 'outdated'] as const;

export type UpgradePolicy = (typeof UPGRADE_POLICIES)[number];

/**
 * Returns whether the hash is to be replaced by a new one of the same password, which has just matched.
 *
 * It is not if another password matches the old hash or would match the new one. The owner may type that other
 * password: a new hash would lock them out, in favour of whoever signed in with this one.
 * @param example what this service makes now
 */
export function isUpgradeDue(
  policy: UpgradePolicy,
  { hash, password, example }: { hash: ParsedHash; password: Uint8Array; example: ParsedHash },
): boolean {
  // With and without a NUL at its end, a password is one key to HMAC, and one text to C.
  if (password.includes(0)) return false;
  return isOld(policy, hash, example) && hash.isOnlyPassword(password) && example.isOnlyPassword(password);
}

function isOld(policy: UpgradePolicy, hash: ParsedHash, example: ParsedHash): boolean {
  switch (policy) {
    case 'off':
      return false;
    case 'weak':
      return hash.strength !== 'strong' || hash.algorithm === WRAPPED;
    case 'outdated':
      return hash.algorithm !== example.algorithm || hash.decoy() !== example.decoy();
  }
}
