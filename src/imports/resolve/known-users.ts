import type { PasswordHash } from '../../hashing/verifier.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { ThirdPartyIdentity, UserProfile } from '../../users/user.ts';
import type { InCore, LoginIds, UserState } from './existing-logins.ts';

/**
 * Stored users that the lines of a chunk may concern, as changed by earlier lines, and users created by
 * those.
 */
export interface KnownUsers {
  /**
   * Owners of ids (external ids too) that lines of the chunk name. A new external id must differ from all of
   * them.
   */
  readonly owners: Map<string, Owner>;
  /** Users whose external id a line of the chunk names, by user id. */
  readonly persons: Map<string, Person>;
  /** Password logins, by e-mail address. */
  readonly emails: Map<string, LoginIds>;
  /** Third-party logins, by `identityKey`. */
  readonly identities: Map<string, LoginIds>;
}

export interface Owner extends LoginIds {
  /** Whether the id is the external id of a user, not of a login method or an id of this service. */
  isPerson: boolean;
}

export interface Person {
  userId: string;
  /**
   * Whether an import of the same source created the user. External ids of other sources do not refer to the
   * user.
   */
  isOfSource: boolean;
  /** Whether an earlier line of this dry run created the user. */
  isDryRun?: boolean;
  profile: UserProfile;
  state: UserState;
  passwords: PersonPassword[];
  thirdParties: PersonThirdParty[];
}

export interface PersonPassword {
  recipeUserId: string;
  inCore?: InCore | undefined;
  timeJoinedMs: number;
  email: string;
  hash: PasswordHash | undefined;
  noHash?: NoHash | undefined;
  hashSetBy: HashSetBy;
  importedFingerprint?: string | undefined;
  verifiedEmails: readonly string[];
  /** Whether a call of this service has changed the login since an import last did. */
  isChangedHere: boolean;
  /** Whether a call of this service has given the login its address, so that a line may mean somebody else. */
  isEmailChanged: boolean;
  /** Text that is different after every change of the login. Sign-ins do not change it. */
  version: string;
}

export interface PersonThirdParty {
  recipeUserId: string;
  inCore?: InCore | undefined;
  timeJoinedMs: number;
  identity: ThirdPartyIdentity;
  email: string;
  verifiedEmails: readonly string[];
  hasSignedIn: boolean;
  /** Whether the login has changed since its user was created. An import may have changed it. */
  isChanged: boolean;
  version: string;
}

export const noKnownUsers = (): KnownUsers => ({
  owners: new Map(),
  persons: new Map(),
  emails: new Map(),
  identities: new Map(),
});

export const hasUsers = ({ persons, emails, identities }: KnownUsers): boolean =>
  persons.size + emails.size + identities.size > 0;
