import type { WholeNumberSetting } from '../algorithm.ts';

/** The bound of every family that is a digest many times over and has no bound of its own. */
export const DIGEST_MAX_ROUNDS: Record<'digest_max_rounds', WholeNumberSetting> = {
  digest_max_rounds: {
    min: 1,
    max: 100_000_000,
    default: 1_000_000,
    description: 'Most rounds of an imported hash that is a plain digest many times over.',
  },
};
