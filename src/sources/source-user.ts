import type { JsonObject } from '../lib/json/json-object.ts';

/** Why a row is not imported, by default. docs/imports.md lists the same ones. */
export const SKIP_REASONS = [
  'ANONYMOUS',
  'DELETED',
  'DISABLED',
  'NO_EMAIL',
  'NO_LOGIN_METHOD',
  'PHONE_ONLY',
  'SECOND_FACTOR',
  'SERVICE_ACCOUNT',
  'SSO_USER',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * What a system says of the state of a user. A lock that passes is none. `NO_LOGIN_METHOD`: an account that is not for signing in, like
 * `daemon`; of others it follows from what is there.
 */
export type UserState = 'ANONYMOUS' | 'DELETED' | 'DISABLED' | 'NO_LOGIN_METHOD' | 'SERVICE_ACCOUNT';

/** Why the state of a user is a problem. */
export const STATE_PROBLEMS = ['STATE_UNKNOWN'] as const;

export type StateProblem = (typeof STATE_PROBLEMS)[number];

/** A state that nobody knows the meaning of: the row is refused. */
export interface UnknownState {
  /** Where it stands. */
  column: string;
  /** Public: what stands there, if it is as short as a word. */
  word: string;
}

/** A user as a system exported it, in our words. What is unknown is left out. Nothing is checked yet. */
export interface SourceUser {
  /** As text. */
  externalUserId?: string | undefined;
  /** The one that signs in, as it stands in the file. */
  email?: string | undefined;
  /** The user name that `email` was made of. Nobody proved such an address, whatever the file says of a user's e-mail. */
  emailFromName?: string | undefined;
  /** All addresses, where there are several. */
  emails?: readonly string[] | undefined;
  /** Of the e-mail. */
  isVerified?: boolean | undefined;
  /** In ms; one in the future is left out later, and counted. */
  timeJoinedMs?: number | undefined;
  password?: SourcePassword | undefined;
  identities?: readonly SourceIdentity[] | undefined;
  /**
   * All login methods, of an export that has them in the user form: they are sent as they are, and `password` and `identities` are left
   * out. Empty: there is none.
   */
  loginMethods?: readonly unknown[] | undefined;
  /** What is kept of the user. Secrets in it are left out later, and counted. */
  metadata?: JsonObject | undefined;
  /** The operator listed the metadata, which is kept as it is then. */
  isMetadataChosen?: boolean | undefined;
  state?: UserState | UnknownState | undefined;
  /** Why the user has this state, if the system knows more of them than this service: `status is invited`. */
  stateReason?: string | undefined;
  /** Whether the old system asks for more than the password. */
  hasSecondFactor?: boolean | undefined;
  /** What is there beside the ways to sign in, for `--mfa keep`. */
  factors?: SourceFactors | undefined;
  /** Is there a phone number? */
  hasPhone?: boolean | undefined;
}

/** Second factors and other things that this service keeps and does not use, as far as the export has them. */
export interface SourceFactors {
  /** As lines have them (fields/totp.ts). */
  totpDevices?: readonly JsonObject[] | undefined;
  roles?: readonly string[] | undefined;
  phoneNumbers?: readonly string[] | undefined;
}

/** A hash, in a form in which the service takes it; a password in the clear; or why neither can be had. */
export type SourcePassword =
  | {
      /** The `passwordHash` of a line. */
      encoded: string;
      /** The `hashingAlgorithm` of a line, wherever the system or form tells it: the look of a hash can mislead. */
      algorithm?: string | undefined;
      /** The signer key of Firebase that stands beside the hash, in base64. It is compared with those of the service, not sent, and not in JSON. */
      signerKey?: string | undefined;
      /** In place of `algorithm`: the `hashingAlgorithm` of a hash that does not tell it itself. */
      algorithmIfUntold?: string | undefined;
    }
  | { plainText: string }
  | { problem: HashProblem; message: string };

export const HASH_PROBLEMS = [
  'EMULATOR_EXPORT',
  'HASH_ALGORITHM_UNKNOWN',
  'HASH_ALGORITHM_UNSUPPORTED',
  'HASH_ENCRYPTED',
  'HASH_REDACTED',
  'PASSWORD_HASH_INVALID',
] as const;

export type HashProblem = (typeof HASH_PROBLEMS)[number];

/** An account at a provider. */
export interface SourceIdentity {
  /** As the file names it; `fields/providers.ts` knows what we call it. */
  provider: string;
  /** The account's id there. */
  userId: string;
  /** Its own address there; else that of the user is taken. */
  email?: string | undefined;
  /** Only where the file says so of that address. */
  isVerified?: boolean | undefined;
  /** An enterprise one (SAML, OIDC): it is imported only if the operator maps its provider. */
  isSso?: boolean | undefined;
}
