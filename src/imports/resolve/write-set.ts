import type { KeptHash } from '../../hashing/verifier.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { ChunkIds } from './chunk-ids.ts';
import type { ExistingPasswordLogin, ExistingThirdPartyLogin, LoginIds } from './existing-logins.ts';
import type { HashCounts } from './hash-counts.ts';
import type { Outcome } from './outcome.ts';

/** Result of some lines: an outcome for each, and the rows to write. */
export interface WriteSet {
  ids: ChunkIds;
  /** Outcomes by line index. A blank line has none. */
  outcomes: (Outcome | undefined)[];
  users: NewUser[];
  passwordLogins: NewPasswordLogin[];
  thirdPartyLogins: NewThirdPartyLogin[];
  aliases: NewAlias[];
  /** New hashes of logins that are stored already, by e-mail. */
  newHashes: Map<string, LoginIds & { hash: KeptHash }>;
  /** New addresses of logins that are stored already, by `identityKey`. */
  newEmails: Map<string, NewEmail>;
  /** Every replacement of a hash, also of one that this chunk brought. */
  hashChanges: { recipeUserId: string; algorithm: string }[];
  /** Logins written, by algorithm; `thirdparty` for those without a hash. */
  algorithms: Record<string, number>;
  /** Number of written hashes by class. */
  hashes: HashCounts;
}

/** The rows of new users: all that nearly every chunk writes. */
export type NewRows = Pick<WriteSet, 'users' | 'passwordLogins' | 'thirdPartyLogins' | 'aliases'>;

export interface NewUser {
  userId: string;
  timeJoinedMs: number;
  /** JSON. */
  metadata: string | undefined;
}

interface NewLogin {
  email: string;
  timeJoinedMs: number;
  /** The row does not say all there is of its user: it has other login methods, or an external id. */
  hasMore: boolean;
  verifiedEmails: readonly string[];
}

/** A login to be written. It is among the existing logins for the lines after it, which may still change it. */
export interface NewPasswordLogin extends NewLogin, ExistingPasswordLogin {
  hash: KeptHash;
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
