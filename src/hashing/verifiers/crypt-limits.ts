import type { WholeNumberSetting } from '../algorithm.ts';
import { HashRefused } from '../verifier.ts';

export type ShaCryptLimit = 'shacrypt_max_rounds';
export type CryptLimit = 'crypt_max_rounds';

export const SHACRYPT_LIMITS: Record<ShaCryptLimit, WholeNumberSetting> = {
  shacrypt_max_rounds: {
    min: 1000,
    max: 999_999_999,
    default: 1_000_000,
    description: 'Maximum rounds of an imported SHA crypt hash (`$5$`, `$6$`, `$A$`).',
  },
};

export const CRYPT_LIMITS: Record<CryptLimit, WholeNumberSetting> = {
  crypt_max_rounds: {
    min: 1,
    max: 100_000_000,
    default: 500_000,
    description:
      'Maximum rounds of an imported sha1-crypt, Sun MD5 or BSDi hash. Sun MD5 and BSDi hashes with more than 200,000 are always refused.',
  },
};

/** Maximum whatever the setting. The default of Solaris is 904 above its minimum; that of BSDi is 725. */
const MAX_OLD_ROUNDS = 200_000;

/** @throws {HashRefused} `cost` above MAX_OLD_ROUNDS */
export function checkOldRounds(rounds: number): number {
  if (rounds <= MAX_OLD_ROUNDS) return rounds;
  throw new HashRefused('cost', `rounds are above ${MAX_OLD_ROUNDS}, the fixed limit of this family`);
}
