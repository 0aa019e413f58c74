import type { PasswordHash } from '../../hashing/verifier.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { LoginIds, UserState } from './existing-logins.ts';

/**
 * Users whom the lines of a chunk may be about when lines are matched by external id: stored users, changed by
 * earlier lines of the chunk, and users whom those lines create.
 */
export interface KnownUsers {
  /** Users and logins by every id that a new external id must differ from. Only ids that the lines name. */
  readonly owners: Map<string, Owner>;
  /** Users who have one of these ids as their external id, by user id. */
  readonly persons: Map<string, Person>;
  /** Password logins by address. Only addresses that the lines name. */
  readonly emails: Map<string, LoginIds>;
  /** Third-party logins by `identityKey`. Only identities that the lines name. */
  readonly identities: Map<string, LoginIds>;
}

export interface Owner extends LoginIds {
  /** Whether the id is the external id of the whole user: not that of a login method, and not an id of ours. */
  isPerson: boolean;
}

export interface Person {
  userId: string;
  /** Whether the user came from the source of this import. External ids of another source are not its ids. */
  isOfSource: boolean;
  /** Whether only a dry run created the user. */
  isDryRun?: boolean;
  /** JSON object, as text. */
  metadata: string | undefined;
  state: UserState;
  passwords: PersonPassword[];
  thirdParties: PersonThirdParty[];
}

export interface PersonPassword {
  recipeUserId: string;
  email: string;
  /** Undefined if `noHash` is set. */
  hash: PasswordHash | undefined;
  noHash?: NoHash | undefined;
  /** Who set the hash, as in `ExistingPasswordLogin`. */
  hashSetBy: HashSetBy;
  importedFingerprint?: string | undefined;
  verifiedEmails: readonly string[];
  /** Whether somebody changed the login here, and no import has changed it since. */
  isChangedHere: boolean;
  /** Text that differs after every change of the login, other than a sign-in. */
  version: string;
}

export interface PersonThirdParty {
  recipeUserId: string;
  identity: ThirdPartyIdentity;
  email: string;
  verifiedEmails: readonly string[];
  hasSignedIn: boolean;
  version: string;
}

export const noKnownUsers = (): KnownUsers => ({
  owners: new Map(),
  persons: new Map(),
  emails: new Map(),
  identities: new Map(),
});

/** Returns whether lines meet users or logins. */
export const hasUsers = ({ persons, emails, identities }: KnownUsers): boolean =>
  persons.size + emails.size + identities.size > 0;
