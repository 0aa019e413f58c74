import { HEX_DIGESTS, HMACS } from './plain-digests.ts';
import { SALTED_ROUNDS } from './salted-rounds.ts';

/** Families that are one digest or a handful, computed in place. Strong they are not. */
export const SALTED_DIGESTS = [...SALTED_ROUNDS, ...HMACS, ...HEX_DIGESTS];
