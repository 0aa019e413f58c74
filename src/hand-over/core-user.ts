import type { PasswordHash } from '../hashing/verifier.ts';
import type { CoreUser } from '../upstream/core-calls.ts';
import type { LoginMethod, User } from '../users/user.ts';
import type { DepartingUser, LoginRecord } from './hand-over-store.ts';

/** Maximum length of an external id in the SuperTokens core, in UTF-16 code units. */
const MAX_ID_LENGTH = 128;

/**
 * Earliest time of joining to send to the SuperTokens core, in milliseconds since the epoch. Core 12 takes the time 0
 * as the sign of a user whom its schema migration has not converted yet, so that its migration would never end.
 */
const MIN_TIME_JOINED = 1;

/** Returns the time of joining to send to the core, which refuses times before 1970. */
const timeJoinedOf = ({ timeJoinedMs }: Pick<LoginMethod, 'timeJoinedMs'>) =>
  Math.max(timeJoinedMs, MIN_TIME_JOINED);

/** A user to create in the SuperTokens core. */
export interface OutgoingUser {
  /** External id in the core, which is the user's id in this service. */
  id: string;
  /** The user as JSON text, in the form that the core's bulk import accepts. */
  body: string;
  /**
   * Why the user is not sent: the core could not store the user, or would store other data. Undefined if there is no
   * such reason.
   */
  obstacle: string | undefined;
  methods: readonly LoginMethod[];
  /** Records of the login methods, with the states that they have once the core has the user. */
  records: LoginRecord[];
}

/** Returns the users to create in the core: one, or one for each login method if `unlinked` is set. */
export function outgoingUsers(
  { user, metadata, hashes, noHashes, extras }: DepartingUser,
  { unlinked, placeholderHash }: { unlinked: boolean; placeholderHash: string },
): OutgoingUser[] {
  const outgoing = (id: string, methods: readonly LoginMethod[]): OutgoingUser => {
    const records = methods.map(({ recipeUserId, recipeId }): LoginRecord => {
      const hash = hashes.get(recipeUserId);
      // A password login without a hash gets the placeholder password in the core, and waits until a password
      // is set.
      const isMoved = recipeId === 'thirdparty' || (hash !== undefined && isVerifiedByCore(hash));
      const algorithm = hash?.algorithm ?? noHashes.get(recipeUserId);
      return { recipeUserId, userId: user.id, coreId: id, state: isMoved ? 'moved' : 'waiting', algorithm };
    });
    const loginMethods = methods.map((method, index) => ({
      ...loginMethodJson(method, hashes.get(method.recipeUserId), placeholderHash),
      ...(methods.length > 1 && { isPrimary: index === 0 }),
    }));
    // If the user becomes several users in the core, only the one with the user's id gets the second factors and roles.
    const json = JSON.stringify({ externalUserId: id, ...(id === idOf(user) && extras), loginMethods });
    // The metadata is inserted as text, because parsing it would change some numbers.
    const body = metadata === undefined ? json : `${json.slice(0, -1)},"userMetadata":${metadata}}`;
    return { id, body, obstacle: obstacleOf(user, id), methods, records };
  };
  if (!unlinked || user.loginMethods.length === 1) return [outgoing(idOf(user), user.loginMethods)];
  // One login method keeps the user's id: the method with the same id, or else the first.
  const heir = user.loginMethods.find(({ recipeUserId }) => recipeUserId === user.id) ?? user.loginMethods[0];
  return user.loginMethods.map((method) =>
    outgoing(method === heir ? idOf(user) : (method.externalId ?? method.recipeUserId), [method]),
  );
}

function obstacleOf({ isDisabled }: User, id: string): string | undefined {
  if (isDisabled)
    return 'The user is disabled here. The core has no such state, and would let in whoever resets the password.';
  if (id.length > MAX_ID_LENGTH) return `The id has more than ${MAX_ID_LENGTH} characters.`;
  if (id !== id.trim()) return 'The id begins or ends with a blank, which the core would remove.';
  return undefined;
}

/**
 * Returns whether the user `there` in the core is the one that an earlier attempt sent: their ids, logins and times of
 * joining are equal.
 */
export function isSameUser({ id, methods }: OutgoingUser, there: CoreUser): boolean {
  const key = (recipeId: string, email: string | undefined, thirdParty?: { id: string; userId: string }) =>
    JSON.stringify([recipeId, email, thirdParty?.id, thirdParty?.userId]);
  const sent = methods.map((method) =>
    key(method.recipeId, method.email, method.recipeId === 'thirdparty' ? method.thirdParty : undefined),
  );
  const found = there.loginMethods.map(({ recipeId, email, thirdParty }) => key(recipeId, email, thirdParty));
  const timesOf = (times: readonly number[]) => times.toSorted((a, b) => a - b).join();
  return (
    there.id === id &&
    sent.sort().join() === found.sort().join() &&
    timesOf(methods.map(timeJoinedOf)) === timesOf(there.loginMethods.map(timeJoinedOf))
  );
}

/**
 * Returns whether the core can verify a hash. The core treats `$2x$` as `$2a$`, which differs for bytes above 0x7f, and
 * converts the password of a Firebase hash to ASCII. This service therefore verifies hashes of both kinds.
 */
function isVerifiedByCore({ algorithm, encoded, secretId }: PasswordHash): boolean {
  if (secretId !== undefined) return false;
  if (algorithm === 'bcrypt') return /^\$2[aby]\$(0[4-9]|[12]\d|30)\$[./A-Za-z0-9]{53}$/.test(encoded);
  if (algorithm === 'argon2')
    return /^\$argon2(id|i|d)\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/.test(encoded);
  return false;
}

const idOf = ({ id, externalId }: User) => externalId ?? id;

function loginMethodJson(
  method: LoginMethod,
  hash: PasswordHash | undefined,
  placeholderHash: string,
): object {
  const common = {
    recipeId: method.recipeId,
    tenantIds: ['public'],
    email: method.email,
    isVerified: method.verified,
    timeJoinedInMSSinceEpoch: timeJoinedOf(method),
  };
  if (method.recipeId === 'thirdparty')
    return { ...common, thirdPartyId: method.thirdParty.id, thirdPartyUserId: method.thirdParty.userId };
  return hash !== undefined && isVerifiedByCore(hash)
    ? { ...common, passwordHash: hash.encoded, hashingAlgorithm: hash.algorithm.toUpperCase() }
    : { ...common, passwordHash: placeholderHash, hashingAlgorithm: 'BCRYPT' };
}
