import type { PasswordHash } from '../../hashing/verifier.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { ChunkIds } from './chunk-ids.ts';
import type { ExistingPasswordLogin, ExistingThirdPartyLogin, LoginIds } from './existing-logins.ts';
import type { Outcome } from './outcome.ts';

/** What a chunk of lines comes to: a verdict for each, and the rows to write so that it holds. */
export interface WriteSet {
  ids: ChunkIds;
  /** By place in the chunk; none for a blank line. */
  outcomes: (Outcome | undefined)[];
  users: NewUser[];
  passwordLogins: NewPasswordLogin[];
  thirdPartyLogins: NewThirdPartyLogin[];
  aliases: NewAlias[];
  /** On logins that are stored already, by e-mail. */
  newHashes: Map<string, LoginIds & { hash: PasswordHash }>;
  /** On logins that are stored already, by `identityKey`. */
  newEmails: Map<string, NewEmail>;
  /** Every replacement of a hash, also of one that this chunk brought. */
  hashChanges: { recipeUserId: string; algorithm: string }[];
  /** Logins written, by algorithm; `thirdparty` for those without a hash. */
  algorithms: Record<string, number>;
}

export interface NewUser {
  userId: string;
  timeJoinedMs: number;
  /** JSON. */
  metadata: string | undefined;
}

interface NewLogin {
  email: string;
  timeJoinedMs: number;
  linked: boolean;
  verifiedEmails: readonly string[];
}

/** A login to be written, and as such what the lines after know of it: they may still change it. */
export interface NewPasswordLogin extends NewLogin, ExistingPasswordLogin {
  hash: PasswordHash;
}

export interface NewThirdPartyLogin extends NewLogin, ExistingThirdPartyLogin {
  identity: ThirdPartyIdentity;
}

export interface NewAlias extends LoginIds {
  alias: string;
  kind: 'recipe_user' | 'external';
}

export interface NewEmail extends LoginIds {
  identity: ThirdPartyIdentity;
  email: string;
  /** Addresses to mark verified. */
  verifiedEmails: readonly string[];
}
