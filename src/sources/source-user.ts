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
 * State of a user in the exporting system, if the user may not sign in there. A temporary lock is not a state.
 * `NO_LOGIN_METHOD` is set for accounts that are not meant to sign in, like `daemon`; that other users have no login is
 * found later (pipeline/judge.ts).
 */
export type UserState = 'ANONYMOUS' | 'DELETED' | 'DISABLED' | 'NO_LOGIN_METHOD' | 'SERVICE_ACCOUNT';

/** A state whose meaning is not known. The row is refused until the operator says what the state means. */
export interface UnknownState {
  column: string;
  /**
   * Value of the column, for messages. Dots replace it if it is long or may be a secret, and a description, such as `no
   * number`, if it cannot be shown as a word.
   */
  word: string;
  /** The column has a rule of `--active`, but the rule cannot read the value. */
  isOfRule?: true;
}

/** A user as the exporting system describes it, with this service's names of fields. Not checked yet. */
export interface SourceUser {
  externalUserId?: string | undefined;
  /** Address that the user signs in with, as written in the file. */
  email?: string | undefined;
  /** User name from which the address was made. Such an address always counts as unverified. */
  emailFromName?: string | undefined;
  emails?: readonly string[] | undefined;
  isVerified?: boolean | undefined;
  /** Milliseconds since the epoch. A time in the future is dropped later, and counted. */
  timeJoinedMs?: number | undefined;
  password?: SourcePassword | undefined;
  identities?: readonly SourceIdentity[] | undefined;
  /**
   * All login methods in the format of the service. They are sent unchanged, and `password` and `identities`
   * are ignored. Empty: the user has no login method.
   */
  loginMethods?: readonly unknown[] | undefined;
  /** Further data of the user that the declaration of the system or the operator (`--keep`) names. */
  metadata?: JsonObject | undefined;
  state?: UserState | UnknownState | undefined;
  /** Text about the state for the operator, such as `status is invited`, if the system has more states than we have. */
  stateReason?: string | undefined;
  /** Joined table that should have a record of this user, but has none. The record might forbid the sign-in. */
  lacksRecordIn?: string | undefined;
  /** Joined table that should have one record of each user, but has several records of this one that differ. */
  repeatsRecordIn?: string | undefined;
  /** The former system asks for a second factor besides the password. */
  hasSecondFactor?: boolean | undefined;
  /** TOTP devices, roles and phone numbers. Set only with `--mfa keep`. */
  factors?: SourceFactors | undefined;
  /** The user has a phone number, and might have signed in with it. */
  hasPhone?: boolean | undefined;
  /** The former system would make the user choose another password at the next sign-in. */
  mustChangePassword?: boolean | undefined;
  /** The user also has a password, which the system does not export. */
  hasHiddenPassword?: boolean | undefined;
}

/** Data for the next system. This service stores second factors, roles and phone numbers without using them. */
export interface SourceFactors {
  /** TOTP devices in the form of an import line (fields/totp.ts). */
  totpDevices?: readonly JsonObject[] | undefined;
  roles?: readonly string[] | undefined;
  phoneNumbers?: readonly string[] | undefined;
}

/** A hash in a format that the service accepts, a plain-text password, or the reason why there is neither. */
export type SourcePassword =
  | {
      /** `passwordHash` of the import line. */
      encoded: string;
      /** `hashingAlgorithm` of the import line, if the system determines it. The format alone may fit another one. */
      algorithm?: string | undefined;
      /**
       * Firebase's signer key in base64, if the export has it beside the hash. It is compared with the service's
       * keys and never sent. JSON of this object does not contain it.
       */
      signerKey?: string | undefined;
      /** Families of the system's hashes. The first one whose format the hash has becomes the `hashingAlgorithm`. */
      families?: readonly string[] | undefined;
      /** `hashingAlgorithm` for a hash whose format does not show another one. Used if `algorithm` is not set. */
      algorithmIfUntold?: string | undefined;
      /** Text in the main column of a template of `--hash`, if it may be a complete hash without the template. */
      stored?: string | undefined;
    }
  | { plainText: string }
  | { problem: HashProblem; message: string; stored?: string | undefined };

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
  /** Name in the export. `fields/providers.ts` maps it to the name in this service. */
  provider: string;
  userId: string;
  /** If an identity has no address, the user's address is used. */
  email?: string | undefined;
  /** Whether `email` is verified at the provider, if the export says it. */
  isVerified?: boolean | undefined;
  /** The provider is an enterprise one (SAML, OIDC). Its identities are imported only if the operator maps it. */
  isSso?: boolean | undefined;
}

/** Decisions of the operator about users whom an import leaves out or changes by default. */
export interface UserDecisions {
  /** `keep` imports disabled users as disabled, `include` as if they were enabled. */
  disabled: (typeof DISABLED)[number];
  /** Users without a login: `legacy` has the former system verify their password at the first sign-in. */
  withoutPassword: (typeof WITHOUT_PASSWORD)[number];
  /**
   * Users with second factors. Undefined: not decided yet, so the import stops if there are such users. `none`: nobody
   * has one, although the export lacks the table that would show it.
   */
  mfa: (typeof MFA)[number] | undefined;
  /** Which of several users with an equal claim to one address gets it. Undefined: none of them. */
  sharedAddress?: (typeof SHARED_ADDRESS)[number] | undefined;
}

export const DISABLED = ['skip', 'keep', 'include'] as const;

export const WITHOUT_PASSWORD = ['skip', 'keep', 'legacy'] as const;

export const MFA = ['password-only', 'skip', 'keep', 'none'] as const;

export const SHARED_ADDRESS = ['newest', 'oldest'] as const;
