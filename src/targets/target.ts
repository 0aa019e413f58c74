import type { ParsedHash } from '../hashing/verifier.ts';
import type { ParsedUser } from '../imports/input/parsed-user.ts';

/** A system that this service's users can move to: the files that it imports, and the hashes that it verifies. */
export interface Target {
  title: string;
  open(deps: TargetDeps): TargetWriter;
}

export interface TargetDeps {
  /** Creates a file in the directory of the conversion. Its text is written as it comes. */
  create(name: string): TargetFile;
  /** Firebase's signer key in base64, which some systems keep in every hash. */
  signerKey: string | undefined;
}

export interface TargetFile {
  write(text: string): void;
  /** Must be called for every file before the directory gets its name. */
  close(): void;
}

/** A user to write. A member is undefined if the user has none. */
export interface TargetUser extends Pick<ParsedUser, 'externalId' | 'metadata' | 'factors'> {
  /** The address of the first login with a password, or else of the first login. */
  email: string;
  isVerified: boolean;
  isDisabled: boolean;
  timeJoinedMs: number | undefined;
  /** The user's hash, if `verifies` returned true for it. */
  hash: ParsedHash | undefined;
  /** A password in the clear, which the line had in place of a hash. */
  plainText: string | undefined;
  identities: readonly TargetIdentity[];
}

/** A user's account at a third-party provider. */
export interface TargetIdentity {
  /** Id of the third-party provider: `google`. */
  provider: string;
  userId: string;
  email: string;
}

/** Data that a system has no place for. Keys of the summary. */
export type LeftOut =
  | 'further password logins'
  | 'TOTP devices'
  | 'roles'
  | 'phone numbers'
  | 'metadata'
  | 'external ids'
  | 'logins at providers'
  | 'times of joining'
  | 'passwords in the clear'
  | 'other readings of the password'
  | 'unverified addresses';

export interface TargetWriter {
  /** Returns whether the target system can verify passwords against this hash. */
  verifies(hash: ParsedHash): boolean;
  /** Writes a user. Returns the data of the user that the system has no place for. */
  add(user: TargetUser): readonly LeftOut[];
  /** Completes the files. Returns what to do with them, a line each. */
  end(): readonly string[];
  /** Reason why disabled users are not written. Undefined if the target system can keep users disabled. */
  readonly refusesDisabled?: string;
}
