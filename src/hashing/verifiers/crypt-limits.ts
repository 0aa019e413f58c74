import type { WholeNumberSetting } from '../algorithm.ts';
import { HashRefused } from '../verifier.ts';

export type ShaCryptLimit = 'shacrypt_max_rounds';
export type CryptLimit = 'crypt_max_rounds';

export const SHACRYPT_LIMITS: Record<ShaCryptLimit, WholeNumberSetting> = {
  shacrypt_max_rounds: {
    min: 1000,
    max: 999_999_999,
    default: 1_000_000,
    description: 'Most rounds of an imported SHA crypt hash (`$5$`, `$6$`, `$A$`).',
  },
};

export const CRYPT_LIMITS: Record<CryptLimit, WholeNumberSetting> = {
  crypt_max_rounds: {
    min: 1,
    max: 100_000_000,
    default: 500_000,
    description:
      'Most rounds of an imported sha1-crypt, Sun MD5 or BSDi hash. The latter two never have more than 200,000.',
  },
};

/** Of Sun's MD5 and BSDi's DES, whatever the setting. Solaris' own default is 904 more than the least, BSDi's is 725. */
const MAX_OLD_ROUNDS = 200_000;

/** Returns the rounds. @throws {HashRefused} `cost` when they are more than these families ever had */
export function checkOldRounds(rounds: number): number {
  if (rounds <= MAX_OLD_ROUNDS) return rounds;
  throw new HashRefused('cost', `rounds are above ${MAX_OLD_ROUNDS}, the most of this family`);
}
