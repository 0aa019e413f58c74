import type { PasswordHash } from '../../hashing/verifier.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { UserProfile } from '../../users/user-profile.ts';
import type { InCore, LoginIds, UserState } from './existing-logins.ts';

/**
 * Users that the lines of a chunk may concern, in an import that matches by external id: stored users with
 * the changes by earlier lines of the chunk, and users whom those lines create.
 */
export interface KnownUsers {
  /**
   * Users and logins by each of their ids (external ids too), as far as lines of the chunk name the id. A new
   * external id must differ from all of them.
   */
  readonly owners: Map<string, Owner>;
  /** Users whose external id a line of the chunk names, by user id. */
  readonly persons: Map<string, Person>;
  /** Password logins, by e-mail address. Only for addresses that lines of the chunk name. */
  readonly emails: Map<string, LoginIds>;
  /** Third-party logins, by `identityKey`. Only for identities that lines of the chunk name. */
  readonly identities: Map<string, LoginIds>;
}

export interface Owner extends LoginIds {
  /** Whether the id is the external id of a user, not of a login method or an id of this service. */
  isPerson: boolean;
}

export interface Person {
  userId: string;
  /**
   * Whether an import of the same source created the user. Only then can the external id of a line refer to
   * the user.
   */
  isOfSource: boolean;
  /** Whether an earlier line of this dry run created the user, so that the user is not stored. */
  isDryRun?: boolean;
  profile: UserProfile;
  state: UserState;
  passwords: PersonPassword[];
  thirdParties: PersonThirdParty[];
}

export interface PersonPassword {
  recipeUserId: string;
  inCore?: InCore | undefined;
  email: string;
  hash: PasswordHash | undefined;
  noHash?: NoHash | undefined;
  hashSetBy: HashSetBy;
  importedFingerprint?: string | undefined;
  verifiedEmails: readonly string[];
  /** Whether a call of this service has changed the login since an import last did. */
  isChangedHere: boolean;
  /** Text that is different after every change of the login. Sign-ins do not change it. */
  version: string;
}

export interface PersonThirdParty {
  recipeUserId: string;
  inCore?: InCore | undefined;
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
