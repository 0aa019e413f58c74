import type { JsonObject } from '../lib/json/json-object.ts';

/** Reasons why a user is not imported by default, as in docs/imports.md. */
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
 * State of a user in the exporting system. A temporary lock is not a state. `NO_LOGIN_METHOD` is set for
 * accounts that are not meant to sign in, like `daemon`; otherwise, a lack of logins is noticed later.
 */
export type UserState = 'ANONYMOUS' | 'DELETED' | 'DISABLED' | 'NO_LOGIN_METHOD' | 'SERVICE_ACCOUNT';

/** Reasons why a row is refused because of the user's state. */
export const STATE_PROBLEMS = ['STATE_UNKNOWN'] as const;

export type StateProblem = (typeof STATE_PROBLEMS)[number];

/** A state whose meaning is not known. The row is refused until the operator says what it means. */
export interface UnknownState {
  column: string;
  /** The state as the column contains it, if it is short enough to be a word. Messages may show it. */
  word: string;
}

/**
 * A user as the exporting system describes it, in the field names of this service. Values are not checked
 * yet.
 */
export interface SourceUser {
  externalUserId?: string | undefined;
  /** Address that the user signs in with, as written in the file. */
  email?: string | undefined;
  /**
   * User name from which the address was made. Such an address counts as unverified, whatever the file
   * says.
   */
  emailFromName?: string | undefined;
  emails?: readonly string[] | undefined;
  /** Whether the exporting system has verified the address. */
  isVerified?: boolean | undefined;
  /** Milliseconds since the epoch. A time in the future is dropped later, and counted. */
  timeJoinedMs?: number | undefined;
  password?: SourcePassword | undefined;
  identities?: readonly SourceIdentity[] | undefined;
  /**
   * All login methods, if the export has them in the format of the service. They are sent unchanged, and
   * `password` and `identities` are ignored. An empty list means that there is none.
   */
  loginMethods?: readonly unknown[] | undefined;
  /** Further data to keep. Secrets in it are dropped later, and counted. */
  metadata?: JsonObject | undefined;
  /** Whether the operator chose the columns of the metadata, which is then kept unchanged. */
  isMetadataChosen?: boolean | undefined;
  state?: UserState | UnknownState | undefined;
  /** Reason for the state, such as `status is invited`, if the system has more states than this service. */
  stateReason?: string | undefined;
  /** Whether the former system asks for a second factor. */
  hasSecondFactor?: boolean | undefined;
  /** Second factors, roles and phone numbers, which `--mfa keep` imports. */
  factors?: SourceFactors | undefined;
  /** Whether the user has a phone number, and might have signed in with it. */
  hasPhone?: boolean | undefined;
}

/** Second factors, roles and phone numbers that the export has. This service stores them without using them. */
export interface SourceFactors {
  /** In the form of an import line (fields/totp.ts). */
  totpDevices?: readonly JsonObject[] | undefined;
  roles?: readonly string[] | undefined;
  phoneNumbers?: readonly string[] | undefined;
}

/** A hash in a form that the service accepts, a plain-text password, or the reason why there is none. */
export type SourcePassword =
  | {
      encoded: string;
      /**
       * Value of `hashingAlgorithm`, if the system or the kind of export implies it: the format of a hash
       * can mislead.
       */
      algorithm?: string | undefined;
      /**
       * Firebase's signer key in base64, which the export has beside the hash. It is compared with the
       * service's keys and never sent. JSON of this object does not contain it.
       */
      signerKey?: string | undefined;
      /**
       * Value of `hashingAlgorithm` in place of `algorithm`, for a hash whose format does not name its
       * algorithm.
       */
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

export interface SourceIdentity {
  /** Name of the provider in the export, which `fields/providers.ts` maps to the name in this service. */
  provider: string;
  userId: string;
  /** Address of the account. If omitted, the user's address is used. */
  email?: string | undefined;
  /** Whether the export says that the account's `email` is verified. */
  isVerified?: boolean | undefined;
  /** Whether the provider belongs to an enterprise (SAML or OIDC). The operator must map such providers. */
  isSso?: boolean | undefined;
}
