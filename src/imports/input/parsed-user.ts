import type { KeptHash } from '../../hashing/verifier.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { LineError } from './line-error.ts';

/**
 * A user to import that passed every check a single import makes: addresses are normalised, hashes parsed, texts can be
 * stored, and no login method or external id comes twice.
 */
export interface ParsedUser {
  /** Where callers were told it before the import: its id, from which those of its login methods follow. */
  userId?: string | undefined;
  /** The id its former system knew the user by; at most 128 characters. */
  externalId?: string | undefined;
  /** A JSON object, as text. */
  metadata?: string | undefined;
  /** Never empty. The first is the primary one: its id is the user's id. */
  methods: readonly [ParsedLoginMethod, ...ParsedLoginMethod[]];
}

export type ParsedLoginMethod = ParsedPasswordLogin | ParsedThirdPartyLogin;

interface ParsedLoginBase {
  email: string;
  /** Is this address known to be the user's? */
  verified: boolean;
  /** ms since the epoch; undefined: the time of the import. */
  timeJoinedMs?: number | undefined;
  /** Of this login method. The primary method has none of its own: its is the user's. */
  externalId?: string | undefined;
}

export interface ParsedPasswordLogin extends ParsedLoginBase {
  recipeId: 'emailpassword';
  /** The hash another system made, or the password itself, to be hashed here before anything is stored. */
  credential: { hash: KeptHash } | { plainText: string };
}

export interface ParsedThirdPartyLogin extends ParsedLoginBase {
  recipeId: 'thirdparty';
  identity: ThirdPartyIdentity;
}

/** Why a user cannot be imported. `message` is public: it never holds an address, a password or a hash. */
export interface ValidationError {
  code: ErrorCode;
  message: string;
}

/** What a line says: a user, why there is none, or undefined where it is blank. */
export type ParsedLine = ParsedUser | LineError | undefined;

export const isParsedUser = (line: ParsedLine): line is ParsedUser => line !== undefined && 'methods' in line;
