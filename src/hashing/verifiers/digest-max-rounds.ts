import type { WholeNumberSetting } from '../algorithm.ts';

export const DIGEST_MAX_ROUNDS: Record<'digest_max_rounds', WholeNumberSetting> = {
  digest_max_rounds: {
    min: 1,
    max: 100_000_000,
    default: 1_000_000,
    description: 'Maximum rounds of an imported hash that is a repeated digest, of any dialect.',
  },
};
