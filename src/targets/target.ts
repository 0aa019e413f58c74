import type { PortableHash } from '../hashing/form.ts';
import type { ParsedHash } from '../hashing/verifier.ts';
import type { TotpDevice } from '../users/user.ts';
import type { Profile } from './profile.ts';

/** A system that users of this service can move to: a row of `TARGETS`. */
export interface Target {
  title: string;
  files: FileForm;
  /** Returns the name of other files, if the user cannot be in the same files as most users. */
  filesOf?(user: TargetUser): Pick<FileForm, 'name'> | undefined;
  /**
   * Returns the password as the files hold it. Undefined if the system cannot verify the hash.
   * @param signerKey Firebase's signer key in base64, which some systems keep in every hash
   */
  hashed(hash: ParsedHash, signerKey: string | undefined): TargetPassword | undefined;
  /** Returns a plain-text password as the files hold it. Missing if the system imports none. */
  plainText?(password: string): TargetPassword;
  /** Data that the system has a place for. All else is left out, and the summary of a conversion counts it. */
  takes: {
    /** Maximum number of TOTP devices of a user, and whether the system supports the parameters of a device. */
    totp?: { max: number; accepts(device: TotpDevice): boolean };
    /** Returns the system's name of a provider of third-party logins, or undefined if it does not import them. */
    provider?(provider: string): string | undefined;
    externalId?(externalId: string): boolean;
    /** @param metadata JSON text */
    metadata?(metadata: string): boolean;
    roles?: true;
    phoneNumbers?: true;
    timesOfJoining?: true;
  };
  /** Returns the user as JSON for the files. The user has only data that the system has a place for. */
  userJson(user: TargetUser): string;
  /** Set if the system can ask this service for the old password at the first sign-in (docs/password-hooks.md). */
  firstSignIn?: {
    /** The password of a user who waits, as the files hold it. */
    password?: TargetPassword;
    /** Whether each user must name the provider, within that system, that asks this service (`--federation-link`). */
    needsLink?: true;
  };
  /** Returns instructions for importing the files, one a line. */
  steps(files: readonly FileForm[]): readonly Step[];
}

/** An instruction: a text, or a shell command to paste. */
export type Step = string | { shell: string };

/** Files with the users. If there is a limit, there may be several files, with numbers in their names. */
export interface FileForm {
  /** Name of the files, without number and extension. */
  name: string;
  /** Text before and after the list of users in JSON. Undefined if a file has one user a line. */
  list?: readonly [begin: string, end: string];
  maxUsers?: number;
  maxBytes?: number;
  /** Flags of the command that imports the file. */
  flags?: string;
}

export interface TargetPassword {
  /** Members of the user's JSON that hold the password. */
  members: object;
  /** Files for the password, if it cannot be in the same file as others. */
  files?: Pick<FileForm, 'name' | 'maxUsers' | 'flags'>;
}

/** A user with only one address and one password, and only the data that the system has a place for. */
export interface TargetUser {
  email: string;
  isVerified: boolean;
  isDisabled: boolean;
  externalId: string | undefined;
  /** Milliseconds since the epoch. */
  timeJoinedMs: number | undefined;
  password: TargetPassword | undefined;
  /** Set if the system asks this service for the password at the first sign-in. */
  waits: { link: string | undefined } | undefined;
  /** Members of the metadata whose meaning is known. */
  profile: Profile;
  /** All metadata, as JSON text. */
  metadata: string | undefined;
  /** Logins at providers, with the names that the system has for the providers. */
  identities: readonly { provider: string; userId: string; email: string }[];
  totpDevices: readonly TotpDevice[];
  roles: readonly string[];
  phoneNumbers: readonly string[];
}

/** Returns whether the device has the default parameters of authenticator apps. Many systems support no others. */
export const isUsualTotp = ({ algorithm, digits, period }: TotpDevice): boolean =>
  algorithm === 'SHA1' && digits === 6 && period === 30;

/** Returns the value, or undefined if it is an empty list or object. JSON leaves undefined out. */
export const filled = <Value extends object>(value: Value): Value | undefined =>
  Object.keys(value).length > 0 ? value : undefined;

/** Returns JSON of a user, with external id and metadata in a member of this name. */
export function withKeptData(name: string, { externalId, metadata }: TargetUser, object: object): string {
  const members = [
    ...(externalId === undefined ? [] : [`"externalUserId":${JSON.stringify(externalId)}`]),
    // The metadata is JSON text already, and must stay as it is.
    ...(metadata === undefined ? [] : [`"userMetadata":${metadata}`]),
  ];
  const json = JSON.stringify(object);
  return members.length === 0 ? json : `${json.slice(0, -1)},"${name}":{${members.join(',')}}}`;
}

type Of<Kind extends PortableHash['kind']> = Extract<PortableHash, { kind: Kind }>;

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Returns the hash as text, or undefined for argon2d and version 1.0, which libraries of other systems mostly lack. */
export function argon2Text(hash: Of<'argon2'>): string | undefined {
  const { type, version, memoryKb, iterations, parallelism, salt } = hash;
  if (type === 'd' || version !== 19) return undefined;
  const costs = `m=${memoryKb},t=${iterations},p=${parallelism}`;
  return `$argon2${type}$v=19$${costs}$${unpadded(salt)}$${unpadded(hash.hash)}`;
}

export const pbkdf2Text = ({ digest, iterations, salt, hash }: Of<'pbkdf2'>) =>
  `$pbkdf2-${digest}$i=${iterations},l=${hash.length}$${unpadded(salt)}$${unpadded(hash)}`;

const BLOCK_BYTES: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/**
 * Returns the first block of a PBKDF2 key, or undefined if the key is shorter than a block. PBKDF2 computes blocks
 * independently (RFC 8018, 5.2), so the first block is also a valid key of the same password, with this length. Systems
 * whose keys have the length of the digest need it for the keys of Keycloak, which have 64 bytes with each digest.
 */
export function firstBlock({ digest, hash }: Of<'pbkdf2'>): Buffer | undefined {
  const bytes = BLOCK_BYTES[digest] ?? Number.POSITIVE_INFINITY;
  return hash.length < bytes ? undefined : hash.subarray(0, bytes);
}
