import type { KeptHash } from '../../hashing/verifier.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { LineError } from './line-error.ts';

/**
 * A user to import that passed every check a single import makes: addresses are normalised, hashes parsed, texts can be
 * stored, and no login method or external id comes twice.
 */
export interface ParsedUser {
  /** Id of the user, if callers learned it before the import. The ids of its login methods follow from it. */
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
  /** External id of this login method. The primary method has none, because the user's external id is its own. */
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

/** Content of a line: a user, an error, or undefined for a blank line. */
export type ParsedLine = ParsedUser | LineError | undefined;

export const isParsedUser = (line: ParsedLine): line is ParsedUser => line !== undefined && 'methods' in line;
