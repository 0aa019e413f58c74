import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Passwords } from '../../hashing/passwords.ts';
import type { PasswordHash } from '../../hashing/verifier.ts';
import { toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject, pickMembers } from '../../lib/json/json-object.ts';
import { normalizeEmail } from '../../users/email.ts';
import type { FactorVault } from '../../users/factor-vault.ts';
import { STAGED_USER_FIELDS, stagedMethodFields } from '../input/field-reader.ts';
import type { ParsedLoginMethod, ParsedUser } from '../input/parsed-user.ts';
import { parseUserPayloads } from '../input/read-line.ts';
import { readUserPayload } from '../input/read-user-payload.ts';
import { hashPasswords } from '../resolve/imported-hashes.ts';
import { ChunkIds, externalIdsOf, methodId } from '../resolve/person.ts';
import type { StagedEntry, StagedStore } from './staged-store.ts';

/** Number of users that are validated before other requests get their turn in the event loop. */
const SLICE = 250;

export interface StageDeps {
  staged: StagedStore;
  passwords: Passwords;
  vault: FactorVault;
  now(): number;
  /** Maximum size of the stored JSON of one user in bytes. Bounds the memory of a batch of users. */
  maxUserBytes: number;
}

export interface InvalidUser {
  index: number;
  errors: string[];
}

/**
 * Ids under which a user and its login methods will be found. As in SuperTokens core, only the user's id is the
 * external id, if there is one.
 */
export interface AssignedIds {
  userId: string;
  /** In the order of the user's JSON. */
  loginMethods: { userId: string; method: ParsedLoginMethod }[];
}

interface AcceptedUser extends AssignedIds, Omit<StagedEntry, 'hashes'> {
  parsedUser: ParsedUser;
}

/** Stages all users, or none if one is invalid or the client disconnects while passwords are hashed. */
export async function stageUsers(
  deps: StageDeps,
  sent: readonly unknown[],
  signal?: AbortSignal,
): Promise<{ ids: AssignedIds[] } | { problems: InvalidUser[] }> {
  const problems: InvalidUser[] = [];
  const users: AcceptedUser[] = [];
  const chunk = ChunkIds.create();
  const externalIds = new Set<string>();
  for (const [index, one] of sent.entries()) {
    if (index % SLICE === SLICE - 1) await eventLoopTurn();
    const user = acceptUser(deps, one, chunk.id(index));
    const errors = 'errors' in user ? user.errors : repeated(externalIdsOf(user.parsedUser), externalIds);
    if (errors.length > 0) problems.push({ index, errors });
    else if ('parsedUser' in user) users.push(user);
  }
  if (problems.length > 0) return { problems };
  const parsedUsers = users.map(({ parsedUser }) => parsedUser);
  await hashPasswords(deps.passwords, parsedUsers, { signal });
  signal?.throwIfAborted();
  await deps.staged.add(
    users.map(({ id, payload, factors, loginMethods }) => {
      return { id, payload, factors, hashes: loginMethods.map(({ method }) => hashOf(method)) };
    }),
  );
  return { ids: users };
}

/** Returns an error for each id that an earlier user of the request has, too. Adds the ids to `before`. */
function repeated(ids: readonly string[], before: Set<string>): string[] {
  const errors = ids
    .filter((id) => before.has(id))
    .map((id) => `externalUserId ${id} is not unique. It is already used by another user.`);
  for (const id of ids) before.add(id);
  return errors;
}

function acceptUser(
  { passwords: { registry }, vault, now, maxUserBytes }: StageDeps,
  sent: unknown,
  id: string,
): AcceptedUser | { errors: string[] } {
  const read = readUserPayload({ registry, now, keepsFactors: vault.isOpen }, sent);
  if (Array.isArray(read)) return { errors: read.map(({ message }) => message) };
  const stored = stagedPayload(sent);
  const loginMethods = stored.loginMethods.map((one) => {
    const index = read.methods.findIndex((method) => isSame(one, method));
    const method = read.methods[index];
    if (method === undefined) throw new Error('a login method was not read');
    return { userId: methodId(id, index), method };
  });
  // `superTokensUserId` is the name that SuperTokens core uses. Only the list of staged users shows this member; the
  // import does not read it.
  const shown = stored.loginMethods.map((method, index) => ({
    ...method,
    superTokensUserId: loginMethods[index]?.userId,
  }));
  const payload = toJson({ ...stored, loginMethods: shown });
  if (Buffer.byteLength(payload) > maxUserBytes) {
    return {
      errors: [`The user is too large. Max size is ${maxUserBytes} bytes (bulk_import_max_line_bytes).`],
    };
  }
  const factors =
    read.factors && ('sealed' in read.factors ? read.factors.sealed : vault.seal(id, read.factors.open));
  return { id, userId: read.externalId ?? id, loginMethods, payload, factors, parsedUser: read };
}

/**
 * Returns whether a sent login method is the parsed one. At most one is, because no two login methods of a user share
 * an e-mail with a password, or an identity.
 */
function isSame(sent: JsonObject, method: ParsedLoginMethod): boolean {
  if (sent.recipeId !== method.recipeId) return false;
  if (method.recipeId === 'emailpassword') return sent.email === method.email;
  return sent.thirdPartyId === method.identity.id && sent.thirdPartyUserId === method.identity.userId;
}

/** Returns the hash of a login method. Plain-text passwords must already be hashed. */
function hashOf(method: ParsedLoginMethod): PasswordHash | null {
  return method.recipeId === 'emailpassword' && 'hash' in method.credential ? method.credential.hash : null;
}

interface StagedPayload extends JsonObject {
  readonly loginMethods: readonly JsonObject[];
}

/**
 * Returns only the members that `readUserPayload` has validated. Other members may be text that cannot be stored, or a
 * password under a wrong name.
 */
export function stagedPayload(sent: unknown): StagedPayload {
  const user = isJsonObject(sent) ? sent : {};
  const methods: unknown[] = Array.isArray(user.loginMethods) ? user.loginMethods : [];
  return {
    ...pickMembers(user, STAGED_USER_FIELDS),
    loginMethods: methods.filter(isJsonObject).map((method) => ({
      ...pickMembers(method, stagedMethodFields(method.recipeId)),
      email: typeof method.email === 'string' ? normalizeEmail(method.email) : undefined,
    })),
  };
}

/** Returns the user as it was sent, except factors, and with hashes instead of passwords. */
export function withHashes({ payload, hashes }: Pick<StagedEntry, 'payload' | 'hashes'>): JsonObject {
  const user = parseUserPayloads(payload) as StagedPayload;
  const loginMethods = user.loginMethods.map((method, index) => {
    const hash = hashes[index];
    if (!hash) return method;
    const { encoded: passwordHash, algorithm: hashingAlgorithm, secretId: hashingSecretId } = hash;
    return { ...method, passwordHash, hashingAlgorithm, hashingSecretId };
  });
  return { ...user, loginMethods };
}
