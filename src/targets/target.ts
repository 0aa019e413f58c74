import type { ParsedHash } from '../hashing/verifier.ts';
import type { ParsedUser } from '../imports/input/parsed-user.ts';

/** A system that users of this service can move to. */
export interface Target {
  title: string;
  open(deps: TargetDeps): TargetWriter;
}

export interface TargetDeps {
  /** Creates a file in the directory of the conversion. Text is written to the file immediately. */
  create(name: string): TargetFile;
  /** Firebase's signer key in base64, which some target systems keep in every hash. */
  signerKey: string | undefined;
}

export interface TargetFile {
  write(text: string): void;
  /** Must be called for every file before the directory of the conversion gets its final name. */
  close(): void;
}

export interface TargetUser extends Pick<ParsedUser, 'externalId' | 'profile' | 'factors'> {
  /** E-mail address of the user's first login with a password, or else of the first login. */
  email: string;
  isVerified: boolean;
  isDisabled: boolean;
  timeJoinedMs: number | undefined;
  /** The user's password hash, if the target system can verify it. */
  hash: ParsedHash | undefined;
  /** The user's password in the clear, which the import line had in place of a hash. */
  plainText: string | undefined;
  identities: readonly TargetIdentity[];
}

export interface TargetIdentity {
  provider: string;
  userId: string;
  email: string;
}

/** Kinds of data that a target system has no place for. The summary of a conversion counts them. */
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
  verifies(hash: ParsedHash): boolean;
  /** Writes a user. Returns the kinds of the user's data that the system has no place for. */
  add(user: TargetUser): readonly LeftOut[];
  /** Completes the files. Returns instructions for importing them, one a line. */
  end(): readonly string[];
  /** Reason why disabled users are not written. Undefined if the target system can keep users disabled. */
  readonly refusesDisabled?: string;
}
