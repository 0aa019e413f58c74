import type { HashRegistry } from '../../hashing/registry.ts';
import type { KeptHash, ParsedHash, SecretId } from '../../hashing/verifier.ts';
import { ERROR_STATUS, type ErrorCode } from '../../lib/errors.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import { requirePassword } from '../../users/sign-up.ts';
import type { ThirdPartyIdentity, UserFactors, UserProfile } from '../../users/user.ts';

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
  /** Undefined if the import does not state it; a new user is then enabled. */
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

/**
 * Returns the credential for a parsed hash. It is a plain-text password if the "hash" was a password behind a scheme
 * name such as `{CLEAR}`.
 * @throws {AppError} PASSWORD_EMPTY
 */
export function credentialOf(hash: ParsedHash): ParsedPasswordLogin['credential'] {
  const { clearText } = hash;
  if (clearText === undefined) return { hash };
  requirePassword(clearText);
  return { plainText: clearText };
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

/** Error codes that only lines of an import have, and no HTTP call. docs/errors.md lists them too. */
export const LINE_CODES = [
  'EMAIL_ALREADY_EXISTS',
  'EMAIL_CHANGED_SINCE',
  'EXTERNAL_ID_ALREADY_EXISTS',
  'EXTERNAL_ID_REPEATED',
  'LINE_CHANGED',
  'LINE_TOO_LONG',
  'LOGIN_METHODS_CHANGED_SINCE',
  'LOGIN_METHODS_DIVIDED',
  'OTHER_PERSON',
  'PASSWORD_CHANGED_SINCE',
  'SIGNED_IN_SINCE',
  'STATE_CHANGED_SINCE',
  'THIRD_PARTY_USER_ALREADY_EXISTS',
  'TOO_MANY_DEFERRED',
  'UNCHANGED',
  'USER_UNKNOWN',
] as const;

export type LineCode = (typeof LINE_CODES)[number] | ErrorCode;

export const isLineCode = (code: string): code is LineCode =>
  Object.hasOwn(ERROR_STATUS, code) || LINE_CODES.some((one) => one === code);

export interface LineError {
  code: LineCode;
  message: string;
}

export interface ReadDeps {
  registry: HashRegistry;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Hashing secret for hashes that name none: an id, or a special value of `SecretId`. */
  defaultSecretId?: SecretId;
  /** Whether TOTP devices, roles and phone numbers can be stored. If not, they are refused. */
  keepsFactors: boolean;
}
