import type { ParsedHash } from './verifier.ts';
import { WRAPPED } from './verifiers/wrapped.ts';

/**
 * Which hashes are replaced by one of this service's own when their user signs in. `weak`: those of the classes legacy and broken, and
 * wrapped ones. `outdated`: all that are not made as this service makes them now.
 */
export const UPGRADE_POLICIES = ['off', 'weak', 'outdated'] as const;

export type UpgradePolicy = (typeof UPGRADE_POLICIES)[number];

/**
 * Is this hash to be replaced by a new one of the same password, which has just matched?
 *
 * Never where one of the two does not read exactly this password: other passwords match as well then, or would match
 * afterwards. A new hash would change which passwords work, and nobody would notice.
 * @param example what this service makes now
 */
export function isUpgradeDue(
  policy: UpgradePolicy,
  { hash, password, example }: { hash: ParsedHash; password: Uint8Array; example: ParsedHash },
): boolean {
  // HMAC, and with it PBKDF2, scrypt and SCRAM, fills its key up with NULs, so that a password matches with and without them.
  if (password.includes(0)) return false;
  return isOld(policy, hash, example) && hash.readsExactly(password) && example.readsExactly(password);
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
