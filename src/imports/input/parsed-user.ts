import type { KeptHash } from '../../hashing/verifier.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { ThirdPartyIdentity, UserFactors, UserProfile } from '../../users/user.ts';
import type { LineError } from './line-error.ts';

/**
 * User to import who passed all checks of a single import: e-mail addresses are normalised, hashes are
 * parsed, texts can be stored, and no login method or external id occurs twice.
 */
export interface ParsedUser {
  /** Id of the user, if clients learned it before the import, as for staged users. */
  userId?: string | undefined;
  /** Id of the user in the former system; at most 128 characters. */
  externalId?: string | undefined;
  profile: UserProfile;
  /** Undefined if the import does not say; a new user is then enabled. */
  disabled?: boolean | undefined;
  factors?: ParsedFactors | undefined;
  /** The first login method is the primary one, whose id is the user's id. */
  methods: readonly [ParsedLoginMethod, ...ParsedLoginMethod[]];
}

/** `sealed`: encrypted by FactorVault.seal() for the `userId`. */
export type ParsedFactors = { open: UserFactors } | { sealed: Buffer };

export type ParsedLoginMethod = ParsedPasswordLogin | ParsedThirdPartyLogin;

interface ParsedLoginBase {
  email: string;
  verified: boolean;
  /** Milliseconds since the epoch. Defaults to the time of the import. */
  timeJoinedMs?: number | undefined;
  /** Undefined for the primary method, which uses the external id of the user. */
  externalId?: string | undefined;
}

export interface ParsedPasswordLogin extends ParsedLoginBase {
  recipeId: 'emailpassword';
  credential: { hash: KeptHash } | { plainText: string } | { noHash: NoHash };
}

export interface ParsedThirdPartyLogin extends ParsedLoginBase {
  recipeId: 'thirdparty';
  identity: ThirdPartyIdentity;
}

/** `message` is public, so it never contains an address, a password or a hash. */
export interface ValidationError {
  code: ErrorCode;
  message: string;
}

/** Line that disables a user whom an earlier import created, and that creates nobody. */
export interface ParsedDisabling {
  disables: true;
  externalId: string;
  email?: string | undefined;
  timeJoinedMs?: number | undefined;
}

export type ReadLine = ParsedUser | LineError | undefined;

export type ParsedLine = ReadLine | ParsedDisabling;

export const isParsedUser = (line: ParsedLine): line is ParsedUser => line !== undefined && 'methods' in line;
export const isDisabling = (line: ParsedLine): line is ParsedDisabling =>
  line !== undefined && 'disables' in line;
