import type { WholeNumberSetting } from '../algorithm.ts';

/** The bound that all families of repeated digests share. */
export const DIGEST_MAX_ROUNDS: Record<'digest_max_rounds', WholeNumberSetting> = {
  digest_max_rounds: {
    min: 1,
    max: 100_000_000,
    default: 1_000_000,
    description: 'Most rounds of an imported hash that is a digest of digests, whatever its dialect.',
  },
};
