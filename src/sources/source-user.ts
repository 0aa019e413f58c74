import type { JsonObject } from '../lib/json/json-object.ts';

/** Reasons why a row is not imported by default. docs/imports.md lists the same reasons. */
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
 * State of a user in the exporting system. A temporary lock is not a state. `NO_LOGIN_METHOD` is set for accounts that are
 * not meant to sign in, like `daemon`; for other users it follows from the row.
 */
export type UserState = 'ANONYMOUS' | 'DELETED' | 'DISABLED' | 'NO_LOGIN_METHOD' | 'SERVICE_ACCOUNT';

/** Reasons why a row is refused because of the user's state. */
export const STATE_PROBLEMS = ['STATE_UNKNOWN'] as const;

export type StateProblem = (typeof STATE_PROBLEMS)[number];

/** A state whose meaning is unknown, so that the row is refused. */
export interface UnknownState {
  /** Column of the state. */
  column: string;
  /** Value of the column, if it is as short as a word. May be shown. */
  word: string;
}

/** A user as a system exported it, under our field names. Unknown fields are omitted. Nothing is checked yet. */
export interface SourceUser {
  /** Id of the user in the exporting system, as text. */
  externalUserId?: string | undefined;
  /** Address that the user signs in with, as the file has it. */
  email?: string | undefined;
  /** User name that `email` was made from. Such an address counts as unverified, whatever the file says of the e-mail. */
  emailFromName?: string | undefined;
  /** All addresses, if there are several. */
  emails?: readonly string[] | undefined;
  /** Whether the e-mail is verified. */
  isVerified?: boolean | undefined;
  /** Milliseconds since the epoch. A time in the future is dropped later, and counted. */
  timeJoinedMs?: number | undefined;
  password?: SourcePassword | undefined;
  identities?: readonly SourceIdentity[] | undefined;
  /**
   * All login methods, if the export has them in the format of the service. They are sent unchanged, and `password` and
   * `identities` are ignored. An empty list means that there are none.
   */
  loginMethods?: readonly unknown[] | undefined;
  /** Further data to keep of the user. Secrets in it are dropped later, and counted. */
  metadata?: JsonObject | undefined;
  /** Whether the operator chose the metadata. It is then kept unchanged. */
  isMetadataChosen?: boolean | undefined;
  state?: UserState | UnknownState | undefined;
  /** Reason for the state, if the system has more states than this service: `status is invited`. */
  stateReason?: string | undefined;
  /** Whether the old system asks for more than the password. */
  hasSecondFactor?: boolean | undefined;
  /** What is there beside the ways to sign in, for `--mfa keep`. */
  factors?: SourceFactors | undefined;
  /** Whether the user has a phone number. */
  hasPhone?: boolean | undefined;
}

/** Second factors and other things that this service keeps and does not use, as far as the export has them. */
export interface SourceFactors {
  /** As lines have them (fields/totp.ts). */
  totpDevices?: readonly JsonObject[] | undefined;
  roles?: readonly string[] | undefined;
  phoneNumbers?: readonly string[] | undefined;
}

/** A hash in a form that the service accepts, a plain-text password, or the reason why there is neither. */
export type SourcePassword =
  | {
      /** The `passwordHash` of a line. */
      encoded: string;
      /** The `hashingAlgorithm` of a line. Set if the system or form implies it, because the format of a hash can mislead. */
      algorithm?: string | undefined;
      /** Firebase's signer key from beside the hash, in base64. It is compared with the service's keys, never sent, and not in JSON. */
      signerKey?: string | undefined;
      /** Used instead of `algorithm`: the `hashingAlgorithm` of a hash whose format does not show it. */
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
  /** Name of the provider in the file. `fields/providers.ts` maps it to our name. */
  provider: string;
  /** Id of the account at the provider. */
  userId: string;
  /** Address of the account. If omitted, the user's address is used. */
  email?: string | undefined;
  /** Whether the file says that `email` is verified. */
  isVerified?: boolean | undefined;
  /** Whether this is enterprise SSO (SAML, OIDC), which is imported only if the operator maps its provider. */
  isSso?: boolean | undefined;
}
