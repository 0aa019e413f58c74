import type { JsonObject } from '../lib/json/json-object.ts';

/** Reasons why a user of an export is not imported by default. docs/imports.md lists the same reasons. */
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
 * accounts that are not meant to sign in, like `daemon`; for other users, the lack of logins is noticed
 * later.
 */
export type UserState = 'ANONYMOUS' | 'DELETED' | 'DISABLED' | 'NO_LOGIN_METHOD' | 'SERVICE_ACCOUNT';

/** Reasons why a row of an export is refused because of the user's state. */
export const STATE_PROBLEMS = ['STATE_UNKNOWN'] as const;

export type StateProblem = (typeof STATE_PROBLEMS)[number];

/**
 * A user's state in the export whose meaning is not known. The row of the user is refused until the operator
 * says what the state means.
 */
export interface UnknownState {
  /** Name of the column that contains the user's state. */
  column: string;
  /** The user's state as the column contains it, if it is short enough to be a word. Messages may show it. */
  word: string;
}

/**
 * A user as the exporting system describes it, with the field names of this service. Fields that the export
 * lacks are omitted. Values are not checked yet.
 */
export interface SourceUser {
  /** Id of the user in the exporting system, as text. */
  externalUserId?: string | undefined;
  /** E-mail address that the user signs in with, as written in the file. */
  email?: string | undefined;
  /**
   * User name from which the e-mail address was made. Such an address counts as unverified, whatever the file
   * says about the user's e-mail.
   */
  emailFromName?: string | undefined;
  /** All e-mail addresses of the user, if the export has several. */
  emails?: readonly string[] | undefined;
  /** Whether the exporting system has verified the e-mail address. */
  isVerified?: boolean | undefined;
  /**
   * Time when the user joined, in milliseconds since the epoch. A time in the future is dropped later, and
   * counted.
   */
  timeJoinedMs?: number | undefined;
  password?: SourcePassword | undefined;
  identities?: readonly SourceIdentity[] | undefined;
  /**
   * All login methods of the user, if the export has them in the format of the service. They are sent
   * unchanged, and `password` and `identities` are ignored. An empty list means that the user has no login
   * method.
   */
  loginMethods?: readonly unknown[] | undefined;
  /** Further data of the user to keep. Secrets in the data are dropped later, and counted. */
  metadata?: JsonObject | undefined;
  /** Whether the operator chose the columns that become metadata. If so, the metadata is kept unchanged. */
  isMetadataChosen?: boolean | undefined;
  state?: UserState | UnknownState | undefined;
  /**
   * Reason for the user's state, such as `status is invited`. Set if the system has more states than this
   * service.
   */
  stateReason?: string | undefined;
  /** Whether the former system asks for a second factor besides the password. */
  hasSecondFactor?: boolean | undefined;
  /** Second factors, roles and phone numbers of the user, which `--mfa keep` imports. */
  factors?: SourceFactors | undefined;
  /** Whether the user has a phone number, and might have signed in with it. */
  hasPhone?: boolean | undefined;
}

/**
 * Second factors, roles and phone numbers of a user, as far as the export has them. This service stores them
 * without using them.
 */
export interface SourceFactors {
  /** TOTP devices of the user in the form of an import line (fields/totp.ts). */
  totpDevices?: readonly JsonObject[] | undefined;
  roles?: readonly string[] | undefined;
  phoneNumbers?: readonly string[] | undefined;
}

/**
 * A user's password in the export: a hash in a form that the service accepts, a plain-text password, or the
 * reason why there is none.
 */
export type SourcePassword =
  | {
      /** Value of `passwordHash` in the import line. */
      encoded: string;
      /**
       * Value of `hashingAlgorithm` in the import line. Set if the exporting system or the kind of export
       * implies it, because the format of a hash can mislead.
       */
      algorithm?: string | undefined;
      /**
       * Firebase's signer key in base64, which the export has beside the hash. It is compared with the
       * service's keys and never sent. JSON of this object does not contain it.
       */
      signerKey?: string | undefined;
      /**
       * Value of `hashingAlgorithm` for a hash whose format does not name its algorithm. Used instead of
       * `algorithm`.
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

/** An account that a user has at a third-party provider. */
export interface SourceIdentity {
  /**
   * Name of the third-party provider in the export. `fields/providers.ts` maps it to the name in this
   * service.
   */
  provider: string;
  /** Id of the account at the third-party provider. */
  userId: string;
  /** E-mail address of the account at the provider. If omitted, the user's address is used. */
  email?: string | undefined;
  /** Whether the export says that the account's `email` is verified. */
  isVerified?: boolean | undefined;
  /**
   * Whether the provider belongs to an enterprise (SAML or OIDC). Accounts there are imported only if the
   * operator maps the provider to a provider of this service.
   */
  isSso?: boolean | undefined;
}
